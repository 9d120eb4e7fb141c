package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestSize: what is too large is an error with the position of the field, and prints nothing.
func TestSize(t *testing.T) {
	const head = "apiVersion: flux-framework.org/v1alpha1\nkind: MiniCluster\nmetadata: {name: x}\nspec:\n"
	flags := "  flux:\n    optionFlags: " + strings.Repeat("-ofoo ", 3500) + "\n"
	lines := "  containers: [{batch: true, command: \"" + strings.Repeat(`a\n`, 2000) + "\"}]\n"
	var containers strings.Builder
	for i := range 20 {
		fmt.Fprintf(&containers, "  - {name: c%d, runFlux: %t, command: %s}\n", i, i == 0, strings.Repeat("x", 60000))
	}
	for _, test := range []struct{ text, want string }{
		{flags + lines, "<stdin>:6:18: spec.flux.optionFlags: Too long: may not be more than 4096 bytes\n"},
		{"  containers:\n" + containers.String(),
			"<stdin>:5:3: spec.containers: Too long: the ConfigMap x-entrypoint would have "},
	} {
		var stdout, stderr bytes.Buffer
		code := run([]string{"-f", "-"}, strings.NewReader(head+test.text), &stdout, &stderr, zeros{})
		if code != exitInvalid || stdout.Len() > 0 || !strings.HasPrefix(stderr.String(), test.want) {
			t.Errorf("exit code %d, %d bytes on stdout, stderr %.200s; want %s", code, stdout.Len(), &stderr, test.want)
		}
	}
}
