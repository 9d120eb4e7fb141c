// Package config reads sdkgen.yaml: the API packages, the artifacts to generate from
// them and their directories. Every path in it is relative to the project's root, with
// slashes, and stays inside it.
package config

import (
	"cmp"
	"go/token"
	"strings"
)

// File is the name of the configuration in the project's root.
const File = "sdkgen.yaml"

// Config is sdkgen.yaml; sdkgen.schema.json is made from it, and a test holds the two together. A missing section
// disables its outputs; deepcopy code, zz_generated.openapi.go and swagger.json are always generated, beside the API's
// types.
type Config struct {
	// Version is the version of the SDKs, and the only place where it is written.
	Version string `yaml:"version" jsonschema:"required,pattern=^[0-9][0-9A-Za-z.+-]*$"`
	// Header is a file with the comment that starts each generated Go file; none if empty.
	Header string `yaml:"header" jsonschema:"format=path"`
	// Year replaces " YEAR" in the header by a space and itself, as controller-gen's option year does.
	Year string `yaml:"year" jsonschema:"pattern=^([0-9]{4}([-\\, ]+[0-9]{4})*)?$"`
	// APIs are the packages with API types, one for each group and version.
	APIs []API `yaml:"apis" jsonschema:"required,minItems=1"`
	// CRD says where the CustomResourceDefinitions go, and has controller-gen's options for them.
	CRD *CRD `yaml:"crd"`
	// Docs says where the reference pages go.
	Docs *Docs `yaml:"docs"`
	// Samples says where a manifest of each kind goes.
	Samples *Samples `yaml:"samples"`
	// Schemas says where the documents go that other programs validate manifests by.
	Schemas *Schemas `yaml:"schemas"`
	// Rules configures the check of kube-openapi's API rules.
	Rules Rules `yaml:"rules"`
	// Breaking configures the comparison with another version of the API.
	Breaking Breaking `yaml:"breaking"`
	// Swagger configures swagger.json, from which the SDKs are generated.
	Swagger Swagger `yaml:"swagger"`
	// Engine renders the templates of Python and Go: "native" is sdkgen itself, "openapi-generator" the jar
	// of that name, which needs Java. From sdkgen's own templates both make the same files. The
	// default is native.
	Engine string `yaml:"engine" jsonschema:"enum=native,enum=openapi-generator"`
	// Generator is the jar of the engine openapi-generator; the zero value is the pinned one, in
	// the directory of tools.
	Generator Generator `yaml:"generator"`
	// Python is the SDK that openapi-generator calls python-legacy.
	Python *SDK `yaml:"python"`
	// Go is the client that openapi-generator calls go.
	Go *SDK `yaml:"go"`
	// Clients are the packages made by code-generator.
	Clients *Clients `yaml:"clients"`
	// Keep are patterns of files that may be among the generated ones though no stage makes them. A pattern is as
	// in overlay.replace, relative to the project's root.
	Keep []string `yaml:"keep"`

	at func(keys ...any) token.Position
}

// CRDOptions returns the section crd, which is empty if there is none.
func (c *Config) CRDOptions() CRD {
	if c.CRD == nil {
		return CRD{}
	}
	return *c.CRD
}

// Pos returns the position of the value under the keys, strings for sections and numbers for lists, or
// of the nearest existing one above it.
//
// A configuration that was not parsed has no positions.
func (c *Config) Pos(keys ...any) token.Position {
	if c.at == nil {
		return token.Position{}
	}
	return c.at(keys...)
}

