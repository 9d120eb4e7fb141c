package light

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// warned returns the resource samples of a server that sends these Warning headers, with a refusal or not.
func warned(t *testing.T, code int, headers ...string) restResource {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for _, header := range headers {
			w.Header().Add("Warning", header)
		}
		w.WriteHeader(code)
		fmt.Fprint(w, "{}")
	}))
	t.Cleanup(server.Close)
	client, err := NewClient(server.Client(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return restResource{Client: client, group: "example.org", version: "v1", plural: "samples"}
}

type key struct{}

// recorder is a WarningHandler that keeps what it gets.
type recorder []string

func (r *recorder) HandleWarningHeaderWithContext(ctx context.Context, code int, agent, text string) {
	*r = append(*r, fmt.Sprint(ctx.Value(key{}), " ", code, " ", agent, " ", text))
}

// TestWarnings: the handler gets each warning, of a refusal too, with the context of the request.
func TestWarnings(t *testing.T) {
	ctx := context.WithValue(t.Context(), key{}, "mine")
	for _, code := range []int{http.StatusOK, http.StatusConflict} {
		var got recorder
		r := warned(t, code, `299 - "unknown field \"spec.sise\""`, `199 agent "other", 299 - "second"`, "no warning", "")
		r.WarningHandler = &got
		_, err := restCall[sample](ctx, r, restRequest{method: http.MethodPost})
		if (err == nil) != (code == http.StatusOK) {
			t.Error(err)
		}
		want := []string{`mine 299 - unknown field "spec.sise"`, "mine 199 agent other", "mine 299 - second"}
		if !slices.Equal(got, want) {
			t.Errorf("%q", []string(got))
		}
	}
}

// TestWarningLogger: without a handler each text of the code 299 is logged once, and no more than maxWarnings.
func TestWarningLogger(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)
	r := warned(t, http.StatusOK, `299 - "one"`, `199 - "not logged"`, `299 - "two"`, `299 - "one"`, `299 - ""`)
	for range 2 {
		if _, err := restCall[sample](t.Context(), r, restRequest{method: http.MethodGet, name: "a"}); err != nil {
			t.Fatal(err)
		}
	}
	if got := log.String(); strings.Count(got, "level=WARN") != 2 || !strings.Contains(got, `"API server: one"`) ||
		!strings.Contains(got, `"API server: two"`) {
		t.Error(got)
	}
	log.Reset()
	for n := range 2 * maxWarnings {
		r.warn(t.Context(), http.Header{"Warning": {fmt.Sprintf(`299 - "text %d"`, n)}})
	}
	if lines := strings.Count(log.String(), "\n"); lines != maxWarnings-2 || len(r.warnings.logged) != maxWarnings {
		t.Errorf("%d lines, %d texts remembered", lines, len(r.warnings.logged))
	}
}
