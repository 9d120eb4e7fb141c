// Package compare finds what changed between two surfaces of an API. Each change has a verdict for each audience, by
// the tables Rules and CallerRules.
package compare

import (
	"cmp"
	"go/token"
	"slices"
	"strings"
)

// Verdict is the severity of a change for an audience.
type Verdict int

// The verdicts, the worst last.
const (
	Compatible Verdict = iota // everything goes on as before
	Risky                     // it depends on objects, callers or the version of Kubernetes
	Breaking                  // something that worked fails or is lost
)

// String is the verdict in lower case.
func (v Verdict) String() string { return [...]string{"compatible", "risky", "breaking"}[v] }

// Audience is a group of users that a change can affect.
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

	// Group, Kind and Steps are the place in objects that changed; Kind is "" for a change that only callers see, and
	// Steps is empty for the kind as a whole.
	Group, Kind string
	Steps       []string // from the top of the object, see sampler.At
	More        []Spot   // the places of Others

	short []string // old/new pairs for strings.NewReplacer, used by Brief
}

// Spot is a place in the objects of a kind.
type Spot struct {
	Kind  string
	Steps []string
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
		return cmp.Or(strings.Compare(a.Place.Version, b.Place.Version), strings.Compare(a.Place.Path, b.Place.Path),
			strings.Compare(a.Rule, b.Rule), strings.Compare(a.Text, b.Text))
	})
}
