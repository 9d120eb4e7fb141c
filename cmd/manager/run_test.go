package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestParse: invalid flags are errors that name them.
func TestParse(t *testing.T) {
	for args, want := range map[string]string{
		"":                              "",
		"--leader-elect":                "",
		"--watch-namespaces=a,b":        "",
		"--watch-namespaces=A":          `"A" is not a valid DNS-1123 label`,
		"--max-concurrent-reconciles=0": "--max-concurrent-reconciles: must be 1 or more",
		"--metrics-secure=false --metrics-cert-path=x": "--metrics-cert-path: requires --metrics-secure",
		"--allow-volumes --allow-host-paths=/data,/":   "",
		"--allow-host-paths=/data":                     "--allow-host-paths, --allow-csi-drivers: require --allow-volumes",
		"--allow-volumes --allow-host-paths=data":      `"data" is not an absolute, clean path`,
		"--allow-volumes --allow-host-paths=/a/../b":   `"/a/../b" is not an absolute, clean path`,
		"--allow-volumes --allow-csi-drivers=A":        `"A" is not a valid DNS-1123 subdomain`,
		"serve":                                        `unexpected argument "serve"`,
		"--nothing":                                    "-nothing",
		"--zap-log-level=x":                            "zap-log-level",
	} {
		_, err := parse(strings.Fields(args), &bytes.Buffer{})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", args, err, want)
		}
	}
}

// TestNamespaces: the flag takes lists and may be repeated; duplicates are dropped.
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

// TestMetrics: metrics are off by default, and secure unless --metrics-secure is false.
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

// TestExit checks exit codes. Only the version and the help go to stdout.
func TestExit(t *testing.T) {
	t.Setenv("KUBECONFIG", "testdata/none")
	for args, want := range map[string]int{
		"--version": exitOK, "-h": exitOK, "--nothing": exitUsage, "--kubeconfig=testdata/none": exitFailed,
	} {
		var stdout, stderr bytes.Buffer
		if got := run(t.Context(), strings.Fields(args), &stdout, &stderr); got != want {
			t.Errorf("%s: exit code %d, want %d\n%s", args, got, want, &stderr)
		}
		if (stdout.Len() > 0) != (args == "--version" || args == "-h") {
			t.Errorf("%s: stdout %q", args, &stdout)
		}
	}
}

// TestHelp: the help explains each flag in one or more sentences.
func TestHelp(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"--help"}, &stdout, &stderr); code != exitOK || stderr.Len() > 0 {
		t.Fatalf("exit code %d, stderr %q", code, &stderr)
	}
	for _, want := range []string{"Usage: manager", "Examples:", "-leader-elect", "-zap-log-level", "-kubeconfig"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("the help lacks %q:\n%s", want, &stdout)
		}
	}
}
