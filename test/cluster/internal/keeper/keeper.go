// Package keeper runs a control plane: it starts the components as its children, watches them, and ends them.
//
// A keeper is a process of its own. It reads its Config as the first line of its input, and writes Events to its output, one
// JSON text a line. As long as its input is open, whoever holds the other end owns the control plane: when the input ends, by
// a close or by the death of the owner, the keeper ends the components, removes the directory and exits. The line Keep makes it
// stay without an owner, until it is asked to end by SIGTERM.
//
// A component that ends by itself takes the others with it. With an owner the directory goes too, and the reason is in an event;
// without one the directory stays, with the logs and the reason in its state.
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

// Keep is the line on a keeper's input that makes it stay without an owner.
const Keep = "keep"

// Config says what to run.
type Config struct {
	Home     state.Home    `json:"home"`
	Dir      string        `json:"dir"`      // empty for a temporary directory
	Remember bool          `json:"remember"` // as the current directory
	Bin      string        `json:"bin"`      // the directory of the components' programs
	Nodes    int           `json:"nodes"`
	CRDs     []string      `json:"crds"`    // files, applied before the controllers start
	Timeout  time.Duration `json:"timeout"` // until everything is ready
}

// Event is what a keeper tells: the directory it has taken, a step, that it is ready, or why it failed. Only one is set.
type Event struct {
	Folder state.Folder `json:"directory,omitempty"`
	Step   string       `json:"step,omitempty"`
	Ready  bool         `json:"ready,omitempty"`
	Failed string       `json:"failed,omitempty"`
}

// errReleased says that the owner has let go.
var errReleased = errors.New("the owner has let go")

// Run is a keeper, from its configuration to its end.
func Run(ctx context.Context, in io.Reader, out io.Writer) error {
	// The system ends the components with the thread that has started them, so they are all started on this one.
	runtime.LockOSThread()
	// The reader of the output may be gone.
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
	k := &keeper{config: config, folder: held, events: events,
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
	config   Config
	folder   *state.Held
	events   *json.Encoder
	state    state.State
	plan     *plan
	children map[string]*child
	exits    chan *child
	requests chan request
	kept     atomic.Bool
}

// keptByOwner returns when the owner has let go, and says whether the control plane is to stay.
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

// keep starts everything, and returns when it is to end.
func (k *keeper) keep(ctx context.Context) error {
	self, err := process.Of(os.Getpid())
	if err != nil {
		return err
	}
	k.state = state.State{Phase: state.Starting, Bin: k.config.Bin, Keeper: self}
	if err := k.folder.Save(k.state); err != nil {
		return err
	}
	if err := k.events.Encode(Event{Folder: k.folder.Folder}); err != nil {
		return err
	}
	if err := os.MkdirAll(k.folder.Path("logs"), 0o700); err != nil {
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
	if err := k.folder.Save(k.state); err != nil {
		return err
	}
	if err := k.events.Encode(Event{Ready: true}); err != nil {
		return err
	}
	return k.watch(ctx)
}

// keepTrace has the trace of a crash written to the keeper's log.
func (k *keeper) keepTrace() error {
	log, err := os.Create(k.folder.Log("keeper"))
	if err != nil {
		return err
	}
	return errors.Join(debug.SetCrashOutput(log, debug.CrashOptions{}), log.Close())
}

// watch returns when a component ends by itself, or everything is to end.
func (k *keeper) watch(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case ended := <-k.exits:
			return k.failure(ended)
		case request := <-k.requests:
			err := k.restart(ctx, request.Restart)
			request.reply <- err
			if err != nil && !errors.Is(err, errUnknown) {
				return err
			}
		}
	}
}

// finish ends the components and removes the directory. A failure that nobody owns stays in the directory instead.
func (k *keeper) finish(ctx context.Context, err error) error {
	wanted := ctx.Err() != nil
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer cancel()
	processes := make([]process.ID, 0, len(k.state.Components))
	for _, component := range k.state.Components {
		processes = append(processes, component.Process)
	}
	// Nothing is asked to end in peace: the data goes with them.
	if killed := process.Kill(ending, processes...); killed != nil {
		return errors.Join(err, killed)
	}
	if !wanted && k.kept.Load() {
		k.state.Phase, k.state.Failure, k.state.Components = state.Failed, err.Error(), nil
		return errors.Join(err, k.folder.Save(k.state))
	}
	if wanted {
		err = nil
	}
	return errors.Join(err, k.folder.Remove(ending))
}
