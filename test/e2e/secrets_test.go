package e2e

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/pkg/minicluster"
)

// keyHash is the end of the name of a Secret of keys, which depends on the UID of the MiniCluster.
var keyHash = regexp.MustCompile(`(-(?:curve|munge|flux-restful))-[0-9a-f]{10}\b`)

// expectedKeys returns the Secrets of keys that the operator should create for a MiniCluster, without data.
func expectedKeys(t *testing.T, mc *api.MiniCluster) []*corev1.Secret {
	t.Helper()
	var found []*corev1.Secret
	for _, object := range expected(t, mc) {
		if secret, ok := object.(*corev1.Secret); ok {
			found = append(found, secret)
		}
	}
	return found
}

// secrets lists the operator's Secrets in a namespace.
func (s *suite) secrets(t *testing.T, namespace string) []corev1.Secret {
	t.Helper()
	var list corev1.SecretList
	ours := client.MatchingLabels{minicluster.LabelManagedBy: "flux-operator"}
	if err := s.client.List(context.WithoutCancel(t.Context()), &list, client.InNamespace(namespace), ours); err != nil {
		t.Fatal(err)
	}
	return list.Items
}

// nameOfKeys returns the name of a Secret that fluxoperator-gen prints under another name.
func (s *suite) nameOfKeys(t *testing.T, namespace, printed string) string {
	t.Helper()
	for _, secret := range s.secrets(t, namespace) {
		if keyHash.ReplaceAllString(secret.Name, "$1") == printed {
			return secret.Name
		}
	}
	t.Fatalf("the operator has not created %s-...", printed)
	return ""
}

// secretKey is the secret part of a CURVE certificate.
var secretKey = regexp.MustCompile(`secret-key = "(.{40})"`)

// forms returns the strings by which a value could be found in text, JSON and YAML.
func forms(value []byte) []string {
	text := string(value)
	if found := secretKey.FindStringSubmatch(text); found != nil {
		text = found[1]
	}
	all := []string{text, base64.StdEncoding.EncodeToString(value)}
	if escaped, err := json.Marshal(text); err == nil { // with <, > and & escaped
		all = append(all, strings.Trim(string(escaped), `"`))
	}
	return all
}

// generatedKeys returns the keys that were generated for the MiniClusters of a namespace, and the names of
// their Secrets.
func (s *suite) generatedKeys(t *testing.T, namespace string) map[string]string {
	t.Helper()
	input := kubectl(t, "", "get", "miniclusters", "--namespace", namespace, "--output", "jsonpath={.items[*].spec}")
	found := map[string]string{}
	for _, secret := range s.secrets(t, namespace) {
		for key, value := range secret.Data {
			if !strings.Contains(input, string(value)) {
				for _, form := range forms(value) {
					found[form] = secret.Name + " " + key
				}
			}
		}
	}
	return found
}

// leaks returns the keys that are in a text.
func leaks(keys map[string]string, text string) []string {
	found := map[string]bool{}
	for value, name := range keys {
		if strings.Contains(text, value) {
			found[name] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// describe returns all that there is in a namespace, but Secrets.
func (s *suite) describe(t *testing.T, namespace string) string {
	t.Helper()
	const resources = "miniclusters,jobs,pods,configmaps,services,endpointslices,persistentvolumeclaims,events"
	return kubectl(t, "", "get", resources, "--namespace", namespace, "--output", "json") +
		kubectl(t, "", "get", "persistentvolumes", "--selector", minicluster.LabelNamespace+"="+namespace, "--output", "json")
}

// checkLeaks checks that the generated keys of a namespace are in no object but Secrets, and remembers
// them for leaksInLogs.
func (s *suite) checkLeaks(t *testing.T, namespace string) {
	t.Helper()
	keys := s.generatedKeys(t, namespace)
	if len(keys) == 0 {
		return
	}
	if found := leaks(keys, s.describe(t, namespace)); len(found) > 0 {
		t.Errorf("objects other than Secrets have the keys %s", strings.Join(found, ", "))
	}
	if s.keys == nil {
		s.keys = map[string]string{}
	}
	maps.Copy(s.keys, keys)
}

// leaksInLogs returns the keys that are in the logs of operators.
func (s *suite) leaksInLogs() []string {
	var found []string
	logs, err := filepath.Glob(filepath.Join(s.dir, "manager-*.log"))
	if err != nil || s.dir == "" {
		return nil
	}
	for _, log := range logs {
		text, err := os.ReadFile(log)
		if err != nil {
			return []string{err.Error()}
		}
		found = append(found, leaks(s.keys, string(text))...)
	}
	return found
}

// TestSecrets: generated keys are in immutable Secrets of the MiniCluster, and nowhere else.
func TestSecrets(t *testing.T) {
	s := need(t)
	p := s.manager(t, s.kubeconfig)
	ns := s.namespace(t)
	mc := s.create(t, ns, "mc",
		`{size: 2, containers: [{image: any}], users: [{name: ada}, {name: bob, password: given}], pod: {annotations: {`+
			runFor+`: 24h}}}`)
	s.await(t, mc, api.ConditionJobReady)
	all := s.secrets(t, ns)
	if len(all) != 3 {
		t.Errorf("%d Secrets, want 3", len(all))
	}
	for i := range all {
		secret := &all[i]
		if secret.Type != corev1.SecretTypeOpaque || secret.Immutable == nil || !*secret.Immutable ||
			!metav1.IsControlledBy(secret, mc) {
			t.Errorf("%s: %s, %v, %+v", secret.Name, secret.Type, secret.Immutable, secret.OwnerReferences)
		}
	}
	keys := s.generatedKeys(t, ns)
	if n := len(leaks(keys, strings.Join(slices.Collect(maps.Keys(keys)), " "))); n != 5 {
		t.Errorf("%d keys were generated, want a certificate, a munge key, a token, a secret key and a password", n)
	}
	s.change(t, mc, func(spec *api.MiniClusterSpec) { spec.Users[0].Password = "other" })
	s.awaitReason(t, mc, api.ConditionJobReady, metav1.ConditionFalse, "SpecChanged")
	if found := leaks(keys, p.Tail(1<<30)); len(found) > 0 {
		t.Errorf("the log has the keys %s", strings.Join(found, ", "))
	}
	for value, name := range keys { // all can be found
		planted := &corev1.ConfigMap{ObjectMeta: named(ns, "planted"),
			Data: map[string]string{"value": fmt.Sprintf("<%s>", value)}}
		if !strings.Contains(name, "curve.cert") || strings.Contains(value, `\u`) {
			continue
		}
		if err := s.client.Create(t.Context(), planted); err != nil {
			t.Fatal(err)
		}
		if found := leaks(keys, s.describe(t, ns)); len(found) != 1 || found[0] != name {
			t.Errorf("%s was planted, but %q was found", name, found)
		}
		if err := s.client.Delete(t.Context(), planted); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLostSecret: a Secret that is deleted is created again only with a new Job.
func TestLostSecret(t *testing.T) {
	s := need(t)
	s.manager(t, s.kubeconfig)
	ns := s.namespace(t)
	mc := s.create(t, ns, "mc", endless)
	s.await(t, mc, api.ConditionJobReady)
	secret := expectedKeys(t, mc)[0]
	if err := s.client.Delete(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	kubectl(t, "", "delete", "job", "mc", "--namespace", ns)
	eventually(t, patience, func() string {
		if err := s.client.Get(t.Context(), client.ObjectKeyFromObject(secret), &corev1.Secret{}); err != nil {
			return err.Error()
		}
		return ""
	})
	s.await(t, mc, api.ConditionJobReady)
}
