package controller

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"
)

const roleFile = "../../config/rbac/role.yaml"

// TestRole: config/rbac/role.yaml is what controller-gen generates from the markers.
func TestRole(t *testing.T) {
	want, err := os.ReadFile(roleFile)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	gen := exec.Command("go", "tool", "-modfile=sdkgen/go.mod", "controller-gen", "rbac:roleName=manager-role",
		"paths=./internal/controller", "output:rbac:dir="+dir)
	gen.Dir = "../.."
	if out, err := gen.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got, err := os.ReadFile(filepath.Join(dir, "role.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s differs from the markers; run `make manifests`:\n%s", roleFile, d)
	}
}

// TestPermissions: the operator has none of the dangerous permissions. The e2e tests check that it uses
// those that it has.
func TestPermissions(t *testing.T) {
	data, err := os.ReadFile(roleFile)
	if err != nil {
		t.Fatal(err)
	}
	rules := 0
	for part := range strings.SplitSeq(string(data), "\n---") {
		var role rbacv1.ClusterRole
		if err := yaml.Unmarshal([]byte(part), &role); err != nil {
			t.Fatal(err)
		}
		for _, rule := range role.Rules {
			rules++
			if slices.Contains(rule.Resources, "secrets") && !slices.Equal(rule.Verbs, []string{"create"}) {
				t.Errorf("the operator can do more with Secrets than create them: %+v", rule)
			}
			all := slices.Concat(rule.APIGroups, rule.Resources, rule.Verbs)
			for _, never := range []string{"*", "customresourcedefinitions", "roles", "rolebindings", "clusterroles",
				"clusterrolebindings", "serviceaccounts", "nodes", "deletecollection", "impersonate", "escalate", "bind"} {
				if slices.Contains(all, never) {
					t.Errorf("a rule has %s: %+v", never, rule)
				}
			}
		}
	}
	if rules < 5 {
		t.Errorf("only %d rules", rules)
	}
}
