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
	ratcheted = Unchanged + itself + " is accepted from Kubernetes 1.30 on, and refused before; one that changes it " +
		"must meet the new schema"
	Unchanged = "an update that does not change "
	itself    = "the value"
	refused   = "the API server refuses to create an object that was valid"
	rewritten = "its controller may write a value that the API server refuses now; before Kubernetes 1.30, every update " +
		"of an object whose status has one is refused"
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

// Rules is every rule for CRDs, in the order in which docs/use/breaking.md has them.
var Rules = []Rule{
	{ID: "kind-removed", What: "a kind is not served any more",
		Spec: Pair{Effect{Breaking, "nothing can read the objects"},
			Effect{Breaking, "the API server does not know the kind"}},
		Instead: "serve the last version with +kubebuilder:deprecatedversion until nobody uses it"},
	{ID: "version-removed", What: "a version is removed or not served any more",
		Spec: Pair{Effect{Breaking, "the API server refuses the CRD while its status.storedVersions names the version"},
			Effect{Breaking, "manifests with this apiVersion are refused"}},
		Instead: "keep it with +kubebuilder:unservedversion while objects are stored in it, and " +
			"+kubebuilder:deprecatedversion while manifests name it"},
	{ID: "version-unserved", What: "a version is not served any more",
		Spec:    manifests(Breaking, "manifests with this apiVersion are refused"),
		Instead: "mark it with +kubebuilder:deprecatedversion first, and serve it for some releases"},
	{ID: "crd-refused", What: "the API server refuses to replace the CRD",
		Spec:    stored(Breaking, "the CRD cannot be installed while the old one is, and deleting that deletes the objects"),
		Instead: "add another kind"},
	{ID: "storage-version", What: "objects are stored in another version",
		Spec: stored(Risky, "objects stay in the old version until they are written again; what the two schemas do not "+
			"share is lost without a conversion webhook"),
		Instead: "migrate the stored objects before the old version is removed"},
	{ID: "scope", What: "the scope changes between namespaced and cluster",
		Spec: Pair{Effect{Breaking, "the API server refuses the CRD: the scope cannot be changed while the old one is " +
			"installed, and deleting that deletes the objects"}, Effect{Breaking, "the API server has no such path"}},
		Instead: "add another kind"},
	{ID: "names", What: "the resource has another plural name",
		Spec: Pair{Effect{Breaking, "a CRD cannot be renamed: another one is made, and the old one's objects are deleted " +
			"with it"}, Effect{Breaking, "RBAC and URLs name the old resource"}},
		Instead: "keep +kubebuilder:resource:path"},
	{ID: "short-name", What: "a short name, category, singular name or the list kind changes or is removed",
		Spec: manifests(Risky, "scripts and clients that use it fail"), Instead: "keep it in +kubebuilder:resource"},
	{ID: "status-subresource", What: "the status subresource is added or removed",
		Spec: stored(Risky, "the status is written through another path than before; what a controller of the other "+
			"version writes is dropped"),
		Instead: "release the controller together with the CRD"},
	{ID: "scale-subresource", What: "the scale subresource changes or is removed",
		Spec:    manifests(Breaking, "kubectl scale, HorizontalPodAutoscaler and the SDKs' scale fail or read another field"),
		Instead: "keep +kubebuilder:subresource:scale as it is"},
	{ID: "column", What: "a column of kubectl get changes or is removed",
		Spec: manifests(Risky, "scripts that read the table by its columns"), Instead: "let scripts read -o json"},
	{ID: "selectable-field", What: "a field can no longer be used in field selectors",
		Spec:    manifests(Breaking, "lists and watches with the selector are refused"),
		Instead: "keep +kubebuilder:selectablefield"},
	{ID: "field-removed", What: "a field is removed",
		Spec:    Pair{Effect{Breaking, pruned}, Effect{Breaking, unknown}},
		Status:  stored(Risky, pruned+", until its controller writes another"),
		Instead: "keep the field, mark it \"// Deprecated:\" for a release, and remove it in the next API version"},
	{ID: "field-added", What: "an optional field is added"},
	{ID: "deprecated", What: "a field, a type or a version is deprecated"},
	{ID: "undeprecated", What: "a field, a type or a version is no longer deprecated"},
	{ID: "required-added", What: "a field must be set now",
		Spec: Pair{Effect{Risky, ratcheted}, Effect{Breaking, refused}}, Status: controller,
		Instead: "make it +optional, or give it a +default"},
	{ID: "required-removed", What: "a field need not be set any more"},
	{ID: "type-changed", What: "a field has another type",
		Spec:    Pair{Effect{Risky, "typed clients cannot decode the value; " + ratcheted}, Effect{Breaking, refused}},
		Status:  stored(Risky, "typed clients cannot decode the value until its controller has written another"),
		Instead: "add a field of the new type under another name, and deprecate this one"},
	{ID: "format-changed", What: "a format is added or changed",
		Spec: tightened, Status: controller, Instead: "leave the format out"},
	{ID: "format-removed", What: "a format is removed"},
	{ID: "enum-narrowed", What: "values are no longer allowed",
		Spec: tightened, Status: controller,
		Instead: "keep the values, and say in the comment that they are deprecated"},
	{ID: "enum-widened", What: "more values are allowed"},
	{ID: "bound-tightened", What: "a bound is added or tightened",
		Spec: tightened, Status: controller, Instead: "keep the bound, or check it in the controller"},
	{ID: "bound-loosened", What: "a bound is removed or loosened"},
	{ID: "pattern-added", What: "a pattern is added or changed",
		Spec: tightened, Status: controller, Instead: "keep the pattern, or check it in the controller"},
	{ID: "pattern-removed", What: "a pattern is removed"},
	{ID: "default-changed", What: "the default is added, changed or removed",
		Spec: Pair{Effect{Risky, "objects that were stored without a value read differently"},
			Effect{Risky, "manifests without the value mean something else"}},
		Instead: "keep the default, and let the controller choose what an unset field means"},
	{ID: "nullable-removed", What: "null is no longer allowed",
		Spec: Pair{Effect{Risky, "a null is dropped when the object is read, or replaced by the default"},
			Effect{Risky, "a null is dropped, or replaced by the default"}},
		Instead: "keep +nullable"},
	{ID: "nullable-added", What: "null is allowed"},
	{ID: "list-type", What: "the list type or its keys change",
		Spec: Pair{Effect{Risky, duplicates + "; " + ownership},
			Effect{Risky, "server-side apply merges the list otherwise: items of others are kept or dropped that " +
				"were not before"}}, Status: stored(Risky, "server-side apply merges the list otherwise"),
		Instead: "keep +listType and +listMapKey"},
	{ID: "map-type", What: "the map type changes",
		Spec:    manifests(Risky, "server-side apply merges the object otherwise"),
		Instead: "keep +mapType or +structType"},
	{ID: "unknown-fields-dropped", What: "unknown fields are no longer kept",
		Spec: Pair{Effect{Breaking, pruned}, Effect{Breaking, unknown}}, Status: stored(Risky, pruned),
		Instead: "keep +kubebuilder:pruning:PreserveUnknownFields"},
	{ID: "unknown-fields-kept", What: "unknown fields are kept"},
	{ID: "embedded-added", What: "a field must have an object with apiVersion, kind and metadata",
		Spec: Pair{Effect{Breaking, "every update of an object that lacks one of them is refused"},
			Effect{Breaking, refused}},
		Status: stored(Risky, "every update of an object that lacks one of them is refused, until its controller has "+
			"written another"),
		Instead: "add a field of the new type under another name, and deprecate this one"},
	{ID: "embedded-removed", What: "a field need not have an object with apiVersion, kind and metadata any more",
		Spec: Pair{Effect{Breaking, pruned}, Effect{Breaking, unknown}}, Status: stored(Risky, pruned),
		Instead: "keep +kubebuilder:validation:EmbeddedResource"},
	{ID: "rule-added", What: "a CEL rule is added",
		Spec: Pair{Effect{Risky, Undecided + "; " + ratcheted}, Effect{Risky, Undecided}}, Status: controller,
		Instead: "let the rule accept what did not change: write it with oldSelf and optionalOldSelf, or check in the " +
			"controller"},
	{ID: "rule-changed", What: "a CEL rule changes",
		Spec: Pair{Effect{Risky, Undecided + "; " + ratcheted}, Effect{Risky, Undecided}}, Status: controller,
		Instead: "let the rule accept all that it accepted before"},
	{ID: "rule-removed", What: "a CEL rule is removed"},
	{ID: "composition", What: "anyOf, oneOf, allOf or not change",
		Spec: Pair{Effect{Risky, Undecided}, Effect{Risky, Undecided}}, Status: controller,
		Instead: "keep it, or check in the controller"},
}

func stored(verdict Verdict, reason string) Pair { return Pair{Stored: Effect{verdict, reason}} }

func manifests(verdict Verdict, reason string) Pair { return Pair{Manifests: Effect{verdict, reason}} }

// rule returns the rule with that ID.
func rule(id string) *Rule {
	for i := range Rules {
		if Rules[i].ID == id {
			return &Rules[i]
		}
	}
	return nil
}
