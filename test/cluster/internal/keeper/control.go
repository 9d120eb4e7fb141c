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

// maxSocketPath is what the smallest of the systems takes.
const maxSocketPath = 100

// Restart asks for a component to be ended and started again, on the same port and data.
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

// Ask has the keeper of a directory restart a component, and waits until that is ready.
func Ask(ctx context.Context, folder state.Folder, restart Restart) error {
	var dialer net.Dialer
	connection, err := dialer.DialContext(ctx, "unix", folder.Control())
	if err != nil {
		return fmt.Errorf("reaching the keeper of %s: %w", folder, err)
	}
	defer connection.Close()                                      //nolint:errcheck // the answer is there
	stop := context.AfterFunc(ctx, func() { connection.Close() }) //nolint:errcheck // the answer below fails
	defer stop()
	if err := json.NewEncoder(connection).Encode(restart); err != nil {
		return fmt.Errorf("asking the keeper of %s: %w", folder, err)
	}
	var answer answer
	if err := json.NewDecoder(connection).Decode(&answer); err != nil {
		return fmt.Errorf("the keeper of %s has gone without an answer: %w", folder, err)
	}
	if answer.Error != "" {
		return fmt.Errorf("restarting %s: %s", restart.Component, answer.Error)
	}
	return nil
}

// listen takes requests from the directory's socket to the keeper's channel.
func (k *keeper) listen() (net.Listener, error) {
	if path := k.folder.Control(); len(path) > maxSocketPath {
		return nil, fmt.Errorf("the path %s is too long for a socket: name a directory with a shorter one", path)
	}
	listener, err := net.Listen("unix", k.folder.Control())
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

// errUnknown says that there is no such component.
var errUnknown = errors.New("no such component")

// restart ends a component, starts it again and waits until it is ready.
func (k *keeper) restart(ctx context.Context, wanted Restart) error {
	old, found := k.children[wanted.Component]
	if !found {
		return fmt.Errorf("%q: %w; there are %s", wanted.Component, errUnknown, strings.Join(k.plan.names(), ", "))
	}
	if err := k.end(ctx, old, wanted.Kill); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(wanted.Pause):
	}
	if err := k.launch(old.name); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, k.config.Timeout)
	defer cancel()
	return k.await(ctx, old.name, k.plan.component(old.name).ready)
}

// end waits for a component's end. One that does not hear is killed.
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
			return k.failure(ended)
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-impatient:
			if err := old.id.Signal(syscall.SIGKILL); err != nil {
				return err
			}
		}
	}
}
