package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// RuleType is what a rule copies.
//
// +enum
// +kubebuilder:validation:Enum=configmap;secret
type RuleType string

const (
	// RuleTypeConfigMap copies ConfigMaps.
	RuleTypeConfigMap RuleType = "configmap"
	// RuleTypeSecret copies Secrets.
	RuleTypeSecret RuleType = "secret"
)

// Namespace is the name of a namespace.
//
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
type Namespace string

// LabelValue is the value of a label.
//
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:Pattern=`^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$`
type LabelValue string

// The types of the conditions in the status of a rule.
const (
	// ConditionReady is true once every copy that the rule asks for is there and as it should be.
	ConditionReady = "Ready"
	// ConditionConflict is true while copies are not made because their place is taken: by an
	// object that is none of the operator's, or by the copy of another object of that name.
	ConditionConflict = "Conflict"
	// ConditionRefused is true while the rule asks for a copy that the operator never makes: of an
	// object with a special meaning, such as a bootstrap token, from a namespace that is not
	// among its source namespaces, or to a reserved namespace that the rule does not name.
	ConditionRefused = "Refused"
)

// CopyratorRule says which ConfigMaps or Secrets are copied, and to which namespaces. A copy
// has the name, the labels, the data and the type of its source, and follows it: it is written
// again when the source changes or somebody edits the copy, and goes when the source, the rule
// or the match goes.
//
// +genclient
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,path=copyrators,singular=copyrator,shortName=copyr
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Type",type=string,JSONPath=`.ruleType`,description="What is copied"
// +kubebuilder:printcolumn:name="Sources",type=integer,JSONPath=`.status.sources`,description="Objects that match"
// +kubebuilder:printcolumn:name="Copies",type=integer,JSONPath=`.status.copies`,description="Copies that are there and as they should be"
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`,description="Whether all copies are there"
// +kubebuilder:printcolumn:name="Conflict",type=string,JSONPath=`.status.conditions[?(@.type=="Conflict")].status`,description="Whether the place of a copy is taken"
// +kubebuilder:printcolumn:name="Refused",type=string,JSONPath=`.status.conditions[?(@.type=="Refused")].status`,description="Whether the rule asks for what is never copied",priority=1
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].message`,description="What is missing",priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type CopyratorRule struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the object's standard metadata. Only rules in the operator's own namespace
	// count.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty,omitzero"`

	// ruleType is what is copied: configmap or secret.
	// +required
	RuleType RuleType `json:"ruleType"`

	// namespaces are those whose objects are copied. One that does not exist has none.
	// Others than the rule's own must be among the operator's source namespaces.
	// Defaults to the rule's own namespace.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	Namespaces []Namespace `json:"namespaces,omitempty"`

	// selector is the labels that an object must have to be copied, all of them; there is at
	// least one, so that no rule copies everything. A copy is never copied again.
	// +required
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=16
	// +kubebuilder:example={"copyrator.example.org/copy": "yes"}
	// +kubebuilder:validation:XValidation:rule="self.all(key, size(key) <= 317 && key.matches('^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$'))",message="a key is not that of a label"
	Selector map[string]LabelValue `json:"selector"`

	// targets selects, by their labels, the namespaces that get copies. Only those that are
	// Active do, and never that of the source, those that begin with kube- and the rule's own:
	// these are named in targetNamespaces. Defaults to every namespace, and to none if
	// targetNamespaces is set.
	// +optional
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, e.operator in ['In', 'NotIn'] ? has(e.values) && size(e.values) > 0 : e.operator in ['Exists', 'DoesNotExist'] && (!has(e.values) || size(e.values) == 0))",message="an expression is In or NotIn with values, or Exists or DoesNotExist without"
	Targets *metav1.LabelSelector `json:"targets,omitempty"`

	// targetNamespaces are namespaces that get copies whatever their labels, beside those that
	// targets selects.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:example={"team-a", "team-b"}
	TargetNamespaces []Namespace `json:"targetNamespaces,omitempty"`

	// status is what the operator last saw of the rule.
	// +optional
	Status CopyratorRuleStatus `json:"status,omitempty,omitzero"`
}

// CopyratorRuleList is a list of CopyratorRules.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:object:root=true
type CopyratorRuleList struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the list's standard metadata.
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	// items are the CopyratorRules.
	Items []CopyratorRule `json:"items"`
}

// CopyratorRuleStatus is what the operator last saw of a rule.
type CopyratorRuleStatus struct {
	// observedGeneration is the generation of the rule that the status is of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// sources is the number of objects that match.
	// +optional
	Sources *int32 `json:"sources,omitempty"`

	// copies is the number of copies that are there and as they should be.
	// +optional
	Copies *int32 `json:"copies,omitempty"`

	// conditions are Ready, Conflict and Refused.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
