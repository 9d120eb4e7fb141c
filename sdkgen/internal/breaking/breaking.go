// Package breaking says what a change of an API's types means for those who use the API.
//
//	surfaces of both versions -> Compare -> changes, each with a verdict for every audience
//	                          -> prove   -> the smallest object that shows it (witness)
//	                          -> Judge   -> exceptions, the rule for versions, the exit code
//
// A surface is what sdkgen made of one version of the types: CRDs, swagger.json, the classes of the SDKs and the Go
// packages. So the comparison is of results, not of source text. What each rule says is in the table Rules.
package breaking

import (
	"go/token"
	"slices"
	"strings"
)

// Verdict says what a change does to an audience.
type Verdict int

// The verdicts, the worst last.
const (
	Compatible Verdict = iota // everything goes on as before
	Risky                     // it depends on objects, callers or the version of Kubernetes
	Breaking                  // something that worked fails or is lost
)

// String is the verdict in lower case.
func (v Verdict) String() string { return [...]string{"compatible", "risky", "breaking"}[v] }

// Audience is those whom a change may concern.
type Audience int

// The audiences.
const (
	Stored    Audience = iota // objects in etcd
	Manifests                 // files in git that are applied again
	Python                    // callers of the Python SDK
	Go                        // callers of the Go types and clients
	audiences
)

// Audiences lists the audiences in the order in which they are printed.
var Audiences = []Audience{Stored, Manifests, Python, Go}

// String names the audience.
func (a Audience) String() string {
	return [...]string{"stored objects", "manifests", "Python callers", "Go callers"}[a]
}

// Effect is what a change does to an audience, and why.
type Effect struct {
	Verdict Verdict
	Reason  string // "" for a compatible change
}

// Place is where in the API a change is.
type Place struct {
	GoType   string // PACKAGE.Type that declares the field; "" if no type of the API does
	Property string // JSON key of the field; "" for the type itself
	Version  string // of the API, "v1alpha1"
	Path     string // MiniCluster.spec.containers[].image, or MiniClusterSpec.size for callers alone
}

// Change is one difference between two versions of an API.
type Change struct {
	Rule    string // ID of a Rule
	Place   Place
	Others  []string       // further paths at which the same field has the same change, sorted
	Pos     token.Position // of the field, or of what is closest to it in the new source
	Text    string         // what changed: "maximum: 10, now 5"
	Effects [audiences]Effect
	Instead string // what to do instead; "" if nothing need be done
	// Accepted is the reason for which the exceptions list has the change, "" if it does not.
	Accepted string

	// Witness is the smallest object that shows the change for stored objects or manifests; nil if there is none.
	Witness *Witness
	// Callers are programs that show it for Python and Go.
	Callers []Caller

	group string   // of the kind
	kind  string   // of the object that the change is in; "" for callers
	steps []string // from its top; see node
	more  []spot   // those of Others
	short []string // pairs of texts and what they are in text output
}

// spot is a place in the objects of a kind.
type spot struct {
	kind  string
	steps []string
}

// Verdict is the worst for any audience.
func (c *Change) Verdict() Verdict {
	worst := Compatible
	for _, effect := range c.Effects {
		worst = max(worst, effect.Verdict)
	}
	return worst
}

// sortChanges sorts changes by version, path, rule and text.
func sortChanges(changes []*Change) {
	slices.SortFunc(changes, func(a, b *Change) int {
		for _, pair := range [][2]string{{a.Place.Version, b.Place.Version}, {a.Place.Path, b.Place.Path}, {a.Rule, b.Rule}, {a.Text, b.Text}} {
			if order := strings.Compare(pair[0], pair[1]); order != 0 {
				return order
			}
		}
		return 0
	})
}
