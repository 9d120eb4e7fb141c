package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestSecrets: no error contains a password, token, key or certificate, whatever is wrong with it.
func TestSecrets(t *testing.T) {
	const manifest = `apiVersion: flux-framework.org/v1alpha1
kind: MiniCluster
metadata: {name: x}
spec:
  containers: [{}]
  %s
`
	const password = "users: [{name: ada, password: %s}]"
	var texts []string
	for _, field := range []string{password, "flux: {curveCert: %s}", "fluxRestful: {token: %s}",
		"fluxRestful: {secretKey: %s}"} {
		for _, value := range []string{`"hid\nden` + strings.Repeat("x", 9000) + `"`, "[hidden]", "86753091"} {
			texts = append(texts, fmt.Sprintf(field, value))
		}
	}
	for _, value := range []string{
		`"hid\nden"`, `"hid\rden"`, "*hidden", "@hidden", "hidden: 1", "'hidden", `"\hidden"`, "[hidden", "!!int hidden",
		"8675.3091",
	} {
		texts = append(texts, fmt.Sprintf(password, value))
	}
	texts = append(texts, `flux: {curveCert: "hid\nden"}`)
	for _, text := range texts {
		var stdout, stderr bytes.Buffer
		if code := run([]string{"-f", "-"}, strings.NewReader(fmt.Sprintf(manifest, text)), &stdout, &stderr,
			zeros{}); code != exitInvalid {
			t.Errorf("%.40s: exit code %d", text, code)
		}
		for _, part := range []string{"hid", "den", "8675"} {
			if strings.Contains(stderr.String(), part) {
				t.Errorf("%.40s: %.300s", text, &stderr)
				break
			}
		}
	}
}
