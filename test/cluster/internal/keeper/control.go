package keeper

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/flux-framework/flux-operator/test/cluster/internal/state"
)

// maxSocketPath is the smallest limit of the supported systems.
const maxSocketPath = 100

// Restart is the request to restart a component with the same port and data.
type Restart struct {
	Component string        `json:"component"`
	Kill      bool          `json:"kill"`  // at once; without, it is asked to end
	Pause     time.Duration `json:"pause"` // between its end and its start
}

type request struct {
	Restart
	reply chan error
}

type answer struct {
	Error string `json:"error,omitempty"`
}

// Ask asks the keeper of a directory to restart a component, and waits until it is ready.
func Ask(ctx context.Context, directory state.Directory, restart Restart) error {
	var dialer net.Dialer
	connection, err := dialer.DialContext(ctx, "unix", directory.Control())
	if err != nil {
		return fmt.Errorf("reaching the keeper of %s: %w", directory, err)
	}
	defer connection.Close()                                      //nolint:errcheck // the answer is there
	stop := context.AfterFunc(ctx, func() { connection.Close() }) //nolint:errcheck // the answer below fails
	defer stop()
	if err := json.NewEncoder(connection).Encode(restart); err != nil {
		return fmt.Errorf("asking the keeper of %s: %w", directory, err)
	}
	var answer answer
	if err := json.NewDecoder(connection).Decode(&answer); err != nil {
		return fmt.Errorf("the keeper of %s exited without an answer: %w", directory, err)
	}
	if answer.Error != "" {
		return fmt.Errorf("restarting %s: %s", restart.Component, answer.Error)
	}
	return nil
}

// listen passes requests from the directory's socket to the keeper's channel.
func (k *keeper) listen() (net.Listener, error) {
	if path := k.directory.Control(); len(path) > maxSocketPath {
		return nil, fmt.Errorf("the path %s is too long for a Unix socket; choose a directory with a shorter path", path)
	}
	listener, err := net.Listen("unix", k.directory.Control())
	if err != nil {
		return nil, err
	}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go k.serve(connection)
		}
	}()
	return listener, nil
}

func (k *keeper) serve(connection net.Conn) {
	defer connection.Close() //nolint:errcheck // the client has its answer or is gone
	request := request{reply: make(chan error, 1)}
	if err := json.NewDecoder(connection).Decode(&request.Restart); err != nil {
		return
	}
	k.requests <- request
	var answer answer
	if err := <-request.reply; err != nil {
		answer.Error = err.Error()
	}
	json.NewEncoder(connection).Encode(answer) //nolint:errcheck // the client is gone
}

// errUnknown means that there is no such component.
var errUnknown = errors.New("no such component")

// restart stops a component, starts it again and waits until it is ready.
func (k *keeper) restart(ctx context.Context, expected Restart) error {
	old, found := k.children[expected.Component]
	if !found {
		return fmt.Errorf("%q: %w; the components are %s", expected.Component, errUnknown, strings.Join(k.plan.names(), ", "))
	}
	if err := k.end(ctx, old, expected.Kill); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(expected.Pause):
	}
	if err := k.launch(old.name); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, k.config.Timeout)
	defer cancel()
	return k.await(ctx, old.name, k.plan.component(old.name).ready)
}

// end waits until a component exits, and kills it after a timeout.
func (k *keeper) end(ctx context.Context, old *child, kill bool) error {
	signal, patience := syscall.SIGTERM, 15*time.Second
	if kill {
		signal, patience = syscall.SIGKILL, 0
	}
	if err := old.id.Signal(signal); err != nil {
		return err
	}
	impatient := time.After(patience)
	for {
		select {
		case ended := <-k.exits:
			if ended == old {
				return nil
			}
			if err := k.replace(ended); err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-impatient:
			if err := old.id.Signal(syscall.SIGKILL); err != nil {
				return err
			}
		}
	}
}
