package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestParse wants flags understood, and bad ones named.
func TestParse(t *testing.T) {
	for args, want := range map[string]string{
		"":                              "",
		"--leader-elect":                "",
		"--watch-namespaces=a,b":        "",
		"--watch-namespaces=A":          `"A" is not the name of a namespace`,
		"--max-concurrent-reconciles=0": "--max-concurrent-reconciles: must be 1 or more",
		"--metrics-secure=false --metrics-cert-path=x": "--metrics-cert-path: is of no use",
		"serve":             "serve: there are no arguments without a flag",
		"--nothing":         "-nothing",
		"--zap-log-level=x": "zap-log-level",
	} {
		_, err := parse(strings.Fields(args), &bytes.Buffer{})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", args, err, want)
		}
	}
}

// TestNamespaces wants a list in one flag or in several, each namespace once.
func TestNamespaces(t *testing.T) {
	o, err := parse([]string{"--watch-namespaces=a, b,", "--watch-namespaces", "b,c"}, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"a", "b", "c"}, o.namespaces); d != "" {
		t.Error(d)
	}
	if caches := o.manager().Cache.DefaultNamespaces; len(caches) != 3 {
		t.Errorf("the caches hold %v", caches)
	}
}

// TestMetrics wants metrics to be secured unless that is turned off.
func TestMetrics(t *testing.T) {
	for args, secure := range map[string]bool{"": true, "--metrics-secure=false": false} {
		o, err := parse(strings.Fields(args), &bytes.Buffer{})
		if err != nil {
			t.Fatal(err)
		}
		m := o.manager().Metrics
		if m.SecureServing != secure || (m.FilterProvider != nil) != secure || m.BindAddress != "0" {
			t.Errorf("%q: %+v", args, m)
		}
	}
}

// TestExit wants each way to end to have its exit code, and data on stdout only.
func TestExit(t *testing.T) {
	t.Setenv("KUBECONFIG", "testdata/none")
	for args, want := range map[string]int{
		"--version": exitOK, "-h": exitOK, "--nothing": exitUsage, "--kubeconfig=testdata/none": exitFailed,
	} {
		var stdout, stderr bytes.Buffer
		if got := run(t.Context(), strings.Fields(args), &stdout, &stderr); got != want {
			t.Errorf("%s: exit code %d, want %d\n%s", args, got, want, &stderr)
		}
		if (stdout.Len() > 0) != (args == "--version") {
			t.Errorf("%s: stdout %q", args, &stdout)
		}
	}
}
