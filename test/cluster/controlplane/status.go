package controlplane

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/flux-framework/flux-operator/test/cluster/internal/process"
	"github.com/flux-framework/flux-operator/test/cluster/internal/state"
)

// ErrNone means that there is no control plane.
var ErrNone = state.ErrNone

// The phases of a control plane.
const (
	Starting = state.Starting
	Running  = state.Running
	Failed   = state.Failed // a component exited, and all others were stopped
	Killed   = "killed"     // its keeper was killed; the next up or down cleans up
)

// Status is the state of a control plane.
type Status struct {
	Dir        string
	Phase      string
	Failure    string // why it failed
	Components []Component
}

// Component is one process.
type Component struct {
	Name  string
	PID   int
	Alive bool
}

// Look returns the status of the control plane in a directory, by default the user's current one, or ErrNone.
func Look(dir string) (Status, error) {
	directory, err := locate(dir)
	if err != nil {
		return Status{}, err
	}
	known, err := directory.Load()
	if errors.Is(err, fs.ErrNotExist) {
		return Status{}, fmt.Errorf("%s: %w", directory, ErrNone)
	}
	if err != nil {
		return Status{}, err
	}
	status := Status{Dir: string(directory), Phase: known.Phase, Failure: known.Failure}
	if known.Phase != Failed && !directory.Runs() {
		status.Phase = Killed
	}
	if known.Phase == Failed {
		return status, nil
	}
	status.Components = append(status.Components, component("keeper", known.Keeper))
	for _, c := range known.Components {
		status.Components = append(status.Components, component(c.Name, c.Process))
	}
	return status, nil
}

func component(name string, id process.ID) Component {
	return Component{Name: name, PID: id.PID, Alive: id.Alive()}
}
