package lint

// A target is what a marker may stand at; several may be combined.
type target uint8

const (
	onPackage target = 1 << iota
	onType
	onField
	onValue // constants, variables and functions
)

const anywhere = onPackage | onType | onField | onValue

// A reader is a tool, or several that find markers in the same comments.
type reader int

const (
	controllerGen reader = iota
	openapiGen           // sees the doc comment only, of a package that of doc.go
	codeGen              // code-generator's: of a type also the comment above the doc comment
	validationGen
	protobufGen
	otherTool
	readers // how many there are
)

func (r reader) String() string {
	return [...]string{"controller-gen", "openapi-gen", "code-generator", "validation-gen", "go-to-protobuf",
		"another tool"}[r]
}

// readBy lists markers that a reader knows at certain targets. Those of controller-gen come
// from its registry.
type readBy struct {
	reader reader
	on     target
	names  []string
}

var tables = []readBy{
	{openapiGen, onField, []string{"optional", "required", "unionDeprecated", "unionDiscriminator", "patchStrategy",
		"patchMergeKey"}},
	{openapiGen, onField | onType, []string{"default", "listType", "listMapKey", "mapType", "structType", "validations",
		"k8s:openapi-gen"}},
	{openapiGen, onType, []string{"enum", "union"}},
	{openapiGen, onPackage, []string{"k8s:openapi-gen"}},
	{openapiGen, onPackage | onType, []string{"k8s:openapi-model-package"}},

	{codeGen, onType, []string{
		"genclient", "genclient:nonNamespaced", "genclient:noVerbs", "genclient:onlyVerbs", "genclient:skipVerbs",
		"genclient:noStatus", "genclient:readonly", "genclient:method", "resourceName",
		"k8s:prerelease-lifecycle-gen:introduced", "k8s:prerelease-lifecycle-gen:deprecated",
		"k8s:prerelease-lifecycle-gen:removed", "k8s:prerelease-lifecycle-gen:replacement",
		"k8s:deepcopy-gen:nonpointer-interfaces", "k8s:conversion-gen:explicit-from",
	}},
	{codeGen, onPackage, []string{
		"groupName", "groupGoName", "k8s:register-gen", "k8s:client-gen", "k8s:applyconfiguration-gen", "k8s:informer-gen",
		"k8s:lister-gen", "k8s:conversion-gen-external-types", "k8s:defaulter-gen-input", "k8s:protobuf-gen",
	}},
	{codeGen, onPackage | onType, []string{"k8s:prerelease-lifecycle-gen"}},
	{codeGen, onPackage | onType | onField, []string{"k8s:defaulter-gen", "k8s:conversion-gen"}},
	{codeGen, onField | onValue, []string{"k8s:conversion-fn"}},

	{validationGen, onPackage, []string{
		"k8s:validation-gen-input", "k8s:validation-gen-scheme-registry", "k8s:validation-gen-test-fixture",
		"k8s:validation-gen-test-targets",
	}},
	{validationGen, onPackage | onType | onField, []string{"k8s:validation-gen", "k8s:validation-gen-nolint"}},
	{validationGen, onType | onField, []string{
		"k8s:alpha", "k8s:beta", "k8s:customUnique", "k8s:customValidation", "k8s:dependentForbidden",
		"k8s:dependentRequired",
		"k8s:eachKey", "k8s:eachVal", "k8s:forbidden", "k8s:format", "k8s:ifDisabled", "k8s:ifEnabled", "k8s:ifMode",
		"k8s:immutable", "k8s:isSubresource", "k8s:item", "k8s:listMapKey", "k8s:listType", "k8s:maxBytes", "k8s:maxItems",
		"k8s:maxLength", "k8s:maxProperties", "k8s:maximum", "k8s:minItems", "k8s:minLength", "k8s:minProperties",
		"k8s:minimum", "k8s:modeDiscriminator", "k8s:monotonic", "k8s:neq", "k8s:opaqueType", "k8s:optional", "k8s:required",
		"k8s:subfield", "k8s:supportsSubresource", "k8s:unionDiscriminator", "k8s:unionMember", "k8s:unique", "k8s:update",
		"k8s:validateError", "k8s:validateFalse", "k8s:validateTrue", "k8s:validateTrueAlpha", "k8s:validateTrueBeta",
		"k8s:zeroOrOneOfMember",
	}},
	{validationGen, onType, []string{"k8s:enum"}},
	{validationGen, onValue, []string{"k8s:enumExclude", "k8s:alpha", "k8s:beta", "k8s:ifEnabled", "k8s:ifDisabled"}},

	{protobufGen, onType, []string{"protobuf", "protobuf.nullable", "protobuf.as", "protobuf.embed"}},

	// Nothing reads k8s:deprecated; it keeps the place of a field that was removed.
	{otherTool, anywhere, []string{"build", "k8s:deprecated", "enum:exclude"}},
}

