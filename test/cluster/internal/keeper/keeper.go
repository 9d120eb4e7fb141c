// Package keeper runs a control plane: it starts the components as its children, watches them, and stops them.
//
// A keeper is a process of its own. It reads its Config as the first line of its input, and writes Events to its
// output, one
// JSON object per line. The process at the other end of its input owns the control plane: when the input is closed,
// also by the
// exit of the owner, the keeper stops the components, removes the directory and exits. The line Keep makes it run
// without an owner, until SIGTERM.
//
// If a component exits, the keeper stops the others. With an owner it removes the directory and reports the failure in
// an event; without one it leaves the directory, with the logs and the failure in the state.
package keeper

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/flux-framework/flux-operator/test/cluster/internal/process"
	"github.com/flux-framework/flux-operator/test/cluster/internal/state"
)

// Keep is the line on a keeper's input that makes it run without an owner.
const Keep = "keep"

// Config is what a keeper runs.
type Config struct {
	Home     state.Home    `json:"home"`
	Dir      string        `json:"dir"`      // empty for a temporary directory
	Remember bool          `json:"remember"` // as the current directory
	Bin      string        `json:"bin"`      // the directory of the components' programs
	Nodes    int           `json:"nodes"`    // simulated ones
	Node     Node          `json:"node"`     // instead of those
	CRDs     []string      `json:"crds"`     // files, applied before the controllers start
	Timeout  time.Duration `json:"timeout"`  // until everything is ready
}

// Node is a real node; it has images.
type Node struct {
	Bin     string   `json:"bin"`     // the directory of the program of kubelet and CoreDNS
	Runtime string   `json:"runtime"` // the directory of containerd's programs and the CNI plugins
	Images  []string `json:"images"`  // NAME=DIRECTORY[:DIRECTORY...], the uppermost directory first
}

// real reports whether a kubelet runs the pods.
func (n Node) real() bool { return len(n.Images) > 0 }

// simulated is the number of simulated nodes.
func (c Config) simulated() int {
	if c.Node.real() {
		return 0
	}
	return c.Nodes
}

// Event is a message of a keeper: its directory, a step, readiness or a failure. Exactly one field is set.
type Event struct {
	Directory state.Directory `json:"directory,omitempty"`
	Step      string          `json:"step,omitempty"`
	Ready     bool            `json:"ready,omitempty"`
	Failed    string          `json:"failed,omitempty"`
}

// errReleased means that the owner closed the input.
var errReleased = errors.New("released by its owner")

// Run runs a keeper from its configuration to its exit.
func Run(ctx context.Context, in io.Reader, out io.Writer) error {
	// The kernel kills the components when the thread that started them ends, so this thread starts them all.
	runtime.LockOSThread()
	// The reader of the output may have exited.
	signal.Ignore(syscall.SIGPIPE)
	events := json.NewEncoder(out)
	reader := bufio.NewReader(in)
	config, err := readConfig(reader)
	if err != nil {
		return tell(events, err)
	}
	held, err := config.Home.Take(ctx, config.Dir, config.Remember)
	if err != nil {
		return tell(events, err)
	}
	k := &keeper{config: config, directory: held, events: events,
		children: map[string]*child{}, exits: make(chan *child), requests: make(chan request)}
	ctx, release := context.WithCancelCause(ctx)
	go func() {
		if !k.keptByOwner(reader) {
			release(errReleased)
		}
	}()
	err = k.keep(ctx)
	return tell(events, k.finish(ctx, err))
}

func readConfig(reader *bufio.Reader) (Config, error) {
	var config Config
	line, err := reader.ReadBytes('\n')
	if err != nil {
		return config, fmt.Errorf("reading the configuration: %w", err)
	}
	if err := json.Unmarshal(line, &config); err != nil {
		return config, fmt.Errorf("reading the configuration: %w", err)
	}
	return config, nil
}

func tell(events *json.Encoder, err error) error {
	if err == nil {
		return nil
	}
	return errors.Join(err, events.Encode(Event{Failed: err.Error()}))
}

// keeper is one control plane.
type keeper struct {
	config    Config
	directory *state.Held
	events    *json.Encoder
	state     state.State
	plan      *plan
	children  map[string]*child
	exits     chan *child
	requests  chan request
	kept      atomic.Bool
}

// keptByOwner waits until the owner releases the keeper, and reports whether the control plane is to keep running.
func (k *keeper) keptByOwner(reader *bufio.Reader) bool {
	for {
		line, err := reader.ReadString('\n')
		if line == Keep+"\n" {
			k.kept.Store(true)
		}
		if err != nil {
			return k.kept.Load()
		}
	}
}

// keep starts the components, and returns when they have to stop.
func (k *keeper) keep(ctx context.Context) error {
	self, err := process.Of(os.Getpid())
	if err != nil {
		return err
	}
	k.state = state.State{Phase: state.Starting, Bin: k.config.Bin, Keeper: self}
	if err := k.directory.Save(k.state); err != nil {
		return err
	}
	if err := k.events.Encode(Event{Directory: k.directory.Directory}); err != nil {
		return err
	}
	if err := os.MkdirAll(k.directory.Path("logs"), 0o700); err != nil {
		return err
	}
	if err := k.keepTrace(); err != nil {
		return err
	}
	listener, err := k.listen()
	if err != nil {
		return err
	}
	defer listener.Close() //nolint:errcheck // the directory goes, or says why it failed
	starting, cancel := context.WithTimeoutCause(ctx, k.config.Timeout,
		fmt.Errorf("the control plane was not ready after %v", k.config.Timeout))
	defer cancel()
	if err := k.start(starting); err != nil {
		return err
	}
	k.state.Phase = state.Running
	if err := k.directory.Save(k.state); err != nil {
		return err
	}
	if err := k.events.Encode(Event{Ready: true}); err != nil {
		return err
	}
	return k.watch(ctx)
}

// keepTrace writes the trace of a panic to the keeper's log.
func (k *keeper) keepTrace() error {
	log, err := os.Create(k.directory.Log("keeper"))
	if err != nil {
		return err
	}
	return errors.Join(debug.SetCrashOutput(log, debug.CrashOptions{}), log.Close())
}

// watch returns when a component exits or the context is done.
func (k *keeper) watch(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case ended := <-k.exits:
			if err := k.replace(ended); err != nil {
				return err
			}
		case request := <-k.requests:
			err := k.restart(ctx, request.Restart)
			request.reply <- err
			if err != nil && !errors.Is(err, errUnknown) {
				return err
			}
		}
	}
}

// finish kills the components and removes the directory. Without an owner, a failure stays in the directory's state
// instead.
func (k *keeper) finish(ctx context.Context, err error) error {
	expected := ctx.Err() != nil
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer cancel()
	processes := make([]process.ID, 0, len(k.state.Components))
	for _, component := range k.state.Components {
		processes = append(processes, component.Process)
	}
	// No graceful shutdown: the data is removed too.
	if killed := process.Kill(ending, processes...); killed != nil {
		return errors.Join(err, killed)
	}
	if !expected && k.kept.Load() {
		k.state.Phase, k.state.Failure, k.state.Components = state.Failed, err.Error(), nil
		return errors.Join(err, k.directory.Save(k.state))
	}
	if expected {
		err = nil
	}
	return errors.Join(err, k.directory.Remove(ending))
}
