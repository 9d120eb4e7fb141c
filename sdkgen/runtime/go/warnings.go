package light

import (
	"context"
	"log/slog"
	"net/http"
	"sync"

	"k8s.io/apimachinery/pkg/util/net"
)

// WarningHandler handles the warnings of the API server, such as one of an unknown field that the server dropped. Its
// method is that of client-go's rest.WarningHandlerWithContext, so rest.NoWarnings{} is one.
type WarningHandler interface {
	// HandleWarningHeaderWithContext handles one Warning header of a response to a request with the context ctx. The
	// API server sends the code 299. It may be called from many goroutines.
	HandleWarningHeaderWithContext(ctx context.Context, code int, agent string, text string)
}

// warningCode is the code of the API server's warnings.
const warningCode = 299

// maxWarnings is how many texts a warningLogger remembers.
const maxWarnings = 1000

// warningLogger is the default WarningHandler. It logs each text once.
type warningLogger struct {
	mu     sync.Mutex
	logged map[string]bool
}

// HandleWarningHeaderWithContext implements WarningHandler.
func (l *warningLogger) HandleWarningHeaderWithContext(ctx context.Context, code int, _, text string) {
	if code == warningCode && text != "" && l.isNew(text) {
		slog.WarnContext(ctx, "API server: "+text)
	}
}

// isNew remembers a text. After maxWarnings texts none is new.
func (l *warningLogger) isNew(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.logged[text] || len(l.logged) == maxWarnings {
		return false
	}
	if l.logged == nil {
		l.logged = map[string]bool{}
	}
	l.logged[text] = true
	return true
}

// warn passes the warnings of a response on. Headers that cannot be parsed are ignored.
func (c *Client) warn(ctx context.Context, header http.Header) {
	handler := c.WarningHandler
	if handler == nil {
		handler = &c.warnings
	}
	warnings, _ := net.ParseWarningHeaders(header["Warning"])
	for _, w := range warnings {
		handler.HandleWarningHeaderWithContext(ctx, w.Code, w.Agent, w.Text)
	}
}
