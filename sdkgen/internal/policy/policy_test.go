package policy_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/cel/environment"
	"sigs.k8s.io/yaml"

	"github.com/flux-framework/flux-operator/sdkgen/internal/document"
	"github.com/flux-framework/flux-operator/sdkgen/internal/policy"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestPolicies runs testdata/*.txtar: "policies" are the files of the document "swagger.json", and "warned" what the API
// server's own compiler and evaluator of policies say of the YAML documents of "objects".
func TestPolicies(t *testing.T) {
	testkit.Each(t, "*.txtar", func(t *testing.T, c *testkit.Case) {
		c.Only(t, "swagger.json", "objects", "policies", "warned")
		api, err := document.Read([]byte(c.Part("swagger.json")))
		if err != nil {
			t.Fatal(err)
		}
		var files, warned strings.Builder
		for range 20 {
			files.Reset()
			set, err := policy.Policies("config/policy", api)
			if err != nil {
				t.Fatal(err)
			}
			for file := range set.All() {
				fmt.Fprintf(&files, "# %s\n%s", file.Path, file.Data)
			}
			c.Want(t, "policies", files.String())
		}
		for _, document := range strings.Split(c.Part("objects"), "---\n") {
			object := map[string]any{}
			if err := yaml.Unmarshal([]byte(document), &object); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&warned, "%v\n", object["metadata"])
			for _, message := range warnings(t, files.String(), object) {
				warned.WriteString("  " + message + "\n")
			}
		}
		c.Want(t, "warned", warned.String())
	})
}

// warnings returns the messages of the validations that an object does not meet.
func warnings(t *testing.T, files string, object map[string]any) (messages []string) {
	t.Helper()
	for _, file := range strings.Split(files, "# Code generated") {
		var made admissionv1.ValidatingAdmissionPolicy
		text, _, _ := bytes.Cut([]byte("#"+file), []byte("---\n"))
		if err := yaml.UnmarshalStrict(text, &made); err != nil {
			t.Fatal(err)
		}
		for _, validation := range made.Spec.Validations {
			condition := &validating.ValidationCondition{Expression: validation.Expression}
			compiler := plugincel.NewCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
			compiled := compiler.CompileCELExpression(condition, plugincel.OptionalVariableDeclarations{}, environment.NewExpressions)
			if compiled.Error != nil {
				t.Fatalf("%s: %v", validation.Expression, compiled.Error)
			}
			value, _, err := compiled.Program.Eval(map[string]any{"object": object})
			if err != nil {
				t.Fatalf("%s: %v", validation.Expression, err)
			}
			if value.Value() != true {
				messages = append(messages, validation.Message)
			}
		}
	}
	return messages
}
