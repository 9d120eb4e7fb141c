// Package report writes what the measuring programs found into the documents about it.
package report

import (
	"fmt"
	"os"
	"strings"
)

// Section is what stands between the lines <!-- MARK, begin --> and <!-- MARK, end --> of a document.
type Section struct{ Mark, Text string }

// Write puts sections between their marks in a file. A mark that is missing is an error, and the file
// stays as it is.
func Write(file string, sections []Section) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text := string(data)
	for _, s := range sections {
		begin, end := "<!-- "+s.Mark+", begin -->\n", "<!-- "+s.Mark+", end -->"
		before, rest, ok := strings.Cut(text, begin)
		_, after, closed := strings.Cut(rest, end)
		if !ok || !closed {
			return fmt.Errorf("%s has no lines %q and %q", file, begin, end)
		}
		text = before + begin + s.Text + end + after
	}
	return os.WriteFile(file, []byte(text), 0o644)
}