// API is one Go package with API types: one of the project's own, by Path, or one of a module
// that the project's go.mod requires, by Package and Dir.
type API struct {
	// Path is the package's directory, such as "api/v1alpha1".
	Path string `yaml:"path" jsonschema:"format=path"`
	// Package is the package's import path, such as "sigs.k8s.io/jobset/api/jobset/v1alpha2".
	// Nothing is written to it, and +groupName is the only marker it needs.
	Package string `yaml:"package"`
	// Dir is the directory that the swagger.json of Package goes to.
	Dir string `yaml:"dir" jsonschema:"format=path"`
	// Group is the name of the package for the API's group in an SDK with several groups, and what
	// "{group}" stands for. The default is the first part of the group: acme for acme.cert-manager.io,
	// certmanager for cert-manager.io.
	Group string `yaml:"group" json:",omitempty"`
	// Kinds are the root kinds that the outputs are generated for; all of the package if empty. A kind's list
	// goes with it.
	Kinds []string `yaml:"kinds" json:",omitempty"`
	// Exclude are the root kinds that no output is generated for but deepcopy code and Go definitions, which
	// the rest of the package needs. It cannot be combined with Kinds.
	Exclude []string `yaml:"exclude" json:",omitempty"`
	// CRD is false for an API that an aggregated API server serves: its kinds have models and clients, but no
	// CRD, and need no list types.
	CRD *bool `yaml:"crd" json:",omitempty"`
}

// OutputDir is the directory of the package's swagger.json.
func (a API) OutputDir() string { return cmp.Or(a.Dir, a.Path) }

// NoCRD says that the kinds of the package are no custom resources.
func (a API) NoCRD() bool { return a.CRD != nil && !*a.CRD }

// CRD says where the CustomResourceDefinitions go, and has every option of controller-gen's generator crd under
// its own name.
type CRD struct {
	// Dir is the directory; a file in it is named GROUP_PLURAL.yaml. Without it no CRDs are written, and the options
	// are only allowDangerousTypes, ignoreUnexportedFields and generateEmbeddedObjectMeta, which also decide what API the
	// SDKs are for.
	Dir string `yaml:"dir" jsonschema:"minLength=1,format=path"`
	// IgnoreUnexportedFields leaves out fields with a lower-case name and a json tag.
	IgnoreUnexportedFields bool `yaml:"ignoreUnexportedFields" json:",omitempty"`
	// AllowDangerousTypes lets float fields pass.
	AllowDangerousTypes bool `yaml:"allowDangerousTypes" json:",omitempty"`
	// MaxDescLen limits the descriptions in the CRDs to that many characters, cut at the end of a sentence where there is
	// one; 0 leaves them out. The SDKs keep theirs.
	MaxDescLen *int `yaml:"maxDescLen" json:",omitempty" jsonschema:"minimum=0"`
	// CRDVersions are the versions of the type CustomResourceDefinition to write; v1 is the only one.
	CRDVersions []string `yaml:"crdVersions" json:",omitempty" jsonschema:"maxItems=1,enum=v1"`
	// GenerateEmbeddedObjectMeta gives embedded ObjectMeta, such as that of a pod template, its properties name,
	// namespace, labels, annotations and finalizers. Without it the API server prunes them.
	GenerateEmbeddedObjectMeta bool `yaml:"generateEmbeddedObjectMeta" json:",omitempty"`
	// HeaderFile is a file with the text above each CRD, in which each line is a comment of YAML.
	HeaderFile string `yaml:"headerFile" json:",omitempty" jsonschema:"format=path"`
	// Year replaces " YEAR" in it by a space and itself.
	Year string `yaml:"year" json:",omitempty" jsonschema:"pattern=^([0-9]{4}([-\\, ]+[0-9]{4})*)?$"`
	// DeprecatedV1beta1CompatibilityPreserveUnknownFields is the value of spec.preserveUnknownFields, which the CRDs lack
	// without it. The API server refuses true for a new CRD.
	DeprecatedV1beta1CompatibilityPreserveUnknownFields *bool `yaml:"deprecatedV1beta1CompatibilityPreserveUnknownFields" json:",omitempty"`
	// OmitToolVersion leaves out the annotation with controller-gen's version.
	OmitToolVersion bool `yaml:"omitToolVersion" json:",omitempty"`
}

