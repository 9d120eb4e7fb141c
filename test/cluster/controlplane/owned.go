package controlplane

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"syscall"
	"time"

	"github.com/flux-framework/flux-operator/test/cluster/internal/keeper"
	"github.com/flux-framework/flux-operator/test/cluster/internal/state"
)

// KeepVerb is the hidden subcommand of the cluster command that runs a keeper.
const KeepVerb = "keep"

// owned is a keeper that this process started. It exits when this process does.
type owned struct {
	directory state.Directory
	command   *exec.Cmd
	input     io.WriteCloser
	events    *json.Decoder
	ended     chan struct{} // closed after failure is set
	failure   error
}

// startKeeper starts a keeper and returns when the control plane is ready.
func startKeeper(ctx context.Context, program string, log *slog.Logger, config keeper.Config) (*owned, error) {
	line, err := json.Marshal(config)
	if err != nil {
		return nil, err
	}
	o := &owned{command: exec.Command(program, KeepVerb), ended: make(chan struct{})}
	// A session of its own, so that signals from the terminal reach only this process.
	o.command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if o.input, err = o.command.StdinPipe(); err != nil {
		return nil, err
	}
	output, err := o.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	o.events = json.NewDecoder(output)
	if err := o.command.Start(); err != nil {
		return nil, err
	}
	// Closing its stdin stops a keeper.
	interrupt := context.AfterFunc(ctx, func() { o.input.Close() }) //nolint:errcheck // the keeper has exited
	defer interrupt()
	_, err = o.input.Write(append(line, '\n'))
	if err == nil {
		err = o.awaitReady(log)
	}
	go o.watch(log)
	if err == nil {
		return o, nil
	}
	// Prefer the failure that the keeper reported to the fact that it exited.
	if failure := errors.Join(context.Cause(ctx), o.stop()); failure != nil {
		err = failure
	}
	return nil, err
}

// awaitReady reads events until the control plane is ready.
func (o *owned) awaitReady(log *slog.Logger) error {
	for {
		var event keeper.Event
		if err := o.events.Decode(&event); err != nil {
			return fmt.Errorf("the keeper exited: %w", err)
		}
		switch {
		case event.Directory != "":
			o.directory = event.Directory
		case event.Step != "":
			log.Info(event.Step)
		case event.Failed != "":
			o.failure = errors.New(event.Failed)
		case event.Ready:
			return nil
		}
	}
}

// watch waits until the keeper exits and records its failure.
func (o *owned) watch(log *slog.Logger) {
	defer close(o.ended)
	for {
		var event keeper.Event
		if err := o.events.Decode(&event); err != nil {
			break
		}
		switch {
		case event.Step != "":
			log.Info(event.Step)
		case event.Failed != "":
			o.failure = errors.New(event.Failed)
		}
	}
	err := o.command.Wait()
	if err != nil && o.failure == nil {
		o.failure = fmt.Errorf("the keeper exited: %w", err)
	}
}

// stop releases the keeper, waits until it exits and removes what is left.
func (o *owned) stop() error {
	o.input.Close() //nolint:errcheck // already closed, or the keeper has exited
	select {
	case <-o.ended:
	case <-time.After(30 * time.Second):
		o.command.Process.Kill() //nolint:errcheck // it has exited
		<-o.ended
	}
	if o.directory == "" {
		return o.failure
	}
	err := state.Down(context.Background(), o.directory)
	if errors.Is(err, state.ErrNone) {
		err = nil
	}
	return errors.Join(o.failure, err)
}

// keep makes the keeper outlive this process.
func (o *owned) keep() error {
	_, err := io.WriteString(o.input, keeper.Keep+"\n")
	return errors.Join(err, o.input.Close())
}
