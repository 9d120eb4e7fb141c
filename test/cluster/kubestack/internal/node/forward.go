package node

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// forwarder is behind every port of a pod.
type forwarder struct {
	pod pod
}

// PortForward answers HTTP requests with JSON that says what was asked of whom. It returns when the client closes its
// side, or after a request that asks for that.
func (f forwarder) PortForward(_ context.Context, _, _ string, port int32, stream io.ReadWriteCloser) error {
	defer stream.Close() //nolint:errcheck // the other side has its answer or is gone
	reader := bufio.NewReader(stream)
	for {
		request, err := http.ReadRequest(reader)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading a request to port %d: %w", port, err)
		}
		if err := f.answer(stream, request, port); err != nil {
			return fmt.Errorf("answering on port %d: %w", port, err)
		}
		if request.Close {
			return nil
		}
	}
}

func (f forwarder) answer(w io.Writer, request *http.Request, port int32) error {
	content, err := io.ReadAll(request.Body)
	if err != nil {
		return err
	}
	answer, err := json.Marshal(map[string]any{
		"namespace": f.pod.namespace,
		"pod":       f.pod.name,
		"port":      port,
		"method":    request.Method,
		"path":      request.URL.RequestURI(),
		"body":      string(content),
	})
	if err != nil {
		return err
	}
	response := http.Response{
		StatusCode:    http.StatusOK,
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        http.Header{"Content-Type": {"application/json"}},
		Body:          io.NopCloser(bytes.NewReader(answer)),
		ContentLength: int64(len(answer)),
		Close:         request.Close,
		Request:       request,
	}
	return response.Write(w)
}
