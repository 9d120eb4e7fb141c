package artifact

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Unified writes changes as a diff that `git apply` and `patch -p1` read: old
// names under a/, new ones under b/, /dev/null for what is not there, and one
// line for a binary file.
func Unified(w io.Writer, changes []Change) error {
	b := bufio.NewWriter(w)
	for _, c := range changes {
		c.unified(b)
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("writing the diff: %w", err)
	}
	return nil
}

// unified writes one change; errors stay in b until it is flushed.
func (c Change) unified(b *bufio.Writer) {
	from, to := "a/"+c.Path, "b/"+c.Path
	fmt.Fprintf(b, "diff --git %s %s\n", from, to)
	switch {
	case c.Kind == Added:
		fmt.Fprintf(b, "new file mode %s\n", gitMode(c.Mode))
		from = "/dev/null"
	case c.Kind == Deleted:
		fmt.Fprintf(b, "deleted file mode %s\n", gitMode(c.OldMode))
		to = "/dev/null"
	case c.OldMode != c.Mode:
		fmt.Fprintf(b, "old mode %s\nnew mode %s\n", gitMode(c.OldMode), gitMode(c.Mode))
	}
	if bytes.Equal(c.Old, c.New) {
		return
	}
	if binary(c.Old) || binary(c.New) {
		fmt.Fprintf(b, "Binary files %s and %s differ\n", from, to)
		return
	}
	fmt.Fprintf(b, "--- %s\n+++ %s\n", quoteName(from), quoteName(to))
	fmt.Fprintf(b, "%s", hunks(c.Old, c.New))
}

// hunks returns the diff without its three header lines.
func hunks(old, new []byte) []byte {
	text := diff.Diff("a", old, "b", new)
	for range 3 {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return text
}

// quoteName ends a name that has a space in it as git does, with a tab.
func quoteName(name string) string {
	if strings.Contains(name, " ") {
		return name + "\t"
	}
	return name
}

func gitMode(m fs.FileMode) string {
	if m == execMode {
		return "100755"
	}
	return "100644"
}

// binary goes by git's rule.
func binary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0
}
