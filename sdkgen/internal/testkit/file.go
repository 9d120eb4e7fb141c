package testkit

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// CheckFile holds a file that a test writes against what it would write; -update writes it.
func CheckFile(t *testing.T, file, got string) {
	t.Helper()
	if Update() {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want := string(Read(t, file)); got != want {
		t.Errorf("%s is not what the cases give, run the test with -update (-file +cases):\n%s", file, cmp.Diff(want, got))
	}
}

// Encode returns a value as indented JSON with sorted keys.
func Encode(t *testing.T, value any) string {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var plain any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&plain); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(plain); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
