package config

import (
	"cmp"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// crd checks the section of the CRDs.
func (p *checker) crd(crd *CRD) {
	if crd == nil {
		return
	}
	set := crd.forCRDs()
	if crd.Dir != "" || p.empty("crd", "dir") || reflect.DeepEqual(*crd, CRD{}) || len(set) > 0 {
		p.path(&crd.Dir, true, "crd", "dir")
	}
	p.path(&crd.HeaderFile, false, "crd", "headerFile")
	p.year(crd.Year, "crd", "year")
	if crd.MaxDescLen != nil && *crd.MaxDescLen < 0 {
		p.list.Add(p.at("crd", "maxDescLen"), rule, "write the number of characters; 0 leaves the descriptions out",
			"crd.maxDescLen is negative")
	}
	for i, version := range crd.CRDVersions {
		if version != "v1" {
			p.list.Add(p.at("crd", "crdVersions", i), rule, "write [v1], or remove it",
				"crd.crdVersions: there is no %q: v1 is the only version of CustomResourceDefinition that API servers since "+
					"Kubernetes 1.22 have", version)
		} else if i > 0 {
			p.list.Add(p.at("crd", "crdVersions", i), rule, "write [v1], or remove it", "crd.crdVersions lists v1 twice")
		}
	}
	if value := crd.DeprecatedV1beta1CompatibilityPreserveUnknownFields; value != nil && *value {
		key := "deprecatedV1beta1CompatibilityPreserveUnknownFields"
		p.list.Add(p.at("crd", key), rule,
			"write +kubebuilder:pruning:PreserveUnknownFields at the fields that hold anything, and false here, or remove it",
			"crd.%s: the API server refuses a CRD of version v1 with spec.preserveUnknownFields", key)
	}
}

// forCRDs returns the keys that are set and have no effect without CRDs.
func (c *CRD) forCRDs() []string {
	var set []string
	value := reflect.ValueOf(*c)
	for field, v := range value.Fields() {
		key := field.Tag.Get("yaml")
		if !v.IsZero() &&
			!slices.Contains([]string{"dir", "allowDangerousTypes", "ignoreUnexportedFields", "generateEmbeddedObjectMeta"},
				key) {
			set = append(set, key)
		}
	}
	return set
}

// year checks a year of a header.
func (p *checker) year(year string, keys ...any) {
	if year != "" && !yearText.MatchString(year) {
		p.list.Add(p.at(keys...), rule, "write, for example: year: 2026", "%s: %q is not a year, nor a range of years",
			dotted(keys), year)
	}
}

// The forms of code-generator's options.
var (
	directoryName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	external      = regexp.MustCompile(`^[^\s:,]+\.[A-Za-z_][A-Za-z0-9_]*:[^\s:,]+$`)
	plural        = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*:[A-Za-z_][A-Za-z0-9_]*$`)
)

// docs checks the section of the reference pages, and fills in the default.
func (p *checker) docs(docs *Docs) {
	if docs == nil {
		return
	}
	p.path(&docs.Dir, true, "docs", "dir")
	docs.Format = cmp.Or(docs.Format, Formats[0])
	if !slices.Contains(Formats, docs.Format) {
		p.list.Add(p.at("docs", "format"), rule, "write one of "+strings.Join(Formats, ", "),
			"docs.format: unknown format %q", docs.Format)
	}
}

// clients checks the section of code-generator's packages.
func (p *checker) clients(c *Clients) {
	if c == nil {
		return
	}
	p.path(&c.Dir, true, "clients", "dir")
	p.path(&c.OneInputAPI, false, "clients", "oneInputApi")
	if c.Version != "" && c.Version != Project {
		p.list.Add(p.at("clients", "version"), rule, "write project, for the version of client-go in go.mod, or remove it",
			"clients.version: unknown value %q", c.Version)
	}
	seen := map[string]string{}
	for _, name := range []struct{ key, value string }{
		{"clientsetName", cmp.Or(c.ClientsetName, defaultNames.ClientsetName)},
		{"applyconfigName", cmp.Or(c.ApplyconfigName, defaultNames.ApplyconfigName)},
		{"listersName", cmp.Or(c.ListersName, defaultNames.ListersName)},
		{"informersName", cmp.Or(c.InformersName, defaultNames.InformersName)},
	} {
		p.directory(name.key, name.value)
		if other := seen[name.value]; other != "" {
			p.list.Add(p.at("clients", name.key), rule, "give each a directory of its own",
				"clients.%s and clients.%s are both %q", other, name.key, name.value)
		}
		seen[name.value] = name.key
	}
	p.directory("versionedName", cmp.Or(c.VersionedName, defaultNames.VersionedName))
	p.forms(c.ApplyconfigExternals, external, "applyconfigExternals",
		"write, for example:\nk8s.io/api/core/v1.PodTemplateSpec:k8s.io/client-go/applyconfigurations/core/v1",
		"TYPE-PACKAGE.TYPE:PACKAGE")
	p.forms(c.PluralExceptions, plural, "pluralExceptions", "write, for example: Endpoints:Endpoints", "TYPE:PLURAL")
}

// directory checks the name of a directory that is a Go package.
func (p *checker) directory(key, name string) {
	if !directoryName.MatchString(name) {
		p.list.Add(p.at("clients", key), rule, "write lower-case letters and digits",
			"clients.%s: %q is not a name for a Go package", key, name)
	}
}

// forms checks a list of values of one form, in which each type is once.
func (p *checker) forms(values []string, form *regexp.Regexp, key, hint, called string) {
	seen := map[string]bool{}
	for i, value := range values {
		name, _, _ := strings.Cut(value, ":")
		switch {
		case !form.MatchString(value):
			p.list.Add(p.at("clients", key, i), rule, hint, "clients.%s: %q is not of the form %s", key, value, called)
		case seen[name]:
			p.list.Add(p.at("clients", key, i), rule, "remove one", "%q is listed twice", name)
		}
		seen[name] = true
	}
}

// defaultNames are those of kube_codegen.sh.
var defaultNames = Clients{
	ClientsetName: "clientset", VersionedName: "versioned", ApplyconfigName: "applyconfiguration",
	ListersName: "listers", InformersName: "informers",
}

// Named returns the section with the default names in place of empty ones.
func (c Clients) Named() Clients {
	c.ClientsetName = cmp.Or(c.ClientsetName, defaultNames.ClientsetName)
	c.VersionedName = cmp.Or(c.VersionedName, defaultNames.VersionedName)
	c.ApplyconfigName = cmp.Or(c.ApplyconfigName, defaultNames.ApplyconfigName)
	c.ListersName = cmp.Or(c.ListersName, defaultNames.ListersName)
	c.InformersName = cmp.Or(c.InformersName, defaultNames.InformersName)
	return c
}

// Applyconfig says whether apply configurations are made.
func (c Clients) Applyconfig() bool { return c.WithApplyconfig == nil || *c.WithApplyconfig }

// Watch says whether listers and informers are made.
func (c Clients) Watch() bool { return c.WithWatch == nil || *c.WithWatch }

// Dirs returns the directories of the packages that are made.
func (c Clients) Dirs() []string {
	c = c.Named()
	dirs := []string{path.Join(c.Dir, c.ClientsetName)}
	if c.Applyconfig() {
		dirs = append(dirs, path.Join(c.Dir, c.ApplyconfigName))
	}
	if c.Watch() {
		dirs = append(dirs, path.Join(c.Dir, c.InformersName), path.Join(c.Dir, c.ListersName))
	}
	return dirs
}
