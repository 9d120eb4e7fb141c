package fake

import (
	"context"
	"io"
	"net/http"
	"sync"
)

// RoundTrip implements http.RoundTripper: it serves a request without a network.
func (s *Server) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	inner := r.Clone(ctx)
	if r.Body == nil {
		inner.Body = http.NoBody
	}
	from, to := io.Pipe()
	w := &pipeWriter{header: http.Header{}, to: to, begun: make(chan struct{})}
	go func() {
		s.ServeHTTP(w, inner)
		w.WriteHeader(http.StatusOK)
		_ = inner.Body.Close() // of a request in memory
		_ = to.Close()         // which cannot fail
	}()
	select {
	case <-w.begun:
	case <-r.Context().Done():
		cancel()
		_ = from.Close() // which cannot fail
		return nil, r.Context().Err()
	}
	return &http.Response{
		Status: http.StatusText(w.code), StatusCode: w.code, Header: w.sent, Body: &body{from, r, cancel}, Request: r, ContentLength: -1,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}, nil
}

// body ends with the error of the request's context.
type body struct {
	*io.PipeReader
	request *http.Request
	cancel  context.CancelFunc
}

// Close ends the request, such as a watch.
func (b *body) Close() error {
	b.cancel()
	return b.PipeReader.Close()
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.PipeReader.Read(p)
	if ended := b.request.Context().Err(); n == 0 && err != nil && ended != nil {
		err = ended
	}
	return n, err
}

// pipeWriter is an http.ResponseWriter into a pipe.
type pipeWriter struct {
	header, sent http.Header
	code         int
	to           *io.PipeWriter
	once         sync.Once
	begun        chan struct{}
}

// Header implements http.ResponseWriter.
func (w *pipeWriter) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *pipeWriter) WriteHeader(code int) {
	w.once.Do(func() {
		w.code, w.sent = code, w.header.Clone()
		close(w.begun)
	})
}

// Write implements http.ResponseWriter.
func (w *pipeWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.to.Write(p)
}

// Flush implements http.Flusher. What is written is not buffered.
func (w *pipeWriter) Flush() { w.WriteHeader(http.StatusOK) }
