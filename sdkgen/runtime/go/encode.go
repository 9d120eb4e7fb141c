package light

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"sync"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// jsonEncoder writes a JSON text. Characters of HTML are not escaped: encoding/json does that to what a
// MarshalJSON returns, unless it is told not to.
type jsonEncoder struct {
	buf  []byte
	err  error
	std  *json.Encoder // which writes to buf
	keys []string      // of the maps that are being written
}

var jsonEncoders = sync.Pool{
	New: func() any {
		e := &jsonEncoder{}
		e.std = json.NewEncoder(e)
		e.std.SetEscapeHTML(false)
		return e
	},
}

func newJSONEncoder() *jsonEncoder { return jsonEncoders.Get().(*jsonEncoder) }

// maxKept is the largest buffer, in bytes, that waits for the next encoder.
const maxKept = 1 << 16

// end returns what was written. The encoder is another's then.
func (e *jsonEncoder) end() ([]byte, error) {
	data, err := bytes.Clone(e.buf), e.err
	if e.buf, e.err = e.buf[:0], nil; cap(e.buf) <= maxKept {
		jsonEncoders.Put(e)
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// Write is for encoding/json.
func (e *jsonEncoder) Write(data []byte) (int, error) {
	e.buf = append(e.buf, data...)
	return len(data), nil
}

func (e *jsonEncoder) begin() { e.buf = append(e.buf, '{') }

// member writes a member's name, which has its quotes and its colon.
func (e *jsonEncoder) member(name string) {
	if e.buf[len(e.buf)-1] != '{' {
		e.buf = append(e.buf, ',')
	}
	e.buf = append(e.buf, name...)
}

// unknown writes what no field is for, by name, and ends the object.
func (e *jsonEncoder) unknown(fields map[string]json.RawMessage) {
	if len(fields) > 0 {
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			e.keyed(key)
			if value := fields[key]; json.Valid(value) {
				e.buf = append(e.buf, value...)
			} else if e.err == nil {
				e.err = fmt.Errorf("writing the unknown field %q: its value is no JSON", key)
			}
		}
	}
	e.buf = append(e.buf, '}')
}

// isZero says whether omitzero leaves out a value.
func isZero[T any](p *T) bool { return reflect.ValueOf(p).Elem().IsZero() }

// keyed writes the name of a member that is no field.
func (e *jsonEncoder) keyed(key string) {
	e.member("")
	e.text(key)
	e.buf = append(e.buf, ':')
}

// text writes a string. One that does not stand for itself is for encoding/json.
func (e *jsonEncoder) text(s string) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			e.standard(s)
			return
		}
	}
	e.buf = append(e.buf, '"')
	e.buf = append(e.buf, s...)
	e.buf = append(e.buf, '"')
}

func writeString[T ~string](p *T, e *jsonEncoder) { e.text(string(*p)) }

func writeBool[T ~bool](p *T, e *jsonEncoder) { e.buf = strconv.AppendBool(e.buf, bool(*p)) }

func writeInt[T ~int | ~int32 | ~int64](p *T, e *jsonEncoder) {
	e.buf = strconv.AppendInt(e.buf, int64(*p), 10)
}

func writeIntOrString(p *intstr.IntOrString, e *jsonEncoder) {
	switch p.Type {
	case intstr.Int:
		writeInt(&p.IntVal, e)
	case intstr.String:
		writeString(&p.StrVal, e)
	default:
		writeStandard(p, e)
	}
}

func writeStandard[T any](p *T, e *jsonEncoder) { e.standard(p) }

// standard has encoding/json write a value.
func (e *jsonEncoder) standard(value any) {
	if err := e.std.Encode(value); err != nil {
		if e.err == nil {
			e.err = err
		}
		return
	}
	e.buf = e.buf[:len(e.buf)-1] // a line feed
}

func writePointer[T any](p **T, e *jsonEncoder, elem func(*T, *jsonEncoder)) {
	if *p == nil {
		e.buf = append(e.buf, "null"...)
		return
	}
	elem(*p, e)
}

func writeSlice[T any](p *[]T, e *jsonEncoder, elem func(*T, *jsonEncoder)) {
	if *p == nil {
		e.buf = append(e.buf, "null"...)
		return
	}
	e.buf = append(e.buf, '[')
	for i := range *p {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		elem(&(*p)[i], e)
	}
	e.buf = append(e.buf, ']')
}

func writeMap[T any](p *map[string]T, e *jsonEncoder, elem func(*T, *jsonEncoder)) {
	if *p == nil {
		e.buf = append(e.buf, "null"...)
		return
	}
	e.begin()
	first := len(e.keys)
	for key := range *p {
		e.keys = append(e.keys, key)
	}
	slices.Sort(e.keys[first:])
	var value T
	for _, key := range e.keys[first:] {
		e.keyed(key)
		value = (*p)[key]
		elem(&value, e)
	}
	clear(e.keys[first:])
	e.keys = e.keys[:first]
	e.buf = append(e.buf, '}')
}