// Docs says where the reference pages go.
type Docs struct {
	// Dir is the directory; the page of a kind in it is GROUP/VERSION/KIND.html.
	Dir string `yaml:"dir" jsonschema:"required,minLength=1,format=path"`
	// Format is html for a site that a browser reads as it is, which is the default, or markdown for pages that mkdocs,
	// Docusaurus or Hugo make part of another site.
	Format string `yaml:"format" jsonschema:"enum=html,enum=markdown"`
}

// Formats are the values of Docs.Format; the first is the default.
var Formats = []string{"html", Markdown}

// Markdown is the value of Docs.Format that asks for Markdown.
const Markdown = "markdown"

// Samples says where a manifest of each kind goes.
type Samples struct {
	// Dir is the directory; a file in it is named GROUP_VERSION_KIND.yaml, as kubebuilder names them. Other files in it,
	// and those that were edited, are yours: they are validated, and a kind that one of them has gets no other.
	Dir string `yaml:"dir" jsonschema:"required,minLength=1,format=path"`
}

// Schemas says where the JSON Schemas and the OpenAPI 3 documents of the custom resources go.
type Schemas struct {
	// Dir is the directory. A JSON Schema in it is named GROUP/KIND_VERSION.json, in lower case, as kubeconform looks for
	// it. Every file in it is a generated one.
	Dir string `yaml:"dir" jsonschema:"required,minLength=1,format=path"`
}

// Rules configures the check of API rules.
type Rules struct {
	// Exceptions is the file with the violations that are known and accepted;
	// if empty, every violation is an error.
	Exceptions string `yaml:"exceptions" jsonschema:"format=path"`
}

// Breaking configures `sdkgen breaking`.
type Breaking struct {
	// Exceptions is the file with the changes that are accepted, a line each: RULE VERSION PATH: reason.
	Exceptions string `yaml:"exceptions" jsonschema:"format=path"`
}

// Swagger configures swagger.json.
type Swagger struct {
	// Title is the document's info.title; if empty, the name of the directory above the API package, or, if that is api or
	// apis, of the one above it.
	Title string `yaml:"title"`
	// Names gives a definition's name by Go type, such as
	// "k8s.io/api/batch/v1.JobSpec: V1JobSpec", that replace those that the rules give.
	Names map[string]string `yaml:"names"`
}

// The engines.
const (
	Native           = "native"
	OpenAPIGenerator = "openapi-generator"
)

// Engines are the values of Engine; the first is the default.
var Engines = []string{Native, OpenAPIGenerator}

// Generator is the pinned openapi-generator.
type Generator struct {
	// Jar is the jar's file.
	Jar string `yaml:"jar" jsonschema:"format=path"`
	// SHA256 is the jar's checksum, in hex; it is compared before each run.
	SHA256 string `yaml:"sha256" jsonschema:"pattern=^([0-9a-f]{64})?$"`
	// Java is the directory of a Java runtime that is used where neither JAVA_HOME nor PATH has one.
	Java string `yaml:"java" jsonschema:"format=path"`
}

// SDK is the SDK of one language.
type SDK struct {
	// Dir is the output directory. All API packages go into one SDK, unless "{group}" or "{version}" in
	// it, which stand for the name of the API's group and for its version, splits them into several.
	Dir string `yaml:"dir" jsonschema:"required,minLength=1,format=path"`
	// Package is the package's name in its language; needed unless Config gives it. "{group}" and
	// "{version}" in it are replaced as in Dir; the SDKs that Dir splits need names of their own.
	Package string `yaml:"package"`
	// Config is the JSON file of openapi-generator's options, its -c, which win key by key over those that
	// sdkgen's own templates want; none if empty. The engine native knows those that templates print.
	Config string `yaml:"config" jsonschema:"format=path"`
	// Templates is the directory of mustache templates, openapi-generator's -t; sdkgen's own if empty.
	Templates string `yaml:"templates" jsonschema:"format=path"`
	// Overlay replaces, drops and adds files of the engine's output.
	Overlay Overlay `yaml:"overlay"`
}

