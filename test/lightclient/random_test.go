// Package gosdk holds the client in sdk/go/fluxoperator against the API's own types.
package lightclient

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"

	"github.com/flux-framework/flux-operator/sdk/go/fluxoperator"
)

// seed is that of all that is random here.
const seed = 7

// filler fills in objects at random. Times are whole seconds, as encoding/json would cut them; what
// is kept as text is JSON.
func filler() *randfill.Filler {
	return randfill.NewWithSeed(seed).NilChance(0.3).NumElements(0, 2).MaxDepth(30).Funcs(
		func(t *metav1.Time, c randfill.Continue) { t.Time = time.Unix(c.Int63n(1<<32), 0) },
		func(f *metav1.FieldsV1, c randfill.Continue) { f.SetRawString(`{"f:spec":{}}`) },
		func(m *json.RawMessage, c randfill.Continue) { *m = json.RawMessage(value(c.Rand)) },
		func(m *map[string]json.RawMessage, c randfill.Continue) {}, // unknown fields, which are put into the text
		func(p *intstr.IntOrString, c randfill.Continue) {
			if c.Bool() {
				*p = intstr.FromInt32(c.Int31() - c.Int31())
			} else {
				*p = intstr.FromString(c.String(0))
			}
		},
		func(s *string, c randfill.Continue) {
			switch c.Intn(4) {
			case 0:
				*s = c.String(0)
			case 1:
				*s = texts[c.Intn(len(texts))]
			default:
				*s = fmt.Sprint("text-", c.Int31n(1000))
			}
		},
	)
}

var texts = []string{"", "<a href=\"x\">&</a>", "\u2028 \u2029", "\x00\x1f\x7f\t\n\\", "Ümläut", "bad \xff\xc3 UTF-8",
	"😀", "null", "a/b"}

// value returns the text of some JSON value.
func value(r *rand.Rand) string {
	values := []string{
		"null", "true", "0", "-0", "1.50", "1e3", "9007199254740993", "123456789012345678901234567890", `""`, `"<&>\u2028\/"`,
		"[]", "{}", `[1,[2,{"a":null}]]`, `{"b":{"size":"x"},"a":[{}]}`, `"\ud83d\ude00 é"`,
	}
	return values[r.Intn(len(values))]
}

// tree reads JSON and keeps numbers as they are spelled.
func tree(t testing.TB, data []byte) any {
	t.Helper()
	read := json.NewDecoder(bytes.NewReader(data))
	read.UseNumber()
	var out any
	if err := read.Decode(&out); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return out
}

func encode(t testing.TB, object any) []byte {
	t.Helper()
	data, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func decode(t testing.TB, data []byte, object any) {
	t.Helper()
	if err := json.Unmarshal(data, object); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
}

// own calls visit with each JSON object in a tree that a struct of the client's package is for.
func own(node any, typ reflect.Type, visit func(map[string]any)) {
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	switch node := node.(type) {
	case []any:
		for _, elem := range node {
			own(elem, typ.Elem(), visit)
		}
	case map[string]any:
		if typ.Kind() == reflect.Map {
			for _, key := range slices.Sorted(maps.Keys(node)) {
				own(node[key], typ.Elem(), visit)
			}
			return
		}
		if typ.PkgPath() != reflect.TypeFor[fluxoperator.MiniCluster]().PkgPath() {
			return
		}
		for i := range typ.NumField() {
			field := typ.Field(i)
			key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if child, ok := node[key]; ok && key != "-" {
				own(child, field.Type, visit)
			}
		}
		visit(node)
	}
}
