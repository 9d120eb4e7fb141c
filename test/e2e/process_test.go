package e2e

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// process is a running manager.
type process struct {
	cmd     *exec.Cmd
	log     string // the file that it writes to
	probes  string // its address
	metrics string
	ended   chan error
}

// manager starts the operator. It is killed at the end of the test; if the test has failed, the end of the
// log is shown.
func (s *suite) manager(t *testing.T, kubeconfig string, args ...string) *process {
	t.Helper()
	p, err := s.launch(kubeconfig, args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("the end of the operator's log:\n%s", p.tail(20))
		}
	})
	eventually(t, patience, func() string {
		select {
		case err := <-p.ended:
			p.ended <- err
			t.Fatalf("the operator has exited: %v\n%s", err, p.tail(20))
		default:
		}
		return p.unready()
	})
	return p
}

func (s *suite) launch(kubeconfig string, args ...string) (*process, error) {
	log, err := os.CreateTemp(s.dir, "manager-*.log")
	if err != nil {
		return nil, err
	}
	defer log.Close()
	p := &process{log: log.Name(), ended: make(chan error, 1)}
	if p.probes, err = freeAddress(); err != nil {
		return nil, err
	}
	if p.metrics, err = freeAddress(); err != nil {
		return nil, err
	}
	p.cmd = exec.Command(filepath.Join(s.dir, "manager"), append([]string{
		"--kubeconfig=" + kubeconfig, "--health-probe-bind-address=" + p.probes,
		"--metrics-bind-address=" + p.metrics, "--metrics-secure=false", "--zap-log-level=debug",
	}, args...)...)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	s.processes = append(s.processes, p)
	go func() { p.ended <- p.cmd.Wait() }()
	return p, nil
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// unready returns why the operator is not ready, or "".
func (p *process) unready() string {
	client := http.Client{Timeout: 2 * time.Second}
	answer, err := client.Get("http://" + p.probes + "/readyz")
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return "the operator is not ready: " + answer.Status
	}
	return ""
}

// kill kills the process.
func (p *process) kill() {
	p.cmd.Process.Kill()
	err := <-p.ended
	p.ended <- err
}

// stop sends SIGTERM to the process, and returns its exit error.
func (p *process) stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case err := <-p.ended:
		p.ended <- err
		return err
	case <-time.After(40 * time.Second):
		return errors.New("the operator does not exit")
	}
}

// tail returns the last lines of the log.
func (p *process) tail(n int) string {
	data, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// measure returns the sums, by the value of a label, of all metrics whose names begin with a prefix.
func (p *process) measure(prefix, label string) (map[string]float64, error) {
	answer, err := http.Get("http://" + p.metrics + "/metrics")
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	sums := map[string]float64{}
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		line := lines.Text()
		name, rest, _ := strings.Cut(line, " ")
		if i := strings.LastIndex(line, "} "); i >= 0 {
			name, rest = line[:i+1], line[i+2:]
		}
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		value, err := strconv.ParseFloat(rest, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
		_, by, _ := strings.Cut(name, label+`="`)
		by, _, _ = strings.Cut(by, `"`)
		sums[by] += value
	}
	return sums, nil
}
