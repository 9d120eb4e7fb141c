package minicluster

import (
	"fmt"
	"reflect"
	"regexp"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// MaxObjectSize is the maximum size of an object in bytes, in the encoding in which the API server stores
// it. A ConfigMap holds 1 MiB at most, and etcd takes requests of up to 1.5 MiB.
const MaxObjectSize = 900_000

// checkSize returns an error for the first object that is too large. It names the field that makes it so.
func (s *Set) checkSize(mc *api.MiniCluster) error {
	for _, o := range s.All() {
		sized, ok := o.(interface{ Size() int })
		if !ok || sized.Size() <= MaxObjectSize {
			continue
		}
		kind := o.GetObjectKind().GroupVersionKind().Kind
		from := origins[kind]
		if o.GetName() == FluxConfigMap(mc) {
			from = configOrigin
		}
		return &field.Error{
			Type:     field.ErrorTypeTooLong,
			Field:    heaviest(field.NewPath("spec"), reflect.ValueOf(mc.Spec), from).String(),
			BadValue: field.OmitValueType{},
			Detail: fmt.Sprintf("the %s %s would have %d bytes, and may not have more than %d",
				kind, o.GetName(), sized.Size(), MaxObjectSize),
		}
	}
	return nil
}

// origin matches the paths of the fields that an object is made from.
type origin struct{ in, out *regexp.Regexp }

func (f origin) match(path string) bool {
	return f.in.MatchString(path) && (f.out == nil || !f.out.MatchString(path))
}

var (
	commands     = regexp.MustCompile(`^spec\.(containers|services)\[\d+\]\.commands?\b`)
	configOrigin = origin{regexp.MustCompile(`^spec\.flux\b`), nil}

	// origins are those of the objects of each kind; a ConfigMap is that of the entrypoints.
	origins = map[string]origin{
		"ConfigMap":             {regexp.MustCompile(commands.String() + `|^spec\.(flux|users|archive)\b`), nil},
		"Secret":                {regexp.MustCompile(`^spec\.(flux|fluxRestful|users)\b`), nil},
		"PersistentVolume":      {regexp.MustCompile(`^spec\.volumes\b`), nil},
		"PersistentVolumeClaim": {regexp.MustCompile(`^spec\.volumes\b`), nil},
		"Service":               {regexp.MustCompile(`^spec\.(containers|services)\[\d+\]\.ports\b`), nil},
		"Pod":                   {regexp.MustCompile(`^spec\.(services|pod)\b`), commands},
		"Job":                   {regexp.MustCompile(`^spec\.(containers|pod|jobLabels)\b`), commands},
	}
)

// heaviest returns the path of the smallest value that holds more than half of what an object is made from.
func heaviest(path *field.Path, v reflect.Value, from origin) *field.Path {
	total, most := 0, 0
	var heavy *field.Path
	var value reflect.Value
	for part, inner := range parts(v) {
		n := weight(part.under(path), inner, from)
		total += n
		if n > most {
			most, heavy, value = n, part.under(path), inner
		}
	}
	if most*2 <= total {
		return path
	}
	return heaviest(heavy, value, from)
}

// weight is about the number of bytes of a value in JSON, without what an object is not made from.
func weight(path *field.Path, v reflect.Value, from origin) int {
	n := 0
	for part, inner := range parts(v) {
		n += len(part.name) + weight(part.under(path), inner, from)
	}
	if n > 0 || !from.match(path.String()) {
		return n
	}
	if v.Kind() == reflect.String {
		return v.Len()
	}
	if quantity, ok := v.Interface().(intstr.IntOrString); ok {
		return len(quantity.String())
	}
	return 0
}
