package lightclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"reflect"
	"testing"

	"github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/sdk/go/fluxoperator"
)

// objects is how many random objects each property is shown for; with SDKGEN_TEST_ALL=1 ten times as many.
var objects = map[bool]int{false: 1_000, true: 10_000}[os.Getenv("SDKGEN_TEST_ALL") == "1"]

// TestFromAPI shows that the client writes what the API's types write, and that those read the same
// again, for any value of theirs.
func TestFromAPI(t *testing.T) {
	fill := filler()
	for i := range objects {
		var object, back v1alpha1.MiniClusterList
		var client fluxoperator.MiniClusterList
		object.Items = make([]v1alpha1.MiniCluster, 1)
		fill.Fill(&object.ListMeta)
		fill.Fill(&object.Items[0])
		want := encode(t, &object)
		decode(t, want, &client)
		got := encode(t, &client)
		if !reflect.DeepEqual(tree(t, want), tree(t, got)) {
			t.Fatalf("object %d:\nAPI    %s\nclient %s", i, want, got)
		}
		if value := encode(t, client); string(value) != string(got) {
			t.Fatalf("object %d is another as a value: %s\n%s", i, value, got)
		}
		decode(t, got, &back)
		if again := encode(t, &back); !reflect.DeepEqual(tree(t, again), tree(t, want)) {
			t.Fatalf("object %d: the API reads %s\nout of %s", i, again, want)
		}
	}
}

// TestToAPI shows that the API's types read what the client writes, for any value of the client's.
// They lose what they cannot express, a zero that is not unset, and nothing else.
func TestToAPI(t *testing.T) {
	fill := filler()
	for i := range objects {
		var client, back fluxoperator.MiniCluster
		var object v1alpha1.MiniCluster
		fill.Fill(&client)
		wrote := encode(t, &client)
		decode(t, wrote, &back)
		if again := encode(t, &back); !reflect.DeepEqual(tree(t, again), tree(t, wrote)) {
			t.Fatalf("object %d: the client reads %s\nout of %s", i, again, wrote)
		}
		decode(t, wrote, &object)
		if lost := lost(tree(t, wrote), tree(t, encode(t, &object)), ""); lost != "" {
			t.Fatalf("object %d: %s\nof %s", i, lost, wrote)
		}
	}
}

// lost says what differs between two trees but for members that are zero and only in the first.
func lost(wrote, read any, path string) string {
	a, isObject := wrote.(map[string]any)
	b, other := read.(map[string]any)
	if isObject && other {
		for key := range b {
			if _, ok := a[key]; !ok {
				return path + "." + key + " comes from nowhere"
			}
		}
		for key := range a {
			if there, ok := b[key]; ok {
				if found := lost(a[key], there, path+"."+key); found != "" {
					return found
				}
			} else if !zero(a[key]) {
				return path + "." + key + " is lost"
			}
		}
		return ""
	}
	listA, isList := wrote.([]any)
	listB, other := read.([]any)
	if isList && other && len(listA) == len(listB) {
		for i := range listA {
			if found := lost(listA[i], listB[i], fmt.Sprintf("%s[%d]", path, i)); found != "" {
				return found
			}
		}
		return ""
	}
	if !reflect.DeepEqual(wrote, read) {
		return fmt.Sprintf("%s is %v, not %v", path, read, wrote)
	}
	return ""
}

// zero says whether a tree is that of a zero value.
func zero(node any) bool {
	switch node := node.(type) {
	case map[string]any:
		for _, value := range node {
			if !zero(value) {
				return false
			}
		}
		return true
	case json.Number:
		return node == "0"
	}
	return node == nil || node == "" || node == false
}

// TestUnknownFields shows that the client writes again what it does not know, at any depth, and that
// a change of what it knows leaves that alone.
func TestUnknownFields(t *testing.T) {
	fill, random := filler(), rand.New(rand.NewSource(seed))
	injected := 0
	for i := range objects {
		var object v1alpha1.MiniCluster
		fill.Fill(&object)
		want := tree(t, encode(t, &object))
		own(want, reflect.TypeFor[fluxoperator.MiniCluster](), func(node map[string]any) {
			for range random.Intn(3) {
				node[fmt.Sprintf("%s-%d", texts[random.Intn(len(texts))], random.Intn(9))] = json.RawMessage(value(random))
				injected++
			}
		})
		data := encode(t, want)
		want = tree(t, data)
		var client fluxoperator.MiniCluster
		decode(t, data, &client)
		if got := encode(t, &client); !reflect.DeepEqual(want, tree(t, got)) {
			t.Fatalf("object %d:\n%s\n%s", i, data, got)
		}
		client.Name = "changed"
		meta, ok := want.(map[string]any)["metadata"].(map[string]any)
		if !ok {
			meta = map[string]any{}
			want.(map[string]any)["metadata"] = meta
		}
		meta["name"] = "changed"
		if got := encode(t, &client); !reflect.DeepEqual(want, tree(t, got)) {
			t.Fatalf("object %d, changed:\n%s\n%s", i, data, got)
		}
	}
	if injected < objects {
		t.Errorf("there were only %d unknown fields", injected)
	}
}

// TestNulls shows that the client takes a null for what encoding/json takes it for.
func TestNulls(t *testing.T) {
	fill, random := filler(), rand.New(rand.NewSource(seed))
	for i := range objects {
		var object, known v1alpha1.MiniCluster
		fill.Fill(&object)
		with := tree(t, encode(t, &object))
		own(with, reflect.TypeFor[fluxoperator.MiniCluster](), func(node map[string]any) {
			for key := range node {
				if random.Intn(8) == 0 {
					node[key] = nil
				}
			}
		})
		data := encode(t, with)
		decode(t, data, &known)
		var client fluxoperator.MiniCluster
		decode(t, data, &client)
		want, got := tree(t, encode(t, &known)), tree(t, encode(t, &client))
		if found := lost(got, want, ""); found != "" {
			t.Fatalf("object %d: %s\nof %s", i, found, data)
		}
	}
}

// TestBroken shows that the client refuses the texts that encoding/json refuses, with its errors.
func TestBroken(t *testing.T) {
	fill, random := filler(), rand.New(rand.NewSource(seed))
	refused, mistyped := 0, 0
	for range objects {
		var object v1alpha1.MiniCluster
		fill.Fill(&object)
		data := encode(t, &object)
		switch at := random.Intn(len(data)); random.Intn(3) {
		case 0:
			data[at] = `{}[]",:0-.e\ntu `[random.Intn(16)]
		case 1:
			data = append(data[:at], data[at+1:]...)
		default:
			data = data[:at]
		}
		var client fluxoperator.MiniCluster
		err := client.UnmarshalJSON(data)
		want := json.Unmarshal(data, &object)
		var syntax *json.SyntaxError
		if errors.As(want, &syntax) {
			refused++
			if err == nil || err.Error() != want.Error() {
				t.Fatalf("error %v, want %v\n%s", err, want, data)
			}
			continue
		}
		if (err == nil) != (want == nil) {
			t.Fatalf("error %v, want %v\n%s", err, want, data)
		}
		if err != nil {
			mistyped++
		}
	}
	if refused < objects/4 || mistyped < objects/100 {
		t.Errorf("only %d texts were no JSON, and %d of another type", refused, mistyped)
	}
}
