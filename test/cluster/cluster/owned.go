package cluster

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

// KeepVerb is the cluster command's verb that is a keeper.
const KeepVerb = "keep"

// owned is a keeper that this process has started. It ends when this process does.
type owned struct {
	folder  state.Folder
	command *exec.Cmd
	input   io.WriteCloser
	events  *json.Decoder
	ended   chan struct{} // closed after failure is set
	failure error
}

// startKeeper returns when the control plane is ready.
func startKeeper(ctx context.Context, program string, log *slog.Logger, config keeper.Config) (*owned, error) {
	line, err := json.Marshal(config)
	if err != nil {
		return nil, err
	}
	o := &owned{command: exec.Command(program, KeepVerb), ended: make(chan struct{})}
	// Signals of the terminal are for this process, which lets go of the keeper in its own time.
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
	// Letting go is how a keeper is asked to end.
	interrupt := context.AfterFunc(ctx, func() { o.input.Close() }) //nolint:errcheck // the keeper is gone
	defer interrupt()
	_, err = o.input.Write(append(line, '\n'))
	if err == nil {
		err = o.awaitReady(log)
	}
	go o.watch()
	if err == nil {
		return o, nil
	}
	// What the keeper told is the reason; without it there is only that it has ended.
	if failure := errors.Join(context.Cause(ctx), o.stop()); failure != nil {
		err = failure
	}
	return nil, err
}

// awaitReady reads what the keeper tells until it is ready.
func (o *owned) awaitReady(log *slog.Logger) error {
	for {
		var event keeper.Event
		if err := o.events.Decode(&event); err != nil {
			return fmt.Errorf("the keeper has ended: %w", err)
		}
		switch {
		case event.Folder != "":
			o.folder = event.Folder
		case event.Step != "":
			log.Info(event.Step)
		case event.Failed != "":
			o.failure = errors.New(event.Failed)
		case event.Ready:
			return nil
		}
	}
}

// watch waits for the keeper's end and takes note of why.
func (o *owned) watch() {
	defer close(o.ended)
	for {
		var event keeper.Event
		if err := o.events.Decode(&event); err != nil {
			break
		}
		if event.Failed != "" {
			o.failure = errors.New(event.Failed)
		}
	}
	err := o.command.Wait()
	if err != nil && o.failure == nil {
		o.failure = fmt.Errorf("the keeper ended: %w", err)
	}
}

// stop lets the keeper go, waits for its end and makes sure that nothing is left.
func (o *owned) stop() error {
	o.input.Close() //nolint:errcheck // it is closed already, or the keeper is gone
	select {
	case <-o.ended:
	case <-time.After(30 * time.Second):
		o.command.Process.Kill() //nolint:errcheck // it is gone
		<-o.ended
	}
	if o.folder == "" {
		return o.failure
	}
	err := state.Down(context.Background(), o.folder)
	if errors.Is(err, state.ErrNone) {
		err = nil
	}
	return errors.Join(o.failure, err)
}

// keep has the keeper stay when this process ends.
func (o *owned) keep() error {
	_, err := io.WriteString(o.input, keeper.Keep+"\n")
	return errors.Join(err, o.input.Close())
}
