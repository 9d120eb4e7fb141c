package light

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// standard encodes as encoding/json does, without its escapes of HTML.
func standard(t *testing.T, value any) string {
	t.Helper()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// TestEncode: the text is that of encoding/json.
func TestEncode(t *testing.T) {
	for name, spec := range map[string]*sampleSpec{"empty": {}, "everything": everything()} {
		got, err := spec.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(standard(t, spec.plain()), string(got)); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

// TestEncodeNil: a nil pointer in a list is null, as is a list and a map.
func TestEncodeNil(t *testing.T) {
	e := newJSONEncoder()
	pointers := []*int32{nil}
	writeSlice(&pointers, e, func(p **int32, e *jsonEncoder) { writePointer(p, e, writeInt) })
	if got, err := e.end(); err != nil || string(got) != "[null]" {
		t.Errorf("%s, %v", got, err)
	}
}

// TestDecode: values and errors are those of encoding/json.
func TestDecode(t *testing.T) {
	for _, text := range []string{
		standard(t, everything().plain()), `{}`, `null`, ` { } `, "\t{\n\"text\" : \"a\" , \"on\" : false }\r\n",
		`{"text":null,"count":null,"on":null,"size":null,"inner":null,"names":null,"levels":null,"parts":null}`,
		`{"text":"\u00fc\ud83d\ude00\ud83d\/","names":["a\\\"b"],"levels":{"\u0061":1,"a":2}}`,
		`{"te\u0078t":"escaped key"}`, `{"port":80}`, `{"port":"80"}`, `{"port":null}`,
		`{"inner":{"inner":{"parts":[{"text":"deep"}]}}}`,
		`{"size":9223372036854775807}`, `{"size":9223372036854775808}`, `{"count":2147483648}`, `{"count":-2147483648}`,
		`{"count":-0}`,
		`{"count":1.5}`, `{"count":1e2}`, `{"count":01}`, `{"count":-}`, `{"count":"1"}`, `{"text":1}`, `{"on":"true"}`,
		`{"on":truE}`,
		`{"names":{}}`, `{"names":[1]}`, `{"levels":[]}`, `{"levels":{"a":"b"}}`, `{"inner":[]}`,
		`{"parts":[{},{"text":[]}]}`, `[]`, `"text"`, `1`, `true`,
		``, ` `, `{`, `}`, `{"`, `{"text`, `{"text"`, `{"text":`, `{"text":"a`, `{"text":"a"`, `{"text":"a",`,
		`{"text":"a",}`, `{"text":"a"]`,
		`{"text":"a" "on":true}`, `{,}`, `{"names":[`, `{"names":["a",]}`, `{"names":["a" "b"]}`, `{"names":[,]}`, `{} {}`,
		`{}x`, "{\"text\":\"\n\"}", "{\x00}",
		`{"until":"1m0s"}`, `{"until":1}`, `{"until":"no"}`, `{"text":"\x"}`, `{"on":tru}`, `{"on":nul}`, `nul`, `{text:1}`,
	} {
		var got sampleSpec
		var want plainSpec
		gotErr, wantErr := got.UnmarshalJSON([]byte(text)), json.Unmarshal([]byte(text), &want)
		if (gotErr == nil) != (wantErr == nil) {
			t.Errorf("%s: error %v, encoding/json has %v", text, gotErr, wantErr)
			continue
		}
		if syntax := (*json.SyntaxError)(nil); errors.As(wantErr, &syntax) && gotErr.Error() != wantErr.Error() {
			t.Errorf("%s: error %v, encoding/json has %v", text, gotErr, wantErr)
		}
		if mismatch := (*json.UnmarshalTypeError)(nil); errors.As(wantErr, &mismatch) && !errors.As(gotErr, &mismatch) {
			t.Errorf("%s: error %v, encoding/json has %v", text, gotErr, wantErr)
		}
		if d := cmp.Diff(want, got.plain()); wantErr == nil && d != "" {
			t.Errorf("%s:\n%s", text, d)
		}
	}
}

// TestMismatch: an error names the value's path.
func TestMismatch(t *testing.T) {
	for text, want := range map[string]string{
		`{"inner":{"parts":[{},{"count":"x"}]}}`: "cannot unmarshal string into Go struct field " +
			"plainSpec.inner.parts.1.count of type int32",
		`{"levels":{"a":1,"b":[]}}`: "cannot unmarshal array into Go struct field plainSpec.levels.b of type " +
			"int32",
		`{"count":1.5}`: "cannot unmarshal number 1.5 into Go struct field plainSpec.count of " +
			"type int32",
		`{"inner":{"until":"no"}}`: `reading inner.until: time: invalid duration "no"`,
	} {
		err := new(sampleSpec).UnmarshalJSON([]byte(text))
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestDepth: what is nested too deep for encoding/json is an error here.
func TestDepth(t *testing.T) {
	for levels, fits := range map[int]bool{100: true, maxDepth + 1: false} {
		text := strings.Repeat(`{"inner":`, levels) + "{}" + strings.Repeat("}", levels)
		if err := new(sampleSpec).UnmarshalJSON([]byte(text)); (err == nil) != fits {
			t.Errorf("%d levels: %v", levels, err)
		}
	}
}

// TestUnknown: a member without a field stays as it was read, and comes last, by name.
func TestUnknown(t *testing.T) {
	const text = `{"z":{"a":[1.50, "\u0041"]},"text":"t","a":null,"Text":"told apart by case"}`
	var spec sampleSpec
	if err := spec.UnmarshalJSON([]byte(text)); err != nil {
		t.Fatal(err)
	}
	want := map[string]json.RawMessage{"z": []byte(`{"a":[1.50, "\u0041"]}`), "a": []byte("null"),
		"Text": []byte(`"told apart by case"`)}
	if d := cmp.Diff(want, spec.UnknownFields); d != "" {
		t.Error(d)
	}
	got, err := spec.MarshalJSON()
	if err != nil || !strings.HasSuffix(string(got), `,"Text":"told apart by case","a":null,"z":{"a":[1.50, "\u0041"]}}`) {
		t.Errorf("%s, %v", got, err)
	}
	for _, broken := range []string{"", "{", "01", `"a`} {
		spec.UnknownFields = map[string]json.RawMessage{"a": []byte(broken)}
		if _, err := spec.MarshalJSON(); err == nil || !strings.Contains(err.Error(), `the unknown field "a"`) {
			t.Errorf("%q: %v", broken, err)
		}
	}
	for _, broken := range []string{`{"a":}`, `{"a":01}`, `{"a":[}`, `{"a":{"b"}}`, `{"a":`, `{"a":"`} {
		if err := new(sampleSpec).UnmarshalJSON([]byte(broken)); err == nil {
			t.Errorf("%s is read", broken)
		}
	}
}

// TestEncoders: an encoder that failed or grew leaves nothing to the next one.
func TestEncoders(t *testing.T) {
	for _, spec := range []*sampleSpec{
		{Port: intstr.IntOrString{Type: 7}}, // has no JSON
		{Text: strings.Repeat("x", 2*maxKept)},
	} {
		_, err := spec.MarshalJSON()
		if fails := spec.Port.Type == 7; (err != nil) != fails {
			t.Errorf("error %v", err)
		}
		got, err := new(sampleSpec).MarshalJSON()
		if want := standard(t, plainSpec{}); err != nil || string(got) != want {
			t.Errorf("%.100s, %v", got, err)
		}
	}
}

// TestReadAgain: members that a text lacks stay, and those of a map are added to.
func TestReadAgain(t *testing.T) {
	spec := everything()
	size := spec.Size
	if err := spec.UnmarshalJSON([]byte(`{"levels":{"c":3},"size":1,"names":["only"]}`)); err != nil {
		t.Fatal(err)
	}
	levels := maps.Clone(everything().Levels)
	levels["c"] = 3
	if !maps.Equal(spec.Levels, levels) || len(spec.Names) != 1 || spec.Text != "text" {
		t.Errorf("%+v", spec)
	}
	if spec.Size != size || *size != 1 {
		t.Errorf("the pointer is another: %d", *spec.Size)
	}
}
