package light

import (
	"encoding/json"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// sample is a root kind as sdkgen writes them: a field of each shape, read and written by the runtime.
type sample struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Spec sampleSpec
}

type sampleSpec struct {
	Text   string
	Count  int32
	On     bool
	Port   intstr.IntOrString
	Until  metav1.Duration
	Size   *int64
	Inner  *sampleSpec
	Names  []string
	Levels map[string]int32
	Parts  []sampleSpec

	UnknownFields map[string]json.RawMessage
}

// plainSpec is the same for encoding/json, by tags.
type plainSpec struct {
	Text   string             `json:"text"`
	Count  int32              `json:"count"`
	On     bool               `json:"on"`
	Port   intstr.IntOrString `json:"port"`
	Until  metav1.Duration    `json:"until,omitzero"`
	Size   *int64             `json:"size,omitempty"`
	Inner  *plainSpec         `json:"inner,omitempty"`
	Names  []string           `json:"names"`
	Levels map[string]int32   `json:"levels"`
	Parts  []plainSpec        `json:"parts,omitempty"`
}

func (x *sample) UnmarshalJSON(data []byte) error {
	d := jsonDecoder{data: data}
	var unknown map[string]json.RawMessage
	for more := d.object(x); more; more = d.member() {
		switch string(d.key) {
		case "metadata":
			readStandard(&x.ObjectMeta, &d)
		case "spec":
			x.Spec.read(&d)
		default:
			d.unknown(&unknown)
		}
	}
	return d.end("sample")
}

func (x *sample) MarshalJSON() ([]byte, error) {
	e := newJSONEncoder()
	e.begin()
	e.member(`"metadata":`)
	writeStandard(&x.ObjectMeta, e)
	e.member(`"spec":`)
	x.Spec.write(e)
	e.unknown(nil)
	return e.end()
}

func (x *sampleSpec) UnmarshalJSON(data []byte) error {
	d := jsonDecoder{data: data}
	x.read(&d)
	return d.end("plainSpec")
}

func (x *sampleSpec) read(d *jsonDecoder) {
	for more := d.object(x); more; more = d.member() {
		switch string(d.key) {
		case "text":
			readString(&x.Text, d)
		case "count":
			readInt(&x.Count, d)
		case "on":
			readBool(&x.On, d)
		case "port":
			readIntOrString(&x.Port, d)
		case "until":
			readStandard(&x.Until, d)
		case "size":
			readPointer(&x.Size, d, readInt)
		case "inner":
			readPointer(&x.Inner, d, (*sampleSpec).read)
		case "names":
			readSlice(&x.Names, d, readString)
		case "levels":
			readMap(&x.Levels, d, readInt)
		case "parts":
			readSlice(&x.Parts, d, (*sampleSpec).read)
		default:
			d.unknown(&x.UnknownFields)
		}
	}
}

func (x *sampleSpec) MarshalJSON() ([]byte, error) {
	e := newJSONEncoder()
	x.write(e)
	return e.end()
}

func (x *sampleSpec) write(e *jsonEncoder) {
	e.begin()
	e.member(`"text":`)
	writeString(&x.Text, e)
	e.member(`"count":`)
	writeInt(&x.Count, e)
	e.member(`"on":`)
	writeBool(&x.On, e)
	e.member(`"port":`)
	writeIntOrString(&x.Port, e)
	if !isZero(&x.Until) {
		e.member(`"until":`)
		writeStandard(&x.Until, e)
	}
	if x.Size != nil {
		e.member(`"size":`)
		writePointer(&x.Size, e, writeInt)
	}
	if x.Inner != nil {
		e.member(`"inner":`)
		writePointer(&x.Inner, e, (*sampleSpec).write)
	}
	e.member(`"names":`)
	writeSlice(&x.Names, e, writeString)
	e.member(`"levels":`)
	writeMap(&x.Levels, e, writeInt)
	if len(x.Parts) > 0 {
		e.member(`"parts":`)
		writeSlice(&x.Parts, e, (*sampleSpec).write)
	}
	e.unknown(x.UnknownFields)
}

// plain returns the value that encoding/json has for a sampleSpec.
func (x *sampleSpec) plain() plainSpec {
	out := plainSpec{
		Text: x.Text, Count: x.Count, On: x.On, Port: x.Port, Until: x.Until, Size: x.Size, Names: x.Names, Levels: x.Levels,
	}
	if x.Inner != nil {
		inner := x.Inner.plain()
		out.Inner = &inner
	}
	if x.Parts != nil {
		out.Parts = []plainSpec{}
	}
	for i := range x.Parts {
		out.Parts = append(out.Parts, x.Parts[i].plain())
	}
	return out
}

// everything is a sampleSpec that has a value in each field.
func everything() *sampleSpec {
	size := int64(-1) << 63
	return &sampleSpec{
		Text: "text", Count: -7, On: true, Port: intstr.FromString("http"), Until: metav1.Duration{Duration: time.Minute},
		Size: &size, Inner: &sampleSpec{Port: intstr.FromInt32(80)}, Names: []string{"a", "", "ü\"\\\n<&>\u2028"},
		Levels: map[string]int32{"b": 2, "a": 1, "\x00": 0},
		Parts:  []sampleSpec{{Names: []string{}}, {Levels: map[string]int32{}}},
	}
}
