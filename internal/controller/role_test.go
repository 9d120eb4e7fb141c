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

// TestRole wants config/rbac/role.yaml to be what controller-gen makes of the markers.
func TestRole(t *testing.T) {
	want, err := os.ReadFile(roleFile)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	gen := exec.Command("go", "tool", "-modfile=sdkgen/go.mod", "controller-gen", "rbac:roleName=manager-role", "paths=./internal/controller", "output:rbac:dir="+dir)
	gen.Dir = "../.."
	if out, err := gen.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got, err := os.ReadFile(filepath.Join(dir, "role.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s is not what the markers say; `make manifests` writes it:\n%s", roleFile, d)
	}
}

// TestRights wants no right that an operator of MiniClusters has no use for. That each one is used
// is for the tests on a real API server to show.
func TestRights(t *testing.T) {
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
			all := slices.Concat(rule.APIGroups, rule.Resources, rule.Verbs)
			for _, never := range []string{"*", "customresourcedefinitions", "secrets", "roles", "rolebindings", "clusterroles",
				"clusterrolebindings", "serviceaccounts", "nodes", "deletecollection", "impersonate", "escalate", "bind"} {
				if slices.Contains(all, never) {
					t.Errorf("a rule has %s: %+v", never, rule)
				}
			}
		}
	}
	if rules < 5 {
		t.Errorf("there are only %d rules", rules)
	}
}
