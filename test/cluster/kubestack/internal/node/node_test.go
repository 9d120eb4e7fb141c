package node

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	utilexec "k8s.io/utils/exec"
)

type buffer struct{ bytes.Buffer }

func (*buffer) Close() error { return nil }

// execute runs a command and gives what it wrote and its exit code.
func execute(t *testing.T, stdin string, command ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errors buffer
	e := executor{pod{namespace: "team", name: "worker-0"}}
	err := e.ExecInContainer(t.Context(), "", "", "main", command, strings.NewReader(stdin), &out, &errors, false, nil, 0)
	return out.String(), errors.String(), exitStatus(t, err)
}

func exitStatus(t *testing.T, err error) int {
	t.Helper()
	if err == nil {
		return 0
	}
	var exit utilexec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("the command did not run: %v", err)
	}
	return exit.ExitStatus()
}

func TestExec(t *testing.T) {
	for name, test := range map[string]struct {
		stdin   string
		command []string
		stdout  string
		stderr  string
		code    int
	}{
		"arguments are words": {command: []string{"echo", "a  b", "$HOME", "it's"}, stdout: "a  b $HOME it's\n"},
		"a shell": {command: []string{"sh", "-c", "echo $1; echo bad >&2; exit 3", "x", "one"},
			stdout: "one\n", stderr: "bad\n", code: 3},
		"input":                 {stdin: "text", command: []string{"cat"}, stdout: "text"},
		"a script on the input": {stdin: "echo one; false", command: []string{"sh"}, stdout: "one\n", code: 1},
		"the pod": {command: []string{"sh", "-c", "hostname; echo $POD_NAMESPACE/$CONTAINER"},
			stdout: "worker-0\nteam/main\n"},
		"a variable": {command: []string{"sh", "-c",
			"A=1 env | while read x; do case $x in A=*) echo $x;; esac; done"}, stdout: "A=1\n"},
		"false":                  {command: []string{"false"}, code: 1},
		"sleep":                  {command: []string{"sleep", "0.01"}},
		"no such program":        {command: []string{"reboot"}, stderr: "reboot: not found\n", code: 127},
		"no program by its path": {command: []string{"/bin/ls"}, stderr: "/bin/ls: not found\n", code: 127},
		"not a script": {command: []string{"sh", "-c", "if"},
			stderr: "sh: 1:1: `if` must be followed by a statement list\n", code: 2},
		"nothing goes to the null": {command: []string{"sh", "-c", "echo gone > /dev/null"}},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, code := execute(t, test.stdin, test.command...)
			if stdout != test.stdout || stderr != test.stderr || code != test.code {
				t.Errorf("got %q, %q, exit code %d; want %q, %q, %d",
					stdout, stderr, code, test.stdout, test.stderr, test.code)
			}
		})
	}
}

func TestExecDoesNotReachTheHost(t *testing.T) {
	directory := t.TempDir()
	secret := filepath.Join(directory, "secret")
	if err := os.WriteFile(secret, []byte("token"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SECRET", "token")
	for _, script := range []string{
		"read x < " + secret + "; echo $x",
		"echo " + directory + "/*",
		"test -e " + secret + " && echo token",
		". " + secret,
		"cat " + secret,
		"cd " + directory + " && pwd",
		"env; set",
		"mapfile x < " + secret + "; echo $x",
		"cat <(echo token) ; echo token > " + secret + ".new",
		"exec cat " + secret,
		"command -v ls; type ls",
	} {
		stdout, stderr, _ := execute(t, "", "sh", "-c", script)
		if strings.Contains(strings.ReplaceAll(stdout, directory+"/*", ""), "token") || strings.Contains(stdout, secret) {
			t.Errorf("%s: wrote %q, %q", script, stdout, stderr)
		}
	}
	entries, err := os.ReadDir(directory)
	if err != nil || len(entries) != 1 {
		t.Errorf("the directory holds %v, %v; want the secret alone", entries, err)
	}
}

func TestExecWithoutStreams(t *testing.T) {
	e := executor{}
	if err := e.ExecInContainer(t.Context(), "", "", "", []string{"echo", "a"}, nil, nil, nil, false, nil, 0); err != nil {
		t.Error(err)
	}
	var out buffer
	// As with a terminal, which has one stream for both.
	err := e.ExecInContainer(t.Context(), "", "", "", []string{"sh", "-c", "cat; echo a; echo b >&2"}, nil, &out, nil,
		true, nil, 0)
	if err != nil || out.String() != "a\nb\n" {
		t.Errorf("got %q, %v", out.String(), err)
	}
}

func TestPortForward(t *testing.T) {
	client, server := net.Pipe()
	ended := make(chan error, 1)
	go func() {
		f := forwarder{pod{namespace: "team", name: "worker-0"}}
		ended <- f.PortForward(t.Context(), "", "", 8080, server)
	}()
	reader := bufio.NewReader(client)
	for _, closing := range []bool{false, true} {
		request, err := http.NewRequest(http.MethodPost, "http://pod/v1/jobs?a=b", strings.NewReader("body"))
		if err != nil {
			t.Fatal(err)
		}
		request.Close = closing
		if err := request.Write(client); err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(reader, request)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.NewDecoder(response.Body).Decode(&got); err != nil {
			t.Fatal(err)
		}
		for key, want := range map[string]any{
			"namespace": "team", "pod": "worker-0", "port": 8080.0, "method": "POST", "path": "/v1/jobs?a=b", "body": "body",
		} {
			if got[key] != want {
				t.Errorf("%s: got %v, want %v", key, got[key], want)
			}
		}
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := reader.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("after the last answer: got %v, want %v", err, io.EOF)
	}
}

func TestPortForwardEndsWithItsClient(t *testing.T) {
	client, server := net.Pipe()
	client.Close()
	if err := (forwarder{}).PortForward(t.Context(), "", "", 80, server); err != nil {
		t.Error(err)
	}
}

func TestLogs(t *testing.T) {
	server := httptest.NewServer(handler())
	defer server.Close()
	for query, test := range map[string]struct {
		status int
		want   string // the end of the log
		lines  int
	}{
		"":                {200, "team/worker-0/main line 10 of 10\n", 10},
		"follow=true":     {200, "team/worker-0/main line 10 of 10\n", 10},
		"tailLines=2":     {200, "team/worker-0/main line 9 of 10\nteam/worker-0/main line 10 of 10\n", 2},
		"tailLines=0":     {200, "", 0},
		"limitBytes=4":    {200, "team", 0},
		"timestamps=true": {200, "Z team/worker-0/main line 10 of 10\n", 10},
		"tailLines=many":  {400, "reading tailLines: \"many\" is not a count\n", 1},
		"follow=perhaps":  {400, "reading follow: strconv.ParseBool: parsing \"perhaps\": invalid syntax\n", 1},
	} {
		response, err := http.Get(server.URL + "/containerLogs/team/worker-0/main?" + query)
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		if response.StatusCode != test.status || !strings.HasSuffix(string(content), test.want) ||
			strings.Count(string(content), "\n") != test.lines {
			t.Errorf("%q: got %d %q; want %d, %d lines, the end %q",
				query, response.StatusCode, content, test.status, test.lines, test.want)
		}
	}
}