// Overlay replaces, drops and adds files of the engine's output.
type Overlay struct {
	// Dir is a directory whose files are copied over the output, unchanged.
	Dir string `yaml:"dir" jsonschema:"format=path"`
	// Replace are patterns of generated files that a file of Dir replaces.
	Replace []string `yaml:"replace"`
	// Drop are patterns of generated files to leave out.
	Drop []string `yaml:"drop"`
}

// Clients are the packages made by code-generator: clientset, listers, informers and applyconfiguration,
// directories below Dir, of the API packages in which a kind has +genclient. Its options have the names of the flags of
// kube_codegen.sh's gen_client.
type Clients struct {
	// Dir is the directory that holds them.
	Dir string `yaml:"dir" jsonschema:"required,minLength=1,format=path"`
	// Version says which code-generator makes them: the one linked into sdkgen if empty, or, if it is "project", that of
	// the version that client-go has in the go.mod of Dir. The latter is compiled first, so it is slower.
	Version string `yaml:"version" json:",omitempty" jsonschema:"enum=project"`
	// OneInputAPI is the directory of an API, or one above those of some: the others get no clients.
	OneInputAPI string `yaml:"oneInputApi" json:",omitempty" jsonschema:"format=path"`
	// ClientsetName is the directory of the clientset; the default is clientset.
	ClientsetName string `yaml:"clientsetName" json:",omitempty" jsonschema:"pattern=^([a-z][a-z0-9_]*)?$"`
	// VersionedName is its directory in there, and the name of its package; the default is versioned.
	VersionedName string `yaml:"versionedName" json:",omitempty" jsonschema:"pattern=^([a-z][a-z0-9_]*)?$"`
	// WithApplyconfig is false to leave out the apply configurations, and with them the clients' method Apply.
	WithApplyconfig *bool `yaml:"withApplyconfig" json:",omitempty"`
	// ApplyconfigName is the directory of the apply configurations; the default is applyconfiguration.
	ApplyconfigName string `yaml:"applyconfigName" json:",omitempty" jsonschema:"pattern=^([a-z][a-z0-9_]*)?$"`
	// ApplyconfigExternals are types of other modules that have apply configurations, as TYPE-PACKAGE.TYPE:PACKAGE.
	ApplyconfigExternals []string `yaml:"applyconfigExternals" json:",omitempty"`
	// WithWatch is false to leave out listers and informers.
	WithWatch *bool `yaml:"withWatch" json:",omitempty"`
	// ListersName is the directory of the listers; the default is listers.
	ListersName string `yaml:"listersName" json:",omitempty" jsonschema:"pattern=^([a-z][a-z0-9_]*)?$"`
	// InformersName is the directory of the informers; the default is informers.
	InformersName string `yaml:"informersName" json:",omitempty" jsonschema:"pattern=^([a-z][a-z0-9_]*)?$"`
	// SingleDirectory leaves out the directory externalversions in that of the informers, as informer-gen's flag does.
	SingleDirectory bool `yaml:"singleDirectory" json:",omitempty"`
	// PluralExceptions are plural names that the rules of English do not give, as TYPE:PLURAL.
	PluralExceptions []string `yaml:"pluralExceptions" json:",omitempty"`
	// PrefersProtobuf has the clientset use protobuf, which the API server has for aggregated APIs only.
	PrefersProtobuf bool `yaml:"prefersProtobuf" json:",omitempty"`
}

// Project is the value of Clients.Version that asks for the project's own code-generator.
const Project = "project"

// GroupName returns the default of API.Group: the first label of a group, without dashes.
func GroupName(group string) string {
	first, _, _ := strings.Cut(group, ".")
	return strings.ReplaceAll(first, "-", "")
}

// Expand replaces "{group}" and "{version}" in the name of a directory or package.
func Expand(text, group, version string) string {
	return strings.NewReplacer("{group}", group, "{version}", version).Replace(text)
}
