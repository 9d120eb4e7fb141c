package light

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestBoundedReader: data up to the limit are read as they are, of more nothing beyond it.
func TestBoundedReader(t *testing.T) {
	const limit = 8
	for n := range 2 * limit {
		data := bytes.Repeat([]byte("x"), n)
		for _, from := range []io.Reader{bytes.NewReader(data), iotest.OneByteReader(bytes.NewReader(data)),
			iotest.DataErrReader(bytes.NewReader(data))} {
			got, err := io.ReadAll(newBoundedReader(from, &TooLargeError{Limit: limit}))
			if len(got) != min(n, limit) || (err == nil) != (n <= limit) {
				t.Errorf("%d bytes: %d, %v", n, len(got), err)
			}
		}
	}
}

// tooLarge says whether an error is that of a limit of a field, which it names.
func tooLarge(err error, field string) bool {
	var large *TooLargeError
	return errors.As(err, &large) && large.Field == field && strings.Contains(err.Error(), "Client."+field)
}

// TestObjectLimit: an object is read up to MaxObjectBytes.
func TestObjectLimit(t *testing.T) {
	const text = `{"metadata":{"name":"a"}}`
	for _, method := range []string{http.MethodGet, http.MethodPut} {
		for limit, fits := range map[int64]bool{int64(len(text)): true, int64(len(text)) - 1: false} {
			r, _ := serve(t, "200 "+text)
			r.MaxObjectBytes = limit
			_, err := restCall[sample](t.Context(), r, restRequest{method: method, name: "a"})
			if (err == nil) != fits || err != nil && !tooLarge(err, "MaxObjectBytes") {
				t.Errorf("%s with %d bytes: %v", method, limit, err)
			}
		}
	}
}

// TestListLimit: a list is read up to MaxListBytes, however small objects have to be.
func TestListLimit(t *testing.T) {
	text := `{"items":[` + strings.Repeat(`{},`, 20) + `{}]}`
	for limit, fits := range map[int64]bool{int64(len(text)): true, int64(len(text)) - 1: false} {
		r, _ := serve(t, "200 "+text)
		r.MaxObjectBytes, r.MaxListBytes = 1, limit
		_, err := r.page(t.Context(), metav1.ListOptions{})
		if (err == nil) != fits || err != nil && !tooLarge(err, "MaxListBytes") {
			t.Errorf("with %d bytes: %v", limit, err)
		}
	}
}

// TestWatchLimits: a watch ends when an event, its list, or all objects that it has seen are too large.
func TestWatchLimits(t *testing.T) {
	const list = `200 {"metadata":{"resourceVersion":"5"},"items":[{"metadata":{"name":"a","uid":"a","resourceVersion":"3"}}]}`
	padding := strings.Repeat("x", 1000)
	event := func(kind string, n int) string {
		return fmt.Sprintf(`{"type":%q,"object":{"metadata":{"name":"b%d","resourceVersion":"%d"},"spec":{"text":%q}}}`, kind,
			n, n, padding)
	}
	var same, other, comeAndGo, page strings.Builder
	for n := range 30 {
		same.WriteString(event("ADDED", 1))
		other.WriteString(event("ADDED", n))
		comeAndGo.WriteString(event("ADDED", n) + event("DELETED", n))
		fmt.Fprintf(&page, `{"metadata":{"name":"b%d","uid":"u","resourceVersion":"1"},"spec":{"text":%q}},`, n, padding)
	}
	endless := `200 {"metadata":{"continue":"t"},"items":[` + strings.TrimSuffix(page.String(), ",") + `]}`
	for name, c := range map[string]struct {
		answers []string
		field   string // of the limit; empty if there is no error after 31 events
	}{
		"an event that never ends": {[]string{list,
			`200 {"type":"ADDED","object":{"spec":{"text":"` + strings.Repeat(padding, 5)}, "MaxObjectBytes"},
		"white space that never ends": {[]string{list, "200 " + strings.Repeat(" ", 5000)}, "MaxObjectBytes"},
		"objects that are ever more":  {[]string{list, "200 " + other.String()}, "MaxListBytes"},
		"pages that are ever more":    {[]string{endless, endless, endless}, "MaxListBytes"},
		"one object again and again":  {[]string{list, "200 " + same.String()}, ""},
		"objects that come and go":    {[]string{list, "200 " + comeAndGo.String()}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := serve(t, c.answers...)
			r.MaxObjectBytes, r.MaxListBytes = 4000, 20000
			n := 0
			var last error
			for _, last = range restWatch(t.Context(), r, metav1.ListOptions{}, r.page) {
				if n++; n == 31 {
					break
				}
			}
			if c.field != "" && !tooLarge(last, c.field) || c.field == "" && (last != nil || n != 31) {
				t.Errorf("after %d events: %v", n, last)
			}
		})
	}
}
