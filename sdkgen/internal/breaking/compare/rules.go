package compare

// Rule is one kind of change to a CRD. Verdicts are for a field that users write (spec) and for one that controllers
// write (status); what callers see of a change has rules of its own.
type Rule struct {
	ID      string
	What    string // what the change is
	Spec    Pair
	Status  Pair
	Instead string // what to do instead
}

// Pair are the effects on stored objects and on manifests.
type Pair struct{ Stored, Manifests Effect }

// Reasons that several rules share.
const (
	ratcheted  = Unchanged + itself + " is accepted from Kubernetes 1.30 on, and refused before; one that changes it must meet the new schema"
	Unchanged  = "an update that does not change "
	itself     = "the value"
	refused    = "the API server refuses to create an object that was valid"
	rewritten  = "its controller may write a value that the API server refuses now; before Kubernetes 1.30, every update of an object whose status has one is refused"
	pruned     = "the value is dropped when the object is read"
	unknown    = "strict clients (kubectl, the SDKs) are refused, the others lose the value"
	duplicates = "the lists of a stored object that has duplicates are not checked until it has none"
	ownership  = "server-side apply loses track of who owns the items"
	Undecided  = "whether an object is concerned cannot be decided"
)

var (
	none       = Effect{}
	tightened  = Pair{Effect{Risky, ratcheted}, Effect{Breaking, refused}}
	controller = Pair{Effect{Risky, rewritten}, none}
)

