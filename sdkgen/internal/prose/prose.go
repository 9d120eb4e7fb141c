// Package prose keeps the texts of an API apart from its shape. What prepares a document for the
// jar marks the texts in it, Split takes them out and leaves a stand-in for each, and Expand puts
// them into what the jar made of the stand-ins. So a text reaches the output as it was written,
// and the jar has nothing to do where nothing but texts changed.
package prose

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// Text is a text that Split takes out of a document, ready for the place where templates print
// it. It holds no character of Unicode's private areas. Without a letter it stays in the document,
// so that templates can ask whether there is one.
type Text string

// What begins and ends a text, and its stand-in: characters that have no meaning, no case and no
// escape in HTML.
const (
	begin = "\ue000"
	end   = "\ue001"
)

// MarshalJSON returns the text with its marks.
func (t Text) MarshalJSON() ([]byte, error) {
	if t == "" {
		return []byte(`""`), nil
	}
	return json.Marshal(begin + string(t) + end)
}

// Split returns a JSON document with stand-ins in place of the texts that are marked in it, and the
// texts in their order. The stand-ins depend on where there are texts, not on what they say.
func Split(doc []byte) (shape []byte, texts []string, err error) {
	for {
		before, rest, found := bytes.Cut(doc, []byte(begin))
		marked, after, ended := bytes.Cut(rest, []byte(end))
		if !found || !ended {
			return append(shape, doc...), texts, nil
		}
		var text string
		if err := json.Unmarshal(fmt.Appendf(nil, `"%s"`, marked), &text); err != nil {
			return nil, nil, fmt.Errorf("reading the text %q: %w", marked, err)
		}
		shape = fmt.Append(append(shape, before...), begin, len(texts), end)
		texts, doc = append(texts, text), after
	}
}

// Expand returns data with the texts in place of their stand-ins.
func Expand(data []byte, texts []string) []byte {
	var out []byte
	for {
		before, rest, found := bytes.Cut(data, []byte(begin))
		number, after, ended := bytes.Cut(rest, []byte(end))
		if !found || !ended {
			return append(out, data...)
		}
		out = append(out, before...)
		if n, err := strconv.Atoi(string(number)); err == nil && 0 <= n && n < len(texts) {
			out, data = append(out, texts[n]...), after
		} else { // it was there before
			out, data = append(out, begin...), rest
		}
	}
}
