package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

var goSample = regexp.MustCompile("(?s)```go\n(.*?)```")

// encode prints a sample as JSON.
const encode = `package main

import (
	"encoding/json"
	"os"

	"example.org/user/sample"
)

func main() {
	if err := json.NewEncoder(os.Stdout).Encode(sample.Sample); err != nil {
		panic(err)
	}
}
`

// TestSamples runs the samples of each kind of the garden, with the SDK that is generated: Python and Go make what the
// manifest says.
func TestSamples(t *testing.T) {
	python := os.Getenv("PYTHON")
	if os.Getenv("CHROME") == "" {
		t.Skip("hack/docs-browser.sh names no Python with kubernetes: run make test-all ONLY=docs")
	}
	site(t, garden)
	root := filepath.Join(scratch, garden)
	sdkgen := filepath.Join(scratch, "sdkgen")
	for _, args := range [][]string{{"generate", "-q"},
		{"docs", "-q", "--as", "markdown", "-o", filepath.Join(root, "md")}} {
		if err := run(root, sdkgen, args...); err != nil {
			t.Fatal(err)
		}
	}
	check, err := filepath.Abs("testdata/check.py")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "encode", "main.go"), []byte(encode))
	t.Setenv("PYTHONPATH", filepath.Join(root, "sdk", "python"))
	for _, version := range []string{"v1", "v1beta1"} {
		page := filepath.Join(root, "md", "garden.example.org", version, "bed.md")
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		source := goSample.FindSubmatch(data)
		if source == nil {
			t.Fatalf("%s has no sample in Go", page)
		}
		write(t, filepath.Join(root, "sample", "sample.go"), source[1])
		if err := run(root, "go", "vet", "./sample", "./encode"); err != nil {
			t.Fatal(err)
		}
		if err := run(root, "sh", "-c", "go run ./encode > go.json"); err != nil {
			t.Fatal(err)
		}
		if err := run(root, python, check, page, "go.json"); err != nil {
			t.Error(err)
		}
	}
}

// write writes a file, with its directory.
func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
