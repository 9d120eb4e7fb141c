package light

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// jsonDecoder reads a JSON text. After an error it reads nothing more.
type jsonDecoder struct {
	data  []byte
	pos   int
	depth int
	first bool   // an object or array was begun, and nothing in it read
	key   []byte // of the member that is to be read
	err   error
}

// maxDepth is how deep encoding/json lets values nest.
const maxDepth = 10000

// end returns the error of reading a whole text, a value of the type named.
func (d *jsonDecoder) end(typ string) error {
	if d.err == nil && d.next() != 0 {
		d.syntax()
	}
	if mismatch, ok := d.err.(*json.UnmarshalTypeError); ok {
		mismatch.Struct = typ
	}
	return d.err
}

// next skips white space and returns the byte there, 0 at the end or after an error.
func (d *jsonDecoder) next() byte {
	for d.err == nil && d.pos < len(d.data) {
		switch c := d.data[d.pos]; c {
		case ' ', '\t', '\n', '\r':
			d.pos++
		case 0:
			d.syntax()
		default:
			return c
		}
	}
	return 0
}

// null reads a null, if there is one.
func (d *jsonDecoder) null() bool {
	if d.next() == 'n' && bytes.HasPrefix(d.data[d.pos:], []byte("null")) {
		d.pos += len("null")
		return true
	}
	return false
}

// object begins the object that target is to be, and says whether it has a member, which is then
// to be read. A null leaves a struct as it is.
func (d *jsonDecoder) object(target any) bool {
	return !d.null() && d.begin('{', target) && d.member()
}

// begin reads the start of an object or array.
func (d *jsonDecoder) begin(start byte, target any) bool {
	if d.next() != start {
		d.mismatch(target, "")
		return false
	}
	d.pos++
	d.first = true
	if d.depth++; d.depth > maxDepth {
		d.syntax()
	}
	return d.err == nil
}

// more reads up to the next element, or the end.
func (d *jsonDecoder) more(end byte) bool {
	c, first := d.next(), d.first
	d.first = false
	switch {
	case d.err != nil:
		return false
	case c == end:
		d.pos++
		d.depth--
		return false
	case c == ',' && !first:
		d.pos++
		return true
	case !first:
		d.syntax()
	}
	return first
}

// member reads the next member's key, or the end of the object.
func (d *jsonDecoder) member() bool {
	if !d.more('}') {
		return false
	}
	if d.next() != '"' {
		d.syntax()
		return false
	}
	token, plain := d.quoted()
	if plain {
		d.key = token[1 : len(token)-1]
	} else if d.err == nil {
		var key string
		d.standard(token, &key)
		d.key = []byte(key)
	}
	if d.next() != ':' {
		d.syntax()
		return false
	}
	d.pos++
	return d.err == nil
}

// quoted reads a string. A plain one stands for itself; any other is for encoding/json.
func (d *jsonDecoder) quoted() (token []byte, plain bool) {
	plain = true
	start := d.pos
	for i := start + 1; i < len(d.data); i++ {
		switch c := d.data[i]; {
		case c == '"':
			d.pos = i + 1
			return d.data[start:d.pos], plain
		case c == '\\':
			i++
			plain = false
		case c < ' ' || c > '~':
			plain = false
		}
	}
	d.syntax()
	return nil, false
}

// raw reads any value and looks no further than to find its end.
func (d *jsonDecoder) raw() []byte {
	first := d.next()
	start := d.pos
	switch first {
	case '"':
		d.quoted()
	case '{', '[':
		d.nested()
	default:
		for d.pos < len(d.data) && bytes.IndexByte([]byte(",:]} \t\r\n"), d.data[d.pos]) < 0 {
			d.pos++
		}
	}
	if d.err != nil {
		return nil
	}
	return d.data[start:d.pos]
}

// nested reads up to the bracket that closes the one here.
func (d *jsonDecoder) nested() {
	for depth := 0; d.pos < len(d.data) && d.err == nil; {
		switch d.data[d.pos] {
		case '"':
			d.quoted()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		d.pos++
		if depth == 0 {
			return
		}
	}
	d.syntax()
}

// standard has encoding/json read a value, which ends where the decoder is.
func (d *jsonDecoder) standard(token []byte, target any) {
	if d.err != nil {
		return
	}
	if err := json.Unmarshal(token, target); err != nil {
		if !json.Valid(d.data) {
			d.syntax()
			return
		}
		d.err = fmt.Errorf("reading %s: %w", pathTo(d.data[:d.pos-len(token)]), err)
	}
}

// unknown keeps the member that no field is for.
func (d *jsonDecoder) unknown(fields *map[string]json.RawMessage) {
	key := string(d.key)
	token := d.raw()
	if d.err == nil && !json.Valid(token) {
		d.syntax()
	}
	if d.err != nil {
		return
	}
	if *fields == nil {
		*fields = map[string]json.RawMessage{}
	}
	(*fields)[key] = bytes.Clone(token)
}

// syntax ends the reading with encoding/json's error.
func (d *jsonDecoder) syntax() {
	if d.err != nil {
		return
	}
	if d.err = json.Unmarshal(d.data, new(json.RawMessage)); d.err == nil {
		d.err = fmt.Errorf("reading JSON: no value that is expected at byte %d", d.pos)
	}
}

// mismatch ends the reading at a value that target, a pointer, cannot hold.
func (d *jsonDecoder) mismatch(target any, number string) {
	d.next()
	start := d.pos
	if !json.Valid(d.data) {
		d.syntax()
		return
	}
	token := d.raw()
	value := map[byte]string{'{': "object", '[': "array", '"': "string", 't': "bool", 'f': "bool"}[token[0]]
	if value == "" {
		value = "number" + number
	}
	d.err = &json.UnmarshalTypeError{
		Value: value, Type: reflect.TypeOf(target).Elem(), Offset: int64(start), Field: pathTo(d.data[:start]),
	}
}

// pathTo names the value that begins after a text, such as spec.containers.0.image.
func pathTo(before []byte) string {
	type level struct {
		key    any
		object bool
		isKey  bool
	}
	var levels []level
	read := json.NewDecoder(bytes.NewReader(before))
	for token, err := read.Token(); err == nil; token, err = read.Token() {
		if last := len(levels) - 1; last >= 0 && token != json.Delim('}') && token != json.Delim(']') {
			switch l := &levels[last]; {
			case l.object && !l.isKey:
				l.key, l.isKey = token, true
				continue
			case l.object:
				l.isKey = false
			default:
				l.key = l.key.(int) + 1
			}
		}
		switch token {
		case json.Delim('{'):
			levels = append(levels, level{key: "", object: true})
		case json.Delim('['):
			levels = append(levels, level{key: -1})
		case json.Delim('}'), json.Delim(']'):
			levels = levels[:len(levels)-1]
		}
	}
	var out []byte
	for i, l := range levels {
		if n, ok := l.key.(int); ok && i == len(levels)-1 {
			l.key = n + 1 // the element that begins
		}
		out = fmt.Append(out, ".", l.key)
	}
	return string(bytes.TrimPrefix(out, []byte(".")))
}
