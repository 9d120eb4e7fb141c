package v1

// Part is where the nasty things are.
// Quotes: " ' """ ''' ` ``` and a closing """) + __import__("os").system("touch pwned") + ("""
// Comments: */ /* // # <!-- --> ]]>
// Templates: {{name}} {{/models}} {{{classname}}} {{=<% %>=}} <%name%> {% x %} ${HOME} $(touch pwned) #{x}
// Formats: %s %d %% %(x)s {0} {x!r} \N{BULLET} \x00 \u2028 \" \
// Unicode: ü é 日本 😀     ‮ ‬ ​  
// Controls:     [31m
// """
// '''
// */
// func init() { panic("pwned") }
// import os; os.system("touch pwned")
// ends with a backslash \
type Part struct {
	// text0 has a nasty comment, too.
	// Quotes: " ' """ ''' ` ``` and a closing """) + __import__("os").system("touch pwned") + ("""
	// Comments: */ /* // # <!-- --> ]]>
	// Templates: {{name}} {{/models}} {{{classname}}} {{=<% %>=}} <%name%> {% x %} ${HOME} $(touch pwned) #{x}
	// Formats: %s %d %% %(x)s {0} {x!r} \N{BULLET} \x00 \u2028 \" \
	// Unicode: ü é 日本 😀     ‮ ‬ ​  
	// Controls:     [31m
	// """
	// '''
	// */
	// func init() { panic("pwned") }
	// import os; os.system("touch pwned")
	// ends with a backslash \
	// +default="'); import os; os.system(\"touch pwned\") #"
	// +optional
	Text0 string `json:"text0,omitempty"`
	// text1 has a nasty default.
	// +default="\"); import os; os.system('touch pwned') #"
	// +optional
	Text1 string `json:"text1,omitempty"`
	// text2 has a nasty default.
	// +default="\"\"\" + __import__(\"os\").system(\"touch pwned\") + \"\"\""
	// +optional
	Text2 string `json:"text2,omitempty"`
	// text3 has a nasty default.
	// +default="''' + __import__('os').system('touch pwned') + '''"
	// +optional
	Text3 string `json:"text3,omitempty"`
	// text4 has a nasty default.
	// +default="\\"
	// +optional
	Text4 string `json:"text4,omitempty"`
	// text5 has a nasty default.
	// +default="\\\\'"
	// +optional
	Text5 string `json:"text5,omitempty"`
	// text6 has a nasty default.
	// +default="a\nb\r\nc\td"
	// +optional
	Text6 string `json:"text6,omitempty"`
	// text7 has a nasty default.
	// +default="\u0000\u0001\u001b[31m"
	// +optional
	Text7 string `json:"text7,omitempty"`
	// text8 has a nasty default.
	// +default="\u2028\u2029\u202e\u00a0"
	// +optional
	Text8 string `json:"text8,omitempty"`
	// text9 has a nasty default.
	// +default="`+panic(0)+`"
	// +optional
	Text9 string `json:"text9,omitempty"`
	// text10 has a nasty default.
	// +default="*/ panic(0) /*"
	// +optional
	Text10 string `json:"text10,omitempty"`
	// text11 has a nasty default.
	// +default="{{name}} {{/models}} {{{x}}} ${HOME} $(touch pwned) %s %d {0}"
	// +optional
	Text11 string `json:"text11,omitempty"`
	// text12 has a nasty default.
	// +default="\ud83d\ude00 \u00fc"
	// +optional
	Text12 string `json:"text12,omitempty"`
	// text13 has a nasty default.
	// +default="<script>&amp;</script>"
	// +optional
	Text13 string `json:"text13,omitempty"`
	// text14 has a nasty default.
	// +default=""
	// +optional
	Text14 string `json:"text14,omitempty"`
	// list has nasty defaults.
	// +default=["'); import os; os.system(\"touch pwned\") #", "\"); import os; os.system('touch pwned') #", "\"\"\" + __import__(\"os\").system(\"touch pwned\") + \"\"\"", "''' + __import__('os').system('touch pwned') + '''"]
	// +listType=atomic
	// +optional
	List []string `json:"list,omitempty"`
	// map has nasty defaults, keys and values.
	// +default={"'); import os; os.system(\"touch pwned\") #": "'); import os; os.system(\"touch pwned\") #", "\"); import os; os.system('touch pwned') #": "\"); import os; os.system('touch pwned') #", "\"\"\" + __import__(\"os\").system(\"touch pwned\") + \"\"\"": "\"\"\" + __import__(\"os\").system(\"touch pwned\") + \"\"\"", "''' + __import__('os').system('touch pwned') + '''": "''' + __import__('os').system('touch pwned') + '''"}
	// +optional
	Map map[string]string `json:"map,omitempty"`
	// choice is one of nasty values.
	// +kubebuilder:validation:Enum="it's";"say \"hi\"";"\\";"{{x}}";"*/";"`";"a\nb";"%s";""
	// +optional
	Choice string `json:"choice,omitempty"`
	// pattern is nasty.
	// +kubebuilder:validation:Pattern=`^["'\\{}*/ \x60$]*$`
	// +optional
	Pattern string `json:"pattern,omitempty"`
	// rule is nasty.
	// +kubebuilder:validation:XValidation:rule="self != '\"\"\" */ {{x}}'",message="it's \"\"\" */ {{x}} ${y}"
	// +optional
	Rule string `json:"rule,omitempty"`
	// Words of Python, Go and the templates.
	Words Words `json:"words"`
	// +optional
	OfError *Error `json:"ofError,omitempty"`
	// +optional
	OfString *String `json:"ofString,omitempty"`
	// +optional
	OfObject *Object `json:"ofObject,omitempty"`
	// +optional
	OfModel *Model `json:"ofModel,omitempty"`
	// +optional
	OfV1Part *V1Part `json:"ofV1Part,omitempty"`
	// +optional
	OfType *Type `json:"ofType,omitempty"`
	// +optional
	OfInt *Int `json:"ofInt,omitempty"`
	// +optional
	OfStr *Str `json:"ofStr,omitempty"`
	// +optional
	OfInterface *Interface `json:"ofInterface,omitempty"`
}

