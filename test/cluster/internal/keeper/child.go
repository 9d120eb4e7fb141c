package keeper

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/flux-framework/flux-operator/test/cluster/internal/process"
	"github.com/flux-framework/flux-operator/test/cluster/internal/state"
)

const (
	pause    = 50 * time.Millisecond // between two looks whether something is ready
	tailSize = 2 << 10               // of a log, in an error
)

// child is a started component.
type child struct {
	name  string
	id    process.ID
	ended error // set before it is sent to the keeper's exits, as is the code
	code  int   // of its exit, -1 after a signal
}

// launch starts a component. The kernel kills it when this thread ends.
func (k *keeper) launch(name string) error {
	log, err := os.OpenFile(k.directory.Log(name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() //nolint:errcheck // the child has its own
	command := exec.Command(k.plan.program(name), k.plan.component(name).args...)
	command.Dir = string(k.directory.Directory)
	command.Env = k.plan.environment()
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = process.Dependent(syscall.SIGKILL)
	if k.plan.component(name).isolated {
		command.SysProcAttr = process.Isolated(syscall.SIGKILL)
	}
	if err := command.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", name, err)
	}
	started := &child{name: name}
	k.children[name] = started
	id, err := process.Of(command.Process.Pid)
	// A process that has exited already is reported below.
	if err == nil {
		started.id = id
	}
	go func() {
		command.Wait() //nolint:errcheck // the state below says how it ended
		started.code = command.ProcessState.ExitCode()
		started.ended = fmt.Errorf("%s exited: %s", name, command.ProcessState)
		k.exits <- started
	}()
	return k.record(name, id)
}

// record saves the process of a component in the state.
func (k *keeper) record(name string, id process.ID) error {
	k.state.Components = slices.DeleteFunc(k.state.Components, func(c state.Component) bool { return c.Name == name })
	k.state.Components = append(k.state.Components, state.Component{Name: name, Process: id})
	return k.directory.Save(k.state)
}

// await polls until a condition holds, and fails if a component exits before.
func (k *keeper) await(ctx context.Context, what string, ready func(context.Context) error) error {
	for {
		attempt, cancel := context.WithTimeout(ctx, 5*time.Second)
		err := ready(attempt)
		cancel()
		if err == nil {
			return nil
		}
		select {
		case ended := <-k.exits:
			if err := k.replace(ended); err != nil {
				return err
			}
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w (%w)%s", what, context.Cause(ctx), err, k.tail(what))
		case <-time.After(pause):
		}
	}
}

// corrupted is in the last words of a kube-scheduler that lost its watch, and then takes a pod that was deleted and
// made again for one that moved to another node. It ends then, up to version 1.37.2 at least
// (kubernetes/kubernetes#141255).
const corrupted = "Scheduler cache is corrupted"

// replace starts a scheduler again that ended for corrupted, as the kubelet of a real control plane does. The end of
// any other component is the control plane's failure.
func (k *keeper) replace(ended *child) error {
	if ended.name != scheduler || ended.code != 1 || !strings.Contains(k.tail(ended.name), corrupted) {
		return k.failure(ended)
	}
	// Nobody reads the events of a control plane that was left running.
	_ = k.events.Encode(Event{Step: "starting " + scheduler + " again, which has met kubernetes/kubernetes#141255"})
	return k.launch(ended.name)
}

// failure is the exit status of a component with the end of its log.
func (k *keeper) failure(ended *child) error {
	return fmt.Errorf("%w%s", ended.ended, k.tail(ended.name))
}

// tail is the end of a component's log as a part of a message; empty if there is no log.
func (k *keeper) tail(name string) string {
	content, err := os.ReadFile(k.directory.Log(name))
	if err != nil || len(content) == 0 {
		return ""
	}
	if len(content) > tailSize {
		content = content[len(content)-tailSize:]
		_, content, _ = bytes.Cut(content, []byte("\n"))
	}
	return fmt.Sprintf("\nthe end of its log:\n%s", bytes.TrimSpace(content))
}
