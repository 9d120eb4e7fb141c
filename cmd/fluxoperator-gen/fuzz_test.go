package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// FuzzRun: any input gives either objects or errors, never a panic.
func FuzzRun(f *testing.F) {
	files, err := filepath.Glob("../../examples/minicluster/*.yaml")
	if err != nil || len(files) == 0 {
		f.Fatalf("no examples: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("a: &x [*x]\n---\n<<: *y\n---\n{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var stdout, stderr bytes.Buffer
		code := run([]string{"-f", "-"}, bytes.NewReader(data), &stdout, &stderr, zeros{})
		if code == exitOK && (stdout.Len() == 0 || stderr.Len() > 0) ||
			code != exitOK && (stdout.Len() > 0 || stderr.Len() == 0) {
			t.Errorf("exit code %d, %d bytes on stdout, stderr: %s", code, stdout.Len(), &stderr)
		}
	})
}