// Words are names that mean something elsewhere.
type Words struct {
	// class
	// +optional
	Field0 string `json:"class,omitempty"`
	// from
	// +optional
	Field1 string `json:"from,omitempty"`
	// import
	// +optional
	Field2 string `json:"import,omitempty"`
	// None
	// +optional
	Field3 string `json:"None,omitempty"`
	// True
	// +optional
	Field4 string `json:"True,omitempty"`
	// self
	// +optional
	Field5 string `json:"self,omitempty"`
	// cls
	// +optional
	Field6 string `json:"cls,omitempty"`
	// def
	// +optional
	Field7 string `json:"def,omitempty"`
	// lambda
	// +optional
	Field8 string `json:"lambda,omitempty"`
	// async
	// +optional
	Field9 string `json:"async,omitempty"`
	// await
	// +optional
	Field10 string `json:"await,omitempty"`
	// print
	// +optional
	Field11 string `json:"print,omitempty"`
	// List
	// +optional
	Field12 string `json:"List,omitempty"`
	// dict
	// +optional
	Field13 string `json:"dict,omitempty"`
	// str
	// +optional
	Field14 string `json:"str,omitempty"`
	// int
	// +optional
	Field15 string `json:"int,omitempty"`
	// object
	// +optional
	Field16 string `json:"object,omitempty"`
	// type
	// +optional
	Field17 string `json:"type,omitempty"`
	// Optional
	// +optional
	Field18 string `json:"Optional,omitempty"`
	// datetime
	// +optional
	Field19 string `json:"datetime,omitempty"`
	// property
	// +optional
	Field20 string `json:"property,omitempty"`
	// func
	// +optional
	Field21 string `json:"func,omitempty"`
	// package
	// +optional
	Field22 string `json:"package,omitempty"`
	// range
	// +optional
	Field23 string `json:"range,omitempty"`
	// chan
	// +optional
	Field24 string `json:"chan,omitempty"`
	// map
	// +optional
	Field25 string `json:"map,omitempty"`
	// interface
	// +optional
	Field26 string `json:"interface,omitempty"`
	// error
	// +optional
	Field27 string `json:"error,omitempty"`
	// nil
	// +optional
	Field28 string `json:"nil,omitempty"`
	// make
	// +optional
	Field29 string `json:"make,omitempty"`
	// len
	// +optional
	Field30 string `json:"len,omitempty"`
	// main
	// +optional
	Field31 string `json:"main,omitempty"`
	// items
	// +optional
	Field32 string `json:"items,omitempty"`
	// keys
	// +optional
	Field33 string `json:"keys,omitempty"`
	// get
	// +optional
	Field34 string `json:"get,omitempty"`
	// values
	// +optional
	Field35 string `json:"values,omitempty"`
	// update
	// +optional
	Field36 string `json:"update,omitempty"`
	// to_dict
	// +optional
	Field37 string `json:"to_dict,omitempty"`
	// openapiTypes
	// +optional
	Field38 string `json:"openapiTypes,omitempty"`
	// attributeMap
	// +optional
	Field39 string `json:"attributeMap,omitempty"`
	// discriminator
	// +optional
	Field40 string `json:"discriminator,omitempty"`
	// __init__
	// +optional
	Field41 string `json:"__init__,omitempty"`
	// __slots__
	// +optional
	Field42 string `json:"__slots__,omitempty"`
	// __getattr__
	// +optional
	Field43 string `json:"__getattr__,omitempty"`
	// __eval__
	// +optional
	Field44 string `json:"__eval__,omitempty"`
	// $ref
	// +optional
	Field45 string `json:"$ref,omitempty"`
	// $schema
	// +optional
	Field46 string `json:"$schema,omitempty"`
	// a-b
	// +optional
	Field47 string `json:"a-b,omitempty"`
	// c.d
	// +optional
	Field48 string `json:"c.d,omitempty"`
	// e/f
	// +optional
	Field49 string `json:"e/f,omitempty"`
	// g h
	// +optional
	Field50 string `json:"g h,omitempty"`
	// i:j
	// +optional
	Field51 string `json:"i:j,omitempty"`
	// @tag
	// +optional
	Field52 string `json:"@tag,omitempty"`
	// x{{y}}
	// +optional
	Field53 string `json:"x{{y}},omitempty"`
	// %s
	// +optional
	Field54 string `json:"%s,omitempty"`
	// k;l
	// +optional
	Field55 string `json:"k;l,omitempty"`
	// m#n
	// +optional
	Field56 string `json:"m#n,omitempty"`
	// 1st
	// +optional
	Field57 string `json:"1st,omitempty"`
	// été
	// +optional
	Field58 string `json:"été,omitempty"`
	// MarshalJSON
	// +optional
	Field59 string `json:"MarshalJSON,omitempty"`
	// String
	// +optional
	Field60 string `json:"String,omitempty"`
	// GetName
	// +optional
	Field61 string `json:"GetName,omitempty"`
	// model
	// +optional
	Field62 string `json:"model,omitempty"`
	// models
	// +optional
	Field63 string `json:"models,omitempty"`
	// description
	// +optional
	Field64 string `json:"description,omitempty"`
}

// Error is a type with a name of another's.
type Error struct {
	// +optional
	Name string `json:"name,omitempty"`
}

// String is a type with a name of another's.
type String struct {
	// +optional
	Name string `json:"name,omitempty"`
}

// Object is a type with a name of another's.
type Object struct {
	// +optional
	Name string `json:"name,omitempty"`
}

// Model is a type with a name of another's.
type Model struct {
	// +optional
	Name string `json:"name,omitempty"`
}

// V1Part is a type with a name of another's.
type V1Part struct {
	// +optional
	Name string `json:"name,omitempty"`
}

// Type is a type with a name of another's.
type Type struct {
	// +optional
	Name string `json:"name,omitempty"`
}

// Int is a type with a name of another's.
type Int struct {
	// +optional
	Name string `json:"name,omitempty"`
}

// Str is a type with a name of another's.
type Str struct {
	// +optional
	Name string `json:"name,omitempty"`
}

// Interface is a type with a name of another's.
type Interface struct {
	// +optional
	Name string `json:"name,omitempty"`
}
