package editors

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// editor speaks to a language server, as the Language Server Protocol says.
type editor struct {
	cmd         *exec.Cmd
	in          io.WriteCloser
	out         *bufio.Reader
	last        int // id of the last request
	diagnostics []diagnostic
	published   bool
}

type diagnostic struct {
	Message string
	Range   struct{ Start struct{ Line int } }
}

type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
}

func start(t *testing.T, server string) *editor {
	t.Helper()
	e := &editor{cmd: exec.Command("node", server, "--stdio")}
	var err error
	if e.in, err = e.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	e.out = bufio.NewReader(out)
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	e.request(t, "initialize", map[string]any{"processId": nil, "rootUri": nil, "capabilities": map[string]any{
		"workspace":    map[string]any{"configuration": true},
		"textDocument": map[string]any{"hover": map[string]any{"contentFormat": []string{"markdown"}}},
	}})
	e.notify(t, "initialized", map[string]any{})
	return e
}

func (e *editor) stop(t *testing.T) {
	t.Helper()
	if err := e.in.Close(); err != nil {
		t.Error(err)
	}
	if err := e.cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = e.cmd.Wait() // it was killed
}

// open opens a file and returns what is wrong with it.
func (e *editor) open(t *testing.T, file, text string) []diagnostic {
	t.Helper()
	e.notify(t, "textDocument/didOpen",
		map[string]any{"textDocument": map[string]any{"uri": "file://" + file, "languageId": "yaml", "version": 1,
			"text": text}})
	for !e.published {
		e.read(t)
	}
	slices.SortStableFunc(e.diagnostics, func(a, b diagnostic) int { return a.Range.Start.Line - b.Range.Start.Line })
	return e.diagnostics
}

// ask returns the explanation of what is left of a position, and the completions at it.
func (e *editor) ask(t *testing.T, file string, line, character int) string {
	t.Helper()
	at := func(character int) map[string]any {
		return map[string]any{"textDocument": map[string]any{"uri": "file://" + file},
			"position": map[string]any{"line": line, "character": character}}
	}
	var hover struct{ Contents struct{ Value string } }
	var completion struct{ Items []struct{ Label string } }
	e.decode(t, e.request(t, "textDocument/hover", at(max(0, character-2))), &hover)
	e.decode(t, e.request(t, "textDocument/completion", at(character)), &completion)
	var labels []string
	for _, item := range completion.Items {
		labels = append(labels, item.Label)
	}
	slices.Sort(labels)
	explanation, _, _ := strings.Cut(hover.Contents.Value, "\n\nSource:")
	return fmt.Sprintf("explains: %s\ncompletes: %s\n", strings.Join(strings.Fields(explanation), " "),
		strings.Join(labels, " "))
}

func (e *editor) decode(t *testing.T, data json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
}

func (e *editor) notify(t *testing.T, method string, params any) {
	t.Helper()
	data, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	e.send(t, message{Method: method, Params: data})
}

// request returns the result of a request.
func (e *editor) request(t *testing.T, method string, params any) json.RawMessage {
	t.Helper()
	e.last++
	id := strconv.Itoa(e.last)
	data, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	e.send(t, message{ID: json.RawMessage(id), Method: method, Params: data})
	for {
		if m := e.read(t); m.Method == "" && string(m.ID) == id {
			return m.Result
		}
	}
}

func (e *editor) send(t *testing.T, m message) {
	t.Helper()
	data, err := json.Marshal(struct {
		Version string `json:"jsonrpc"`
		message
	}{"2.0", m})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(e.in, "Content-Length: %d\r\n\r\n%s", len(data), data); err != nil {
		t.Fatal(err)
	}
}

// read reads a message. It answers requests of the server, and keeps the diagnostics.
func (e *editor) read(t *testing.T) message {
	t.Helper()
	length := 0
	for {
		line, err := e.out.ReadString('\n')
		if err != nil {
			t.Fatalf("the language server ended: %v", err)
		}
		if line = strings.TrimSpace(line); line == "" {
			break
		}
		if value, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			if length, err = strconv.Atoi(value); err != nil {
				t.Fatal(err)
			}
		}
	}
	data := make([]byte, length)
	if _, err := io.ReadFull(e.out, data); err != nil {
		t.Fatal(err)
	}
	var m message
	e.decode(t, data, &m)
	switch {
	case m.Method == "workspace/configuration":
		var asked struct{ Items []struct{ Section string } }
		e.decode(t, m.Params, &asked)
		settings := make([]any, len(asked.Items))
		for i, item := range asked.Items {
			settings[i] = map[string]any{}
			if item.Section == "yaml" {
				settings[i] = map[string]any{"validate": true, "hover": true, "completion": true,
					"schemaStore": map[string]any{"enable": false}}
			}
		}
		answer, err := json.Marshal(settings)
		if err != nil {
			t.Fatal(err)
		}
		e.send(t, message{ID: m.ID, Result: answer})
	case m.Method == "textDocument/publishDiagnostics":
		var found struct{ Diagnostics []diagnostic }
		e.decode(t, m.Params, &found)
		e.diagnostics, e.published = found.Diagnostics, true
	case m.Method != "" && m.ID != nil:
		e.send(t, message{ID: m.ID, Result: json.RawMessage("null")})
	}
	return m
}
