package operator

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
	"time"
)

// Process is a manager that runs.
type Process struct {
	Log     string     // the file that it writes to
	Probes  string     // HOST:PORT of its probes
	Metrics string     // HOST:PORT of its metrics
	Ended   chan error // gets the error of its exit; whoever reads it puts it back

	cmd *exec.Cmd
}

// Start starts the manager that Build built in a directory, with a log file there. It is not ready yet.
func Start(dir, kubeconfig string, args ...string) (*Process, error) {
	log, err := os.CreateTemp(dir, "manager-*.log")
	if err != nil {
		return nil, err
	}
	defer log.Close() //nolint:errcheck // the process has a descriptor of its own
	p := &Process{Log: log.Name(), Ended: make(chan error, 1)}
	if p.Probes, err = freeAddress(); err != nil {
		return nil, err
	}
	if p.Metrics, err = freeAddress(); err != nil {
		return nil, err
	}
	p.cmd = exec.Command(filepath.Join(dir, "manager"), append([]string{
		"--kubeconfig=" + kubeconfig, "--health-probe-bind-address=" + p.Probes,
		"--metrics-bind-address=" + p.Metrics, "--metrics-secure=false", "--zap-log-level=debug",
	}, args...)...)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { p.Ended <- p.cmd.Wait() }()
	return p, nil
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// Unready returns why the operator is not ready, or "".
func (p *Process) Unready() string {
	client := http.Client{Timeout: 2 * time.Second}
	answer, err := client.Get("http://" + p.Probes + "/readyz")
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return "the operator is not ready: " + answer.Status
	}
	return ""
}

// Kill kills the process.
func (p *Process) Kill() {
	p.cmd.Process.Kill() //nolint:errcheck // it may have ended
	err := <-p.Ended
	p.Ended <- err
}

// Stop sends SIGTERM to the process, and returns its exit error.
func (p *Process) Stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case err := <-p.Ended:
		p.Ended <- err
		return err
	case <-time.After(40 * time.Second):
		return errors.New("the operator does not exit")
	}
}

// Tail returns the last lines of the log.
func (p *Process) Tail(n int) string {
	data, err := os.ReadFile(p.Log)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// Measure returns the sums, by the value of a label, of all metrics whose names begin with a prefix.
func (p *Process) Measure(prefix, label string) (map[string]float64, error) {
	answer, err := http.Get("http://" + p.Metrics + "/metrics")
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

// PID is the process ID of the manager.
func (p *Process) PID() int { return p.cmd.Process.Pid }
