package testkit

import (
	"fmt"
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
)

// Render makes jobs with both engines, which must make the same files, and returns those.
func Render(t *testing.T, jobs []render.Job) []*artifact.Set {
	t.Helper()
	byJar, err := Jar(t).Run(t.Context(), slog.New(slog.DiscardHandler), t.TempDir(), jobs)
	if err != nil {
		t.Fatal(err)
	}
	sets, err := render.Native(t.Context(), jobs)
	if err != nil {
		t.Fatal(err)
	}
	for i, job := range jobs {
		if d := cmp.Diff(listed(byJar[i]), listed(sets[i])); d != "" {
			t.Errorf("%s: the engines differ (-openapi-generator +native):\n%s", job.Name, d)
		}
	}
	return sets
}

// listed returns a set's files by path.
func listed(set *artifact.Set) map[string]string {
	files := map[string]string{}
	for file := range set.All() {
		files[file.Path] = fmt.Sprintf("%s %s\n%s", file.Mode, file.Origin, file.Data)
	}
	return files
}
