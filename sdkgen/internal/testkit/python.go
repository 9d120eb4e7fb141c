package testkit

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"os"
	"os/exec"
	"sync"
	"testing"
)

//go:embed python.py
var pythonServer string

// python is one Python process for all programs of a test binary; it ends when the binary does.
var python = sync.OnceValues(func() (run func(path, program string) (string, error), err error) {
	cmd := exec.Command("python3", "-c", pythonServer)
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var mu sync.Mutex
	answers := json.NewDecoder(bufio.NewReader(out))
	return func(path, program string) (failure string, err error) {
		mu.Lock()
		defer mu.Unlock()
		if err := json.NewEncoder(in).Encode([]string{path, program}); err != nil {
			return "", err
		}
		return failure, answers.Decode(&failure)
	}, nil
})

// Python runs a program with the modules in a directory, in a process that has imported none of them, and returns the
// traceback it ends in, "" if it works.
func Python(t *testing.T, path, program string) (failure string) {
	t.Helper()
	run, err := python()
	if err != nil {
		t.Fatal(err)
	}
	if failure, err = run(path, program); err != nil {
		t.Fatal(err)
	}
	return failure
}
