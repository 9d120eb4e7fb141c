package pipeline_test

import (
	"bytes"
	"os"
	"os/exec"
	"testing"
)

// TestCompiledDefinitions holds the swaggify program, which compiles the definitions in, against
// swagger.json, which is made by evaluating their source.
func TestCompiledDefinitions(t *testing.T) {
	cmd := exec.Command("go", "run", "./hack/swagger", "v1alpha1")
	cmd.Dir = "../.."
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	got, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	want, err := os.ReadFile("../../api/v1alpha1/swagger.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("go run ./hack/swagger prints something else than api/v1alpha1/swagger.json holds")
	}
}
