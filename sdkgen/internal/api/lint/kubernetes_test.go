package lint_test

import (
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/lint"
)

// explained are the diagnostics in Kubernetes' own API packages: errors of theirs, and what only a
// CRD cannot have.
var explained = []struct{ file, message, why string }{
	{"api/admissionregistration/v1beta1/types.go", "+listType at field SideEffects, which is not a list",
		"it is a pointer to a string"},
	{"api/core/v1/types.go", "+kubebuilder:validation:Required contradicts +optional",
		"PortStatus.Error has both; the API is that of +optional"},
	{"api/networking/v1/types.go", "+kubebuilder:validation:Required contradicts +optional", "the same"},
	{"api/networking/v1beta1/types.go", "+kubebuilder:validation:Required contradicts +optional", "the same"},
	{"api/extensions/v1beta1/types.go", "+kubebuilder:validation:Required contradicts +optional", "the same"},
	{"api/core/v1/types.go", "the constant of +default=ref(AzureDataDiskCachingReadWrite)", "core/v1 has no CRD"},
	{"api/core/v1/types.go", "the constant of +default=ref(AzureSharedBlobDisk)", "core/v1 has no CRD"},
	{"pkg/apis/testapigroup/types.go", "+listType=map without +listMapKey", "it has +listKey, which no tool knows"},
}

// TestKubernetes checks all of k8s.io/api, some 60 packages with thousands of markers: apart from
// what is explained, and what their CRDs would not have, there is nothing to find.
func TestKubernetes(t *testing.T) {
	pkgs := loadPackages(t, repository, "k8s.io/api/...", "k8s.io/apimachinery/pkg/apis/...",
		"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/...")
	var dirs []string
	for _, pkg := range pkgs {
		dirs = append(dirs, pkg.PkgPath)
	}
	used := map[int]bool{}
diagnostics:
	for _, d := range lint.CheckPackages(dirs, pkgs) {
		if strings.HasPrefix(d.Message, "controller-gen does not read") {
			continue // they have no CRDs
		}
		for i, known := range explained {
			if strings.HasSuffix(d.Pos.Filename, known.file) && strings.Contains(d.Message, known.message) {
				used[i] = true
				continue diagnostics
			}
		}
		t.Error(d)
	}
	for i, known := range explained {
		if !used[i] {
			t.Errorf("there is no diagnostic %q in %s any more", known.message, known.file)
		}
	}
	if len(pkgs) < 50 {
		t.Errorf("only %d packages were checked", len(pkgs))
	}
}
