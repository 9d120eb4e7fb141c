package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestPushes: the workflow is started by the last push, when the tags that it looks for are there; GitHub starts none
// for a push of more than three tags.
func TestPushes(t *testing.T) {
	var out bytes.Buffer
	r := &release{version: "1.2.3", head: "abc", stdout: &out}
	if err := r.print(nil, true); err != nil {
		t.Fatal(err)
	}
	var pushes []string
	for line := range strings.Lines(out.String()) {
		if command := strings.TrimSpace(line); strings.HasPrefix(command, "git push ") {
			pushes = append(pushes, command)
		}
	}
	want := []string{"git push --atomic origin api/v1.2.3 sdk/go/v1.2.3 sdkgen/v1.2.3", "git push origin v1.2.3"}
	if strings.Join(pushes, "\n") != strings.Join(want, "\n") {
		t.Errorf("pushes:\n%s\nwant:\n%s", strings.Join(pushes, "\n"), strings.Join(want, "\n"))
	}
	if got := strings.Count(out.String(), "git tag "); got != len(tags) {
		t.Errorf("%d tags are made, not %d", got, len(tags))
	}
}
