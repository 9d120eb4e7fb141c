package light

import (
	"cmp"
	"fmt"
	"io"
)

// The limits of a Client that sets none.
const (
	defaultMaxObjectBytes = 16 << 20  // an API server by default stores objects of at most 1.5 MiB
	defaultMaxListBytes   = 256 << 20 // a page of 500 objects, each of 512 KiB
)

// TooLargeError is the error of what a server sent beyond a limit of the Client. The rest was not read.
type TooLargeError struct {
	What  string // such as "the response"
	Limit int64  // in bytes of JSON
	Field string // of the Client that sets the limit: MaxObjectBytes or MaxListBytes
}

// Error names the limit, and the field that raises it.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s is larger than %d bytes; set Client.%s to allow more", e.What, e.Limit, e.Field)
}

// objectLimit is the error of an object that is too large.
func (c *Client) objectLimit(what string) *TooLargeError {
	return &TooLargeError{what, cmp.Or(c.MaxObjectBytes, defaultMaxObjectBytes), "MaxObjectBytes"}
}

// listLimit is the error of a list that is too large.
func (c *Client) listLimit(what string) *TooLargeError {
	return &TooLargeError{what, cmp.Or(c.MaxListBytes, defaultMaxListBytes), "MaxListBytes"}
}

// boundedReader reads up to a limit, and then fails.
type boundedReader struct {
	from io.Reader
	left int64 // bytes until it fails
	err  *TooLargeError
}

func newBoundedReader(from io.Reader, err *TooLargeError) *boundedReader {
	return &boundedReader{from, err.Limit, err}
}

// reset allows as many bytes again as at the beginning.
func (r *boundedReader) reset() { r.left = r.err.Limit }

// Read implements io.Reader. Data of exactly the limit are no error.
func (r *boundedReader) Read(p []byte) (int, error) {
	if int64(len(p)) > r.left {
		p = p[:r.left+1]
	}
	n, err := r.from.Read(p)
	if int64(n) > r.left {
		return int(r.left), r.err
	}
	r.left -= int64(n)
	return n, err
}
