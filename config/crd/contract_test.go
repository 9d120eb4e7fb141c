package crd_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestContract holds the generated CRD against the wire contract, in both directions.
func TestContract(t *testing.T) {
	contract, err := parseContract(read(t, "testdata/minicluster-v1alpha1.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	crd, err := crdFacts([]byte(read(t, "bases/flux-framework.org_miniclusters.yaml")))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range diff(contract, crd) {
		t.Error(line)
	}
}

// alterations are made to testdata/ship.yaml, one at a time: old becomes new, and want is
// what there is to say about it.
var alterations = []struct {
	name     string
	old, new string
	want     []string
}{
	{"nothing", "", "", nil},
	{"group", "group: example.org", "group: example.com",
		[]string{"names: group: contract has example.org, CRD has example.com"}},
	{"version", "name: v1", "name: v2",
		[]string{"names: version: contract has v1, CRD has v2"}},
	{"kind", "kind: Ship", "kind: Boat",
		[]string{"names: kind: contract has Ship, CRD has Boat"}},
	{"list kind", "listKind: ShipList", "listKind: Ships",
		[]string{"names: listKind: contract has ShipList, CRD has Ships"}},
	{"plural", "plural: ships", "plural: fleet",
		[]string{"names: plural: contract has ships, CRD has fleet"}},
	{"singular", "singular: ship", "singular: vessel",
		[]string{"names: singular: contract has ship, CRD has vessel"}},
	{"scope", "scope: Namespaced", "scope: Cluster",
		[]string{"names: scope: contract has Namespaced, CRD has Cluster"}},
	{"no status", "status: {}", "",
		[]string{"names: subresources: contract has status; scale (spec .s, status .t, selector .l)," +
			" CRD has scale (spec .s, status .t, selector .l)"}},
	{"scale", "specReplicasPath: .s", "specReplicasPath: .x",
		[]string{"names: subresources: contract has status; scale (spec .s, status .t, selector .l)," +
			" CRD has status; scale (spec .x, status .t, selector .l)"}},
	{"type", "key: {type: string", "key: {type: boolean",
		[]string{"spec.keys{}.key: type: contract has string, CRD has boolean"}},
	{"format", "format: int32", "format: int64",
		[]string{"spec.size: format: contract has int32, CRD has int64"}},
	{"format gone", ", format: int32", "",
		[]string{"spec.size: format: contract has int32, CRD has none"}},
	{"required gone", "required: [containers]", "",
		[]string{"spec.containers: required: contract has required, CRD has none"}},
	{"required new", "required: [containers]", "required: [containers, size]",
		[]string{"spec.size: required: contract has none, CRD has required"}},
	{"required at the root", "type: object # root", "required: [spec]",
		[]string{"spec: required: contract has none, CRD has required"}},
	{"default", "default: 1", "default: 2",
		[]string{"spec.size: default: contract has 1, CRD has 2"}},
	{"default of another type", "default: 1", "default: '1'",
		[]string{`spec.size: default: contract has 1, CRD has "1"`}},
	{"default gone", ", default: Ada", "",
		[]string{`spec.containers[].name: default: contract has "Ada", CRD has none`}},
	{"default new", "items: {", "items: {default: {}, ",
		[]string{"spec.containers[]: default: contract has none, CRD has {}"}},
	{"service unlike a container", "default: Ada, ", "",
		[]string{`spec.services[].name: default: contract has "Ada", CRD has none`}},
	{"list type", "x-kubernetes-list-type: atomic", "x-kubernetes-list-type: set",
		[]string{"spec.containers: list-type: contract has atomic, CRD has set"}},
	{"int or string", "{x-kubernetes-int-or-string: true}", "{type: integer}",
		[]string{"spec.limits{}: int-or-string: contract has true, CRD has none",
			"spec.limits{}: type: contract has int-or-string, CRD has integer"}},
	{"enum", "enum: [up, down]", "enum: [up, down, lost]",
		[]string{"status.state: enum: contract has up,down, CRD has up,down,lost"}},
	{"nullable", "state: {", "state: {nullable: true, ",
		[]string{"status.state: nullable: contract has none, CRD has true"}},
	{"map type", "keys: {", "keys: {x-kubernetes-map-type: atomic, ",
		[]string{"spec.keys: map-type: contract has none, CRD has atomic"}},
	{"free form", "keys: {", "keys: {x-kubernetes-preserve-unknown-fields: true, ",
		[]string{"spec.keys: preserve-unknown-fields: contract has none, CRD has true"}},
	{"field new", "state: {", "flag: {type: string}\n              state: {",
		[]string{"status.flag: type: contract has none, CRD has string"}},
	{"field gone", "size: {type: integer, format: int32, default: 1}", "",
		[]string{"spec.size: default: contract has 1, CRD has none",
			"spec.size: format: contract has int32, CRD has none",
			"spec.size: type: contract has integer, CRD has none"}},
	{"top-level field new", "status: # of the ship", "extra: {type: string}\n          status:",
		[]string{"extra: type: contract has none, CRD has string"}},
}

// TestContractCatches wants to be told each alteration of a CRD that keeps its contract,
// and nothing else.
func TestContractCatches(t *testing.T) {
	contract, err := parseContract(read(t, "testdata/ship.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	manifest := read(t, "testdata/ship.yaml")
	for _, a := range alterations {
		t.Run(a.name, func(t *testing.T) {
			if !strings.Contains(manifest, a.old) {
				t.Fatalf("%q is not in the CRD", a.old)
			}
			crd, err := crdFacts([]byte(strings.Replace(manifest, a.old, a.new, 1)))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(a.want, diff(contract, crd)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestContractErrors(t *testing.T) {
	for _, tsv := range []string{"", "# Wire contract of a ship.\n",
		read(t, "testdata/ship.tsv") + "spec.size\tinteger\n"} {
		if got, err := parseContract(tsv); err == nil {
			t.Errorf("parseContract(%q) = %v, want an error", tsv, got)
		}
	}
	manifest := read(t, "testdata/ship.yaml")
	for _, crd := range []string{"spec: {versions: []}", "spec: {versions: [{name: v1}]}",
		manifest + "spelling: wrong\n"} {
		if got, err := crdFacts([]byte(crd)); err == nil {
			t.Errorf("crdFacts(%q) = %v, want an error", crd, got)
		}
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
