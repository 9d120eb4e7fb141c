package e2e

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"github.com/flux-framework/flux-operator/test/operator"
	docs "github.com/flux-framework/flux-operator/test/report"
)

var writeAccess = flag.Bool("access", false, "write the tables of docs/operate/access.md")

// accessFile has the tables that TestAccess checks.
const accessFile = root + "/docs/operate/access.md"

// column is a subject of the tables.
type column struct {
	title string
	user  rest.ImpersonationConfig
}

// TestAccess asks the API server what the operator and the users of MiniClusters may do, with each verb on each
// of its resources, as `kubectl auth can-i` does, and compares the answers with the tables of docs/operate/access.md.
func TestAccess(t *testing.T) {
	s := need(t)
	ns := s.namespace(t)
	s.grant(t, ns, "operator", "flux-operator-manager-role", "operator")
	s.grant(t, ns, "editor", "flux-operator-minicluster-editor-role", "editor")
	s.grant(t, ns, "viewer", "flux-operator-minicluster-viewer-role", "viewer")
	everywhere := operator.ServiceAccount(ns, "everywhere")
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: ns},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "flux-operator-manager-role"},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: ns, Name: "everywhere"}},
	}
	if err := s.client.Create(t.Context(), binding); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kubectl(t, "", "delete", "clusterrolebinding", ns) })
	columns := []column{
		{"operator for given namespaces", operator.ServiceAccount(ns, "operator")},
		{"operator for all namespaces", everywhere},
		{"operator for all namespaces, with volumes", operator.ServiceAccount(operator.Namespace, operator.Name)},
		{"minicluster-editor", operator.ServiceAccount(ns, "editor")},
		{"minicluster-viewer", operator.ServiceAccount(ns, "viewer")},
	}
	var text strings.Builder
	for _, scope := range []struct{ title, namespace string }{
		{"In a namespace of MiniClusters", ns},
		{"In kube-system", metav1.NamespaceSystem},
		{"In the operator's namespace", operator.Namespace},
		{"Cluster-scoped resources", ""},
	} {
		fmt.Fprintf(&text, "\n### %s\n\n%s", scope.title, s.accessTable(t, columns, scope.namespace))
	}
	compareAccess(t, text.String())
}

// accessTable returns the table of what each subject may do in a namespace, or with cluster-scoped resources.
func (s *suite) accessTable(t *testing.T, columns []column, namespace string) string {
	t.Helper()
	var table strings.Builder
	table.WriteString("| resource |")
	for _, c := range columns {
		table.WriteString(" " + c.title + " |")
	}
	table.WriteString("\n|---|" + strings.Repeat("---|", len(columns)) + "\n")
	rows := 0
	for _, resource := range s.resources(t, namespace != "") {
		cells, some := make([]string, len(columns)), false
		for i, c := range columns {
			cells[i] = strings.Join(s.verbs(t, c.user, namespace, resource), ", ")
			some = some || cells[i] != ""
		}
		if some {
			rows++
			fmt.Fprintf(&table, "| `%s` | %s |\n", strings.TrimPrefix(resource.Group+"/"+resource.Name, "/"),
				strings.Join(cells, " | "))
		}
	}
	if rows == 0 {
		return "Nothing.\n"
	}
	return table.String()
}

// resources returns the API server's resources and subresources, namespaced or cluster-scoped, in order.
func (s *suite) resources(t *testing.T, namespaced bool) []metav1.APIResource {
	t.Helper()
	client, err := discovery.NewDiscoveryClientForConfig(s.config)
	if err != nil {
		t.Fatal(err)
	}
	lists, err := client.ServerPreferredResources()
	if err != nil {
		t.Fatal(err)
	}
	var all []metav1.APIResource
	for _, list := range lists {
		group, _, found := strings.Cut(list.GroupVersion, "/")
		if !found {
			group = ""
		}
		for _, resource := range list.APIResources {
			resource.Group = group
			all = append(all, resource)
		}
	}
	// Discovery lists no subresources among the preferred resources.
	for _, name := range []string{"pods/exec", "pods/log", "serviceaccounts/token", "namespaces/finalize"} {
		all = append(all, metav1.APIResource{Name: name, Namespaced: name != "namespaces/finalize"})
	}
	for _, name := range []string{"miniclusters/status", "miniclusters/scale", "miniclusters/finalizers"} {
		all = append(all, metav1.APIResource{Group: "flux-framework.org", Name: name, Namespaced: true})
	}
	all = slices.DeleteFunc(all, func(r metav1.APIResource) bool {
		return r.Namespaced != namespaced &&
			r.Name != "namespaces"
	})
	slices.SortFunc(all, func(a, b metav1.APIResource) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Name, b.Name))
	})
	if len(all) < 10 {
		t.Fatalf("only %d resources: %v", len(all), all)
	}
	return all
}

// verbs returns what a user may do with a resource, other than what each authenticated user may do.
func (s *suite) verbs(
	t *testing.T, user rest.ImpersonationConfig, namespace string, resource metav1.APIResource,
) []string {
	t.Helper()
	var allowed []string
	for _, verb := range []string{
		"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "bind", "escalate", "impersonate",
	} {
		may := func(user rest.ImpersonationConfig) bool {
			name, sub, _ := strings.Cut(resource.Name, "/")
			review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
				User: user.UserName, Groups: user.Groups,
				ResourceAttributes: &authorizationv1.ResourceAttributes{
					Namespace: namespace, Verb: verb, Group: resource.Group, Resource: name, Subresource: sub,
				},
			}}
			if err := s.client.Create(t.Context(), review); err != nil {
				t.Fatal(err)
			}
			return review.Status.Allowed
		}
		if may(user) && !may(operator.ServiceAccount(corev1.NamespaceDefault, "nobody")) {
			allowed = append(allowed, verb)
		}
	}
	return allowed
}

// compareAccess compares the tables with those of docs/operate/access.md, or writes them with -access.
func compareAccess(t *testing.T, tables string) {
	t.Helper()
	t.Logf("%s", tables)
	data, err := os.ReadFile(accessFile)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), "<!-- access, begin -->\n"+tables+"\n<!-- access, end -->") {
		return
	}
	if !*writeAccess {
		t.Fatalf("the tables differ from those of %s; if they should, run the test with -access", accessFile)
	}
	if err := docs.Write(accessFile, []docs.Section{{Mark: "access", Text: tables + "\n"}}); err != nil {
		t.Fatal(err)
	}
}
