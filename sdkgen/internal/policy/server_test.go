package policy_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// customResource is the CRD of the kind in testdata, of which any object is valid.
const customResource = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {kind: Widget, listKind: WidgetList, plural: widgets, singular: widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true}}}}
`

// TestServer applies the policies of testdata/fields.txtar to the API server of KUBECONFIG (make test-e2e-breaking), and
// holds what kubectl apply prints for its objects against the case.
func TestServer(t *testing.T) {
	if os.Getenv("KUBECONFIG") == "" {
		if os.Getenv("CI") == "true" && os.Getenv("E2E") != "" {
			t.Fatal("KUBECONFIG is not set")
		}
		t.Skip("KUBECONFIG is not set; `make test-e2e-breaking` starts a control plane")
	}
	for _, c := range testkit.Cases(t, "fields.txtar") {
		kubectl(t, customResource, "apply", "-f", "-")
		kubectl(t, "", "wait", "--for=condition=Established", "--timeout=30s", "crd/widgets.example.org")
		kubectl(t, c.Part("policies"), "apply", "-f", "-")
		names, objects := manifests(t, c.Part("objects"))
		awaitPolicy(t, objects[len(objects)-1])
		var got strings.Builder
		for i, object := range objects {
			fmt.Fprintf(&got, "map[name:%s]\n", names[i])
			for _, warning := range warned(t, kubectl(t, object, "apply", "-f", "-")) {
				fmt.Fprintf(&got, "  %s\n", warning)
			}
		}
		if d := cmp.Diff(c.Part("warned"), got.String()); d != "" {
			t.Errorf("kubectl apply warns (-want +got):\n%s", d)
		}
		for _, documents := range []string{c.Part("policies"), customResource} {
			kubectl(t, documents, "delete", "-f", "-") // other tests have the group, too
		}
	}
}

// manifests returns the objects as kubectl takes them, and their names.
func manifests(t *testing.T, documents string) (names, objects []string) {
	t.Helper()
	for _, document := range strings.Split(documents, "---\n") {
		object := map[string]any{"apiVersion": "example.org/v1", "kind": "Widget"}
		if err := yaml.Unmarshal([]byte(document), &object); err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		metadata, _ := object["metadata"].(map[string]any)
		names, objects = append(names, fmt.Sprint(metadata["name"])), append(objects, string(data))
	}
	return names, objects
}

// awaitPolicy waits until the API server warns of an object.
func awaitPolicy(t *testing.T, object string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Second) {
		if len(warned(t, kubectl(t, object, "apply", "--dry-run=server", "-f", "-"))) > 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the API server warns of nothing")
		}
	}
}

// kubectl runs kubectl with an input, and returns what it prints on stderr.
func kubectl(t *testing.T, input string, args ...string) (stderr string) {
	t.Helper()
	var errs strings.Builder
	cmd := exec.CommandContext(t.Context(), "kubectl", args...)
	cmd.Env = append(os.Environ(), "KUBECACHEDIR="+filepath.Join(t.TempDir(), "cache"))
	cmd.Stdin, cmd.Stderr = strings.NewReader(input), &errs
	if out, err := cmd.Output(); err != nil {
		t.Fatalf("kubectl %s: %v\n%s%s", strings.Join(args, " "), err, out, errs.String())
	}
	t.Log(errs.String())
	return errs.String()
}

// warned returns the messages of policies in what kubectl printed, sorted.
func warned(t *testing.T, stderr string) (messages []string) {
	t.Helper()
	for line := range strings.Lines(stderr) {
		const name = "'deprecated.widgets.v1.example.org'"
		message, ok := strings.CutPrefix(strings.TrimSpace(line), "Warning: Validation failed for ValidatingAdmissionPolicy "+name+" with binding "+name+": ")
		if !ok {
			t.Errorf("kubectl printed %q", line)
		}
		messages = append(messages, message)
	}
	slices.Sort(messages)
	return messages
}