// families are the beginnings of names of which there is no list, and who reads them where.
var families = []readBy{
	{otherTool, anywhere, []string{"kubebuilder:scaffold:", "kubebuilder:docs-gen:", "controllertools:marker:"}},
	{protobufGen, onType, []string{"protobuf.options."}},
}

// namespaces are the beginnings of names that only the known tools use.
var namespaces = []string{"kubebuilder:", "k8s:", "genclient:"}

// instead holds names that are written for a marker that is spelled in quite another way. Keys
// are in lower case.
var instead = map[string]string{
	"omitempty": "optional", "omitzero": "optional",
	"kubebuilder:optional": "optional", "kubebuilder:required": "required",
	"minimum": "kubebuilder:validation:Minimum", "maximum": "kubebuilder:validation:Maximum",
	"minlength": "kubebuilder:validation:MinLength", "maxlength": "kubebuilder:validation:MaxLength",
	"minitems": "kubebuilder:validation:MinItems", "maxitems": "kubebuilder:validation:MaxItems",
	"pattern": "kubebuilder:validation:Pattern", "xvalidation": "kubebuilder:validation:XValidation",
	"printcolumn": "kubebuilder:printcolumn", "storageversion": "kubebuilder:storageversion",
	"kubebuilder:validation:immutable":             "k8s:immutable",
	"kubebuilder:validation:preserveunknownfields": "kubebuilder:pruning:PreserveUnknownFields",
	"kubebuilder:preserveunknownfields":            "kubebuilder:pruning:PreserveUnknownFields",
}

// repeatable are the markers of types and fields that may stand there more than once.
var repeatable = map[string]bool{
	"listMapKey": true, "k8s:listMapKey": true,
	"kubebuilder:validation:XValidation": true, "kubebuilder:validation:items:XValidation": true,
	"kubebuilder:validation:AtMostOneOf": true, "kubebuilder:validation:ExactlyOneOf": true,
	"kubebuilder:validation:AtLeastOneOf": true,
	"kubebuilder:printcolumn":             true, "kubebuilder:selectablefield": true, "kubebuilder:metadata": true,
	"genclient:method": true, "k8s:openapi-gen": true, "k8s:deepcopy-gen:interfaces": true,
	"k8s:conversion-gen:explicit-from": true,
	"k8s:conversion-gen":               true, "k8s:conversion-fn": true, "k8s:defaulter-gen": true,
}

// allowed are the values that a marker, or an argument of one, may have where its parser takes
// any text.
var allowed = map[string][]string{
	"listType": {"atomic", "set", "map"}, "k8s:listType": {"atomic", "set", "map"},
	"mapType": {"atomic", "granular"}, "structType": {"atomic", "granular"},
	"patchStrategy":                {"merge", "retainKeys", "replace", "merge,retainKeys"},
	"k8s:deepcopy-gen":             {"package", "true", "false", "package,register"},
	"enum":                         {"", "true", "false"},
	"genclient":                    {""},
	"kubebuilder:validation:Type":  {"string", "integer", "number", "boolean", "array", "object"},
	"kubebuilder:resource:scope":   {"Namespaced", "Cluster"},
	"kubebuilder:printcolumn:type": {"string", "integer", "number", "boolean", "date"},
}
