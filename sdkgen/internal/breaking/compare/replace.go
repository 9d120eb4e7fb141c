package compare

import (
	"cmp"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/server"
)

// replace reports why the API server refuses the new CRD where the old one is installed, unless a rule of its own says
// so: the plural name makes another CRD, and scope and stored versions have rules.
func (c *comparison) replace(old, now *apiextensionsv1.CustomResourceDefinition) {
	if old.Spec.Names.Plural != now.Spec.Names.Plural {
		return
	}
	refused, err := server.Replace(old, now)
	c.err = cmp.Or(c.err, err)
	for _, found := range refused {
		if found.Field != "spec.scope" && !strings.HasPrefix(found.Field, "status.storedVersions") {
			text, _, _ := strings.Cut(found.Error(), "\n")
			c.add("crd-refused", c.root(now), text)
		}
	}
}

// renamed reports that the resource of a kind has another kind now.
func (c *comparison) renamed(old *apiextensionsv1.CustomResourceDefinition) {
	i := slices.IndexFunc(c.after.CRDs, func(now *apiextensionsv1.CustomResourceDefinition) bool {
		return now.Spec.Group == old.Spec.Group && now.Spec.Names.Plural == old.Spec.Names.Plural
	})
	if i >= 0 {
		c.replace(old, c.after.CRDs[i])
	}
}

// unlessStored makes the removal of a version risky that new objects were not stored in.
func unlessStored(version apiextensionsv1.CustomResourceDefinitionVersion) correction {
	return func(c *Change) {
		if !version.Storage {
			c.Effects[Stored].Verdict = Risky
		}
	}
}