// Rules is every rule for CRDs, in the order in which docs/breaking.md has them.
var Rules = []Rule{
	{"kind-removed", "a kind is not served any more", Pair{Effect{Breaking, "nothing can read the objects"}, Effect{Breaking, "the API server does not know the kind"}}, Pair{},
		"serve the last version with +kubebuilder:deprecatedversion until nobody uses it"},
	{"version-removed", "a version is removed or not served any more", Pair{Effect{Breaking, "the API server refuses the CRD while its status.storedVersions names the version"}, Effect{Breaking, "manifests with this apiVersion are refused"}}, Pair{},
		"keep it with +kubebuilder:unservedversion while objects are stored in it, and +kubebuilder:deprecatedversion while manifests name it"},
	{"version-unserved", "a version is not served any more", Pair{}.manifests(Breaking, "manifests with this apiVersion are refused"), Pair{},
		"mark it with +kubebuilder:deprecatedversion first, and serve it for some releases"},
	{"crd-refused", "the API server refuses to replace the CRD", Pair{Effect{Breaking, "the CRD cannot be installed while the old one is, and deleting that deletes the objects"}, none}, Pair{},
		"add another kind"},
	{"storage-version", "objects are stored in another version", Pair{Effect{Risky, "objects stay in the old version until they are written again; what the two schemas do not share is lost without a conversion webhook"}, none}, Pair{},
		"migrate the stored objects before the old version is removed"},
	{"scope", "the scope changes between namespaced and cluster", Pair{Effect{Breaking, "the API server refuses the CRD: the scope cannot be changed while the old one is installed, and deleting that deletes the objects"}, Effect{Breaking, "the API server has no such path"}}, Pair{},
		"add another kind"},
	{"names", "the resource has another plural name", Pair{Effect{Breaking, "a CRD cannot be renamed: another one is made, and the old one's objects are deleted with it"}, Effect{Breaking, "RBAC and URLs name the old resource"}}, Pair{},
		"keep +kubebuilder:resource:path"},
	{"short-name", "a short name, category, singular name or the list kind changes or is removed", Pair{}.manifests(Risky, "scripts and clients that use it fail"), Pair{},
		"keep it in +kubebuilder:resource"},
	{"status-subresource", "the status subresource is added or removed", Pair{Effect{Risky, "the status is written through another path than before; what a controller of the other version writes is dropped"}, none}, Pair{},
		"release the controller together with the CRD"},
	{"scale-subresource", "the scale subresource changes or is removed", Pair{}.manifests(Breaking, "kubectl scale, HorizontalPodAutoscaler and the SDKs' scale fail or read another field"), Pair{},
		"keep +kubebuilder:subresource:scale as it is"},
	{"column", "a column of kubectl get changes or is removed", Pair{}.manifests(Risky, "scripts that read the table by its columns"), Pair{}, "let scripts read -o json"},
	{"selectable-field", "a field can no longer be used in field selectors", Pair{}.manifests(Breaking, "lists and watches with the selector are refused"), Pair{}, "keep +kubebuilder:selectablefield"},

	{"field-removed", "a field is removed", Pair{Effect{Breaking, pruned}, Effect{Breaking, unknown}}, Pair{Effect{Risky, pruned + ", until its controller writes another"}, none},
		"keep the field, mark it \"// Deprecated:\" for a release, and remove it in the next API version"},
	{"field-added", "an optional field is added", Pair{}, Pair{}, ""},
	{"deprecated", "a field, a type or a version is deprecated", Pair{}, Pair{}, ""},
	{"undeprecated", "a field, a type or a version is no longer deprecated", Pair{}, Pair{}, ""},
	{"required-added", "a field must be set now", Pair{Effect{Risky, ratcheted}, Effect{Breaking, refused}}, controller,
		"make it +optional, or give it a +default"},
	{"required-removed", "a field need not be set any more", Pair{}, Pair{}, ""},
	{"type-changed", "a field has another type", Pair{Effect{Risky, "typed clients cannot decode the value; " + ratcheted}, Effect{Breaking, refused}}, Pair{Effect{Risky, "typed clients cannot decode the value until its controller has written another"}, none},
		"add a field of the new type under another name, and deprecate this one"},
	{"format-changed", "a format is added or changed", tightened, controller, "leave the format out"},
	{"format-removed", "a format is removed", Pair{}, Pair{}, ""},
	{"enum-narrowed", "values are no longer allowed", tightened, controller, "keep the values, and say in the comment that they are deprecated"},
	{"enum-widened", "more values are allowed", Pair{}, Pair{}, ""},
	{"bound-tightened", "a bound is added or tightened", tightened, controller, "keep the bound, or check it in the controller"},
	{"bound-loosened", "a bound is removed or loosened", Pair{}, Pair{}, ""},
	{"pattern-added", "a pattern is added or changed", tightened, controller, "keep the pattern, or check it in the controller"},
	{"pattern-removed", "a pattern is removed", Pair{}, Pair{}, ""},
	{"default-changed", "the default is added, changed or removed", Pair{Effect{Risky, "objects that were stored without a value read differently"}, Effect{Risky, "manifests without the value mean something else"}}, Pair{},
		"keep the default, and let the controller choose what an unset field means"},
	{"nullable-removed", "null is no longer allowed", Pair{Effect{Risky, "a null is dropped when the object is read, or replaced by the default"}, Effect{Risky, "a null is dropped, or replaced by the default"}}, Pair{}, "keep +nullable"},
	{"nullable-added", "null is allowed", Pair{}, Pair{}, ""},
	{"list-type", "the list type or its keys change", Pair{Effect{Risky, duplicates + "; " + ownership}, Effect{Risky, "server-side apply merges the list otherwise: items of others are kept or dropped that were not before"}}, Pair{Effect{Risky, "server-side apply merges the list otherwise"}, none},
		"keep +listType and +listMapKey"},
	{"map-type", "the map type changes", Pair{}.manifests(Risky, "server-side apply merges the object otherwise"), Pair{}, "keep +mapType or +structType"},
	{"unknown-fields-dropped", "unknown fields are no longer kept", Pair{Effect{Breaking, pruned}, Effect{Breaking, unknown}}, Pair{Effect{Risky, pruned}, none},
		"keep +kubebuilder:pruning:PreserveUnknownFields"},
	{"unknown-fields-kept", "unknown fields are kept", Pair{}, Pair{}, ""},
	{"embedded-added", "a field must have an object with apiVersion, kind and metadata", Pair{Effect{Breaking, "every update of an object that lacks one of them is refused"}, Effect{Breaking, refused}}, Pair{Effect{Risky, "every update of an object that lacks one of them is refused, until its controller has written another"}, none},
		"add a field of the new type under another name, and deprecate this one"},
	{"embedded-removed", "a field need not have an object with apiVersion, kind and metadata any more", Pair{Effect{Breaking, pruned}, Effect{Breaking, unknown}}, Pair{Effect{Risky, pruned}, none},
		"keep +kubebuilder:validation:EmbeddedResource"},
	{"rule-added", "a CEL rule is added", Pair{Effect{Risky, Undecided + "; " + ratcheted}, Effect{Risky, Undecided}}, controller,
		"let the rule accept what did not change: write it with oldSelf and optionalOldSelf, or check in the controller"},
	{"rule-changed", "a CEL rule changes", Pair{Effect{Risky, Undecided + "; " + ratcheted}, Effect{Risky, Undecided}}, controller,
		"let the rule accept all that it accepted before"},
	{"rule-removed", "a CEL rule is removed", Pair{}, Pair{}, ""},
	{"composition", "anyOf, oneOf, allOf or not change", Pair{Effect{Risky, Undecided}, Effect{Risky, Undecided}}, controller, "keep it, or check in the controller"},
}

func (p Pair) manifests(verdict Verdict, reason string) Pair {
	p.Manifests = Effect{verdict, reason}
	return p
}

// rule returns the rule with that ID.
func rule(id string) *Rule {
	for i := range Rules {
		if Rules[i].ID == id {
			return &Rules[i]
		}
	}
	return nil
}
