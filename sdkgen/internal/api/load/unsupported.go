package load

import "regexp"

// unsupported maps errors of controller-tools about Go types that it generates no schema or no
// deepcopy function for to a message and what to write.
var unsupported = []struct {
	said          *regexp.Regexp
	message, hint string
}{
	{
		regexp.MustCompile(`^found float,`),
		"float field: clients in other languages may round the number",
		"use resource.Quantity or a string; to keep the float, write under crd in sdkgen.yaml, as for " +
			"controller-gen:\nallowDangerousTypes: true",
	},
	{
		regexp.MustCompile(`^map keys must be strings or implement encoding\.TextMarshaler, not (.+)$`),
		"map keys of type ${1}: JSON keys are strings",
		"use keys of type string, or of a type whose underlying type is string",
	},
	{
		regexp.MustCompile(`^unsupported type "(.+)"$`),
		"type ${1} has no JSON encoding",
		"use a string, or exclude the field: `json:\"-\"`",
	},
	{
		regexp.MustCompile(`^unsupported AST kind \*ast\.(Func|Chan)Type$`),
		"functions and channels have no JSON encoding",
		"remove the field, or exclude it: `json:\"-\"`",
	},
	{
		regexp.MustCompile(`^unsupported AST kind \*ast\.Index(List)?Expr$`),
		"generic type: controller-gen generates no schema for it",
		"declare a type without type parameters",
	},
	{
		regexp.MustCompile(`interface type is not supported in CRD schemas`),
		"interface type: its schema is unknown",
		"use apiextensionsv1.JSON for any JSON, runtime.RawExtension for any object, or a struct",
	},
	{
		regexp.MustCompile(`^inline struct types are not supported`),
		"anonymous struct: controller-gen generates no schema for it",
		"declare a named type",
	},
	{
		regexp.MustCompile(`^encountered struct field "" without JSON tag in type "(.+)"$`),
		"embedded field of ${1} has no json tag",
		"write `json:\",inline\"`",
	},
	{
		regexp.MustCompile(`^encountered struct field "(.+)" without JSON tag in type "(.+)"$`),
		"field ${1} of ${2} has no json tag",
		"write its JSON name, such as `json:\"length\"`, or `json:\"-\"` to exclude it",
	},
	{
		regexp.MustCompile(`^invalid field type: (\[\d+\].+)$`),
		"fixed-length array ${1}: controller-gen generates no deepcopy function for it",
		"use a slice with +kubebuilder:validation:MinItems and MaxItems",
	},
}
