package prose_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/prose"
)

// model is a document with texts.
type model struct {
	Name string     `json:"name"`
	Doc  prose.Text `json:"doc,omitempty"`
	More prose.Text `json:"more"`
}

func encode(t *testing.T, value any) []byte {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func split(t *testing.T, doc []byte) (string, []string) {
	t.Helper()
	shape, texts, err := prose.Split(doc)
	if err != nil {
		t.Fatal(err)
	}
	return string(shape), texts
}

// TestRound: what a template prints of a document is the same with the texts taken out and put
// back, whatever is in them.
func TestRound(t *testing.T) {
	for _, text := range []string{"a text", `"quoted" \ and 'so'`, "two\n    lines\t", "<b>&amp;</b>", "日本語 \U0001f680", "\u2028", "0", "\x00\x7f"} {
		doc := encode(t, []model{{"a", prose.Text(text), "more"}, {"b", "", prose.Text(text)}})
		shape, texts := split(t, doc)
		if want := []string{text, "more", text}; !slices.Equal(texts, want) {
			t.Errorf("the texts are %q, not %q", texts, want)
		}
		var seen []struct{ Name, Doc, More string }
		if err := json.Unmarshal([]byte(shape), &seen); err != nil {
			t.Fatalf("%v: %s", err, shape)
		}
		if strings.Contains(shape, "more\"}") || strings.Contains(shape, "text") {
			t.Errorf("the shape has a text: %s", shape)
		}
		printed := "{" + seen[1].More + "} " + seen[0].Doc + seen[0].Doc + seen[0].More + " of " + seen[1].Name
		if got, want := string(prose.Expand([]byte(printed), texts)), "{"+text+"} "+text+text+"more of b"; got != want {
			t.Errorf("got %q, not %q", got, want)
		}
	}
}

// TestShape: it depends on where there are texts, and not on what they say.
func TestShape(t *testing.T) {
	first, _ := split(t, encode(t, model{"a", "one", "two"}))
	other, _ := split(t, encode(t, model{"a", "something else", "one"}))
	if first != other {
		t.Errorf("%s\n%s", first, other)
	}
	without, texts := split(t, encode(t, model{"a", "", "two"}))
	if without == first || len(texts) != 1 {
		t.Errorf("a text is missing, but the shape is %s, the texts are %q", without, texts)
	}
	if empty, _ := split(t, encode(t, model{})); empty != `{"name":"","more":""}` {
		t.Errorf("without texts the shape is %s", empty)
	}
}

// TestForeign: characters that are the marks' own, but mark nothing, stay.
func TestForeign(t *testing.T) {
	for _, data := range []string{"", "\ue000", "\ue001", "\ue0007", "\ue0007\ue001", "\ue000-1\ue001", "\ue000x\ue001", "\ue000\ue001", "\ue001\ue000"} {
		if got := string(prose.Expand([]byte(data), []string{"text"})); got != data {
			t.Errorf("%q became %q", data, got)
		}
	}
	if got := string(prose.Expand([]byte("\ue000\ue0000\ue001\ue000"), []string{"text"})); got != "\ue000text\ue000" {
		t.Errorf("got %q", got)
	}
	if shape, texts := split(t, []byte("\"\ue000 alone\"")); shape != "\"\ue000 alone\"" || len(texts) != 0 {
		t.Errorf("the shape is %q, the texts are %q", shape, texts)
	}
	if _, _, err := prose.Split([]byte("\"\ue000\\\ue001\"")); err == nil {
		t.Error("half an escape was taken for a text")
	}
}
