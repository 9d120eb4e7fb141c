package light

import (
	"bytes"
	"encoding/json"
	"strconv"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// Each of these functions reads a value of one type, as encoding/json does.

func readString[T ~string](p *T, d *jsonDecoder) {
	if d.null() {
		return
	}
	if d.next() != '"' {
		d.mismatch(p, "")
		return
	}
	token, plain := d.quoted()
	switch {
	case plain:
		*p = T(token[1 : len(token)-1])
	default:
		d.standard(token, p)
	}
}

func readBool[T ~bool](p *T, d *jsonDecoder) {
	switch rest := d.rest(); {
	case d.null():
	case bytes.HasPrefix(rest, []byte("true")):
		*p = true
		d.pos += len("true")
	case bytes.HasPrefix(rest, []byte("false")):
		*p = false
		d.pos += len("false")
	default:
		d.mismatch(p, "")
	}
}

// rest is what is to be read, without white space before it.
func (d *jsonDecoder) rest() []byte {
	d.next()
	return d.data[d.pos:]
}

func readInt[T ~int | ~int32 | ~int64](p *T, d *jsonDecoder) {
	if d.null() {
		return
	}
	digits := d.rest()
	n := 0
	for n < len(digits) && (digits[n] >= '0' && digits[n] <= '9' || n == 0 && digits[n] == '-') {
		n++
	}
	token := digits[:n]
	whole := n == len(digits) || bytes.IndexByte([]byte(",]} \t\r\n"), digits[n]) >= 0
	value, err := strconv.ParseInt(string(token), 10, 64)
	switch {
	case !whole || err != nil || int64(T(value)) != value:
		at := *d
		d.mismatch(p, " "+string(at.raw()))
	case !json.Valid(token): // 01
		d.syntax()
	default:
		*p = T(value)
		d.pos += n
	}
}

func readIntOrString(p *intstr.IntOrString, d *jsonDecoder) {
	if d.next() == '"' {
		p.Type = intstr.String
		readString(&p.StrVal, d)
		return
	}
	p.Type = intstr.Int
	readInt(&p.IntVal, d)
}

func readStandard[T any](p *T, d *jsonDecoder) {
	d.standard(d.raw(), p)
}

func readPointer[T any](p **T, d *jsonDecoder, elem func(*T, *jsonDecoder)) {
	if d.null() {
		*p = nil
		return
	}
	if *p == nil {
		*p = new(T)
	}
	elem(*p, d)
}

func readSlice[T any](p *[]T, d *jsonDecoder, elem func(*T, *jsonDecoder)) {
	if d.null() {
		*p = nil
		return
	}
	if !d.begin('[', p) {
		return
	}
	*p = []T{}
	for d.more(']') {
		*p = append(*p, *new(T))
		elem(&(*p)[len(*p)-1], d)
	}
}

func readMap[T any](p *map[string]T, d *jsonDecoder, elem func(*T, *jsonDecoder)) {
	if d.null() {
		*p = nil
		return
	}
	if !d.begin('{', p) {
		return
	}
	if *p == nil {
		*p = map[string]T{}
	}
	var value, zero T
	for d.member() {
		key := string(d.key)
		value = zero
		elem(&value, d)
		(*p)[key] = value
	}
}
