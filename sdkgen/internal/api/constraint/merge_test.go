package constraint

import (
	"encoding/json"
	"testing"
)

// TestTighter: keywords of which nothing is known are not merged.
func TestTighter(t *testing.T) {
	for _, c := range []struct{ keyword, a, b, want string }{
		{"maxLength", "4", "5", "4"}, {"maxLength", "5", "4", "4"}, {"minItems", "1", "2", "2"},
		{"minimum", "-1.5", "-2", "-1.5"},
		{"enum", `["a","b"]`, `["b","c"]`, `["b"]`}, {"enum", `["a"]`, `["b"]`, ""},
		{"pattern", `"^a"`, `"^b"`, ""}, {"pattern", `"^a"`, `"^a"`, `"^a"`}, {"multipleOf", "2", "3", ""},
		{"format", `"int32"`, "", ""},
	} {
		got, ok := tighter(c.keyword, json.RawMessage(c.a), json.RawMessage(c.b))
		if string(got) != c.want && ok || ok != (c.want != "") {
			t.Errorf("%s %s and %s: %s, %t", c.keyword, c.a, c.b, got, ok)
		}
	}
}

// TestMerge: bounds of which one is exclusive stay apart.
func TestMerge(t *testing.T) {
	read := func(text string) Keywords {
		out := Keywords{}
		if err := json.Unmarshal([]byte(text), &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, c := range []struct{ own, more, want string }{
		{`{"minimum":6}`, `{"minimum":5,"exclusiveMinimum":true}`, ""},
		{`{"minimum":6,"exclusiveMinimum":true}`, `{"minimum":7}`, ""},
		{`{"maximum":6}`, `{"minimum":5,"exclusiveMinimum":true}`, `{"exclusiveMinimum":true,"maximum":6,"minimum":5}`},
		{`{}`, `{"maxLength":5}`, `{"maxLength":5}`},
	} {
		merged, ok := Merge(read(c.own), read(c.more))
		got, err := json.Marshal(merged)
		if err != nil || ok != (c.want != "") || ok && string(got) != c.want {
			t.Errorf("%s and %s: %s, %t", c.own, c.more, got, ok)
		}
	}
}
