package cluster

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/flux-framework/flux-operator/test/cluster/internal/process"
	"github.com/flux-framework/flux-operator/test/cluster/internal/state"
)

// ErrNone says that there is no control plane.
var ErrNone = state.ErrNone

// The phases of a control plane.
const (
	Starting = state.Starting
	Running  = state.Running
	Failed   = state.Failed // a component ended; all others have been ended
	Killed   = "killed"     // its keeper was killed; the next up or down removes the rest
)

// Status is what is known of a control plane.
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

// Look tells what is in a directory, by default the user's current one; ErrNone if that is no control plane.
func Look(dir string) (Status, error) {
	folder, err := locate(dir)
	if err != nil {
		return Status{}, err
	}
	known, err := folder.Load()
	if errors.Is(err, fs.ErrNotExist) {
		return Status{}, fmt.Errorf("%s: %w", folder, ErrNone)
	}
	if err != nil {
		return Status{}, err
	}
	status := Status{Dir: string(folder), Phase: known.Phase, Failure: known.Failure}
	if known.Phase != Failed && !folder.Runs() {
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
