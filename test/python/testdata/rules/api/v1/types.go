// Copyright The Flux Operator Authors.
// SPDX-License-Identifier: Apache-2.0

package v1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Rule has a field for each rule.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster
type Rule struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec RuleSpec `json:"spec,omitzero"`
}

// RuleList is a list of them.
// +kubebuilder:object:root=true
type RuleList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Rule `json:"items"`
}

// RuleSpec has a part for each kind of rule.
type RuleSpec struct {
	Numbers *Numbers `json:"numbers,omitempty"`
	Strings *Strings `json:"strings,omitempty"`
	Lists   *Lists   `json:"lists,omitempty"`
	Maps    *Maps    `json:"maps,omitempty"`
	Nulls   *Nulls   `json:"nulls,omitempty"`
	Values  *Values  `json:"values,omitempty"`
	Names   *Names   `json:"names,omitempty"`
	Range   *Range   `json:"range,omitempty"`
	Object  *Object  `json:"object,omitempty"`
}

// Numbers are bounded.
type Numbers struct {
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9
	Closed *int32 `json:"closed,omitempty"`

	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:ExclusiveMinimum=true
	// +kubebuilder:validation:Maximum=10
	// +kubebuilder:validation:ExclusiveMaximum=true
	Open *int64 `json:"open,omitempty"`

	// +kubebuilder:validation:MultipleOf=5
	Multiple *int64 `json:"multiple,omitempty"`

	// +kubebuilder:validation:Enum=1;2;4
	// +kubebuilder:default=2
	Enum int32 `json:"enum,omitempty"`

	Plain32 *int32 `json:"plain32,omitempty"`
	Plain64 *int64 `json:"plain64,omitempty"`
}

// Color is an enum.
// +kubebuilder:validation:Enum=red;green;light-blue
type Color string

// Strings have lengths, patterns and enums.
type Strings struct {
	// +kubebuilder:default=red
	Color Color `json:"color,omitempty"`

	// +listType=atomic
	Colors []Color `json:"colors,omitempty"`

	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=4
	Length *string `json:"length,omitempty"`

	// +kubebuilder:validation:Pattern=`^[a-z]+$`
	Anchored *string `json:"anchored,omitempty"`

	// +kubebuilder:validation:Pattern=`b`
	Found *string `json:"found,omitempty"`

	// +kubebuilder:validation:Pattern=`^\d+$`
	Digits *string `json:"digits,omitempty"`

	// +kubebuilder:validation:Pattern=`^\w+\s\w+$`
	Words *string `json:"words,omitempty"`

	// +kubebuilder:validation:Pattern=`^\pL+$`
	Letters *string `json:"letters,omitempty"`

	// +kubebuilder:validation:Pattern=`^\p{Greek}+$`
	Greek *string `json:"greek,omitempty"`

	// +kubebuilder:validation:Pattern=`^(?i)abc$`
	Fold *string `json:"fold,omitempty"`

	// +kubebuilder:validation:Pattern=`^[[:alpha:]]+\z`
	Class *string `json:"class,omitempty"`

	// +kubebuilder:validation:Pattern=`^.$`
	Any *string `json:"any,omitempty"`
}

// Pair is a member of a list map.
type Pair struct {
	Name  string `json:"name"`
	Port  int32  `json:"port"`
	Value string `json:"value,omitempty"`
}

// Lists have a number of members, and kinds.
type Lists struct {
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=3
	// +listType=atomic
	Count []int32 `json:"count,omitempty"`

	// +listType=set
	Set []string `json:"set,omitempty"`

	// +listType=map
	// +listMapKey=name
	// +listMapKey=port
	Map []Pair `json:"map,omitempty"`

	// +kubebuilder:validation:items:MaxLength=3
	// +listType=atomic
	Short []string `json:"short,omitempty"`
}

// Maps have a number of entries.
type Maps struct {
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=2
	Count map[string]string `json:"count,omitempty"`

	Objects map[string]Pair `json:"objects,omitempty"`
}

// Nulls may be null, or not.
type Nulls struct {
	// +nullable
	Scalar *string `json:"scalar"`

	// +nullable
	Object *Pair `json:"object,omitempty"`

	Never *string `json:"never,omitempty"`
}

// Values have forms of their own.
type Values struct {
	Port      *intstr.IntOrString   `json:"port,omitempty"`
	Quantity  *resource.Quantity    `json:"quantity,omitempty"`
	Resources corev1.ResourceList   `json:"resources,omitempty"`
	Time      *metav1.Time          `json:"time,omitempty"`
	Micro     *metav1.MicroTime     `json:"micro,omitempty"`
	Duration  *metav1.Duration      `json:"duration,omitempty"`
	Flag      *bool                 `json:"flag,omitempty"`
	Bytes     []byte                `json:"bytes,omitempty"`
	Raw       *runtime.RawExtension `json:"raw,omitempty"`

	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:XEmbeddedResource
	Embedded *runtime.RawExtension `json:"embedded,omitempty"`
}

// Names are those of Python: keywords, builtins, and methods of a model.
type Names struct {
	// +listType=atomic
	Items []string `json:"items,omitempty"`
	// +listType=atomic
	Keys []string `json:"keys,omitempty"`
	// +listType=atomic
	List []string `json:"list,omitempty"`

	Values map[string]string `json:"values,omitempty"`
	Dict   map[string]string `json:"dict,omitempty"`
	Int    *int32            `json:"int,omitempty"`
	Bool   *bool             `json:"bool,omitempty"`

	Get      string `json:"get,omitempty"`
	Update   string `json:"update,omitempty"`
	Str      string `json:"str,omitempty"`
	Class    string `json:"class,omitempty"`
	Self     string `json:"self,omitempty"`
	Cls      string `json:"cls,omitempty"`
	None     string `json:"none,omitempty"`
	True     string `json:"true,omitempty"`
	Field    string `json:"field,omitempty"`
	Super    string `json:"super,omitempty"`
	Type     string `json:"type,omitempty"`
	Default  string `json:"default,omitempty"`
	Validate string `json:"validate,omitempty"`
	ToDict   string `json:"toDict,omitempty"`
	ToYaml   string `json:"toYaml,omitempty"`
	FromYaml string `json:"fromYaml,omitempty"`
}

// Range has a rule in CEL.
// +kubebuilder:validation:XValidation:rule="self.low <= self.high",message="low is above high"
type Range struct {
	Low  int32 `json:"low"`
	High int32 `json:"high"`
}

// Object has a rule on the number of its own fields.
// +kubebuilder:validation:MinProperties=1
// +kubebuilder:validation:MaxProperties=1
type Object struct {
	A string `json:"a,omitempty"`
	B string `json:"b,omitempty"`
}
