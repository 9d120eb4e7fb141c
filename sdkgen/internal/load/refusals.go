package load

import "regexp"

// refusals are what controller-tools says of Go types that it makes no schema or no deepcopy
// function of, in the words of someone who writes API types.
var refusals = []struct {
	said          *regexp.Regexp
	message, hint string
}{
	{
		regexp.MustCompile(`^found float,`),
		"a float field: clients in other languages may read or write another number",
		"take resource.Quantity or a string in its place; to keep it, write in sdkgen.yaml, as for controller-gen:\nallowDangerousTypes: true",
	},
	{
		regexp.MustCompile(`^map keys must be strings or implement encoding\.TextMarshaler, not (.+)$`),
		"a map with keys of type ${1}: JSON has strings only",
		"take keys of type string, or of a type that is a string",
	},
	{
		regexp.MustCompile(`^unsupported type "(.+)"$`),
		"a field of type ${1} has no JSON",
		"take a string in its place, or leave it out of the JSON: `json:\"-\"`",
	},
	{
		regexp.MustCompile(`^unsupported AST kind \*ast\.(Func|Chan)Type$`),
		"a function or a channel has no JSON",
		"leave the field out of the API, or out of its JSON: `json:\"-\"`",
	},
	{
		regexp.MustCompile(`^unsupported AST kind \*ast\.Index(List)?Expr$`),
		"a generic type: controller-gen makes no schema of it",
		"write the type out, without type parameters",
	},
	{
		regexp.MustCompile(`interface type is not supported in CRD schemas`),
		"a field of an interface type: what it may hold is not known",
		"take apiextensionsv1.JSON for any JSON, runtime.RawExtension for any object, or a struct",
	},
	{
		regexp.MustCompile(`^inline struct types are not supported`),
		"a struct without a name: controller-gen makes no schema of it",
		"declare it as a type",
	},
	{
		regexp.MustCompile(`^encountered struct field "" without JSON tag in type "(.+)"$`),
		"an embedded field of ${1} has no json tag",
		"write `json:\",inline\"`",
	},
	{
		regexp.MustCompile(`^encountered struct field "(.+)" without JSON tag in type "(.+)"$`),
		"the field ${1} of ${2} has no json tag",
		"write its name in JSON, as in `json:\"length\"`, or `json:\"-\"` to leave it out",
	},
	{
		regexp.MustCompile(`^invalid field type: (\[\d+\].+)$`),
		"an array of fixed length, ${1}: controller-gen makes no deepcopy function of it",
		"take a slice, and +kubebuilder:validation:MinItems and MaxItems for its length",
	},
}
