// Package state keeps what is known of a control plane in its directory, so that a later command finds the processes and ends
// what a killed one left.
//
// A directory belongs to a living keeper exactly as long as its lock is held. Everything else in it is only read under that
// lock, or believed as far as the system confirms it.
package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/flux-framework/flux-operator/test/cluster/internal/process"
)

// The files that make a directory a control plane's.
const (
	stateName = "state.json"
	lockName  = "lock"
)

// The phases of a control plane.
const (
	Starting = "starting"
	Running  = "running"
	Failed   = "failed"
)

// State is written by the keeper of a control plane whenever it changes.
type State struct {
	Phase      string      `json:"phase"`
	Failure    string      `json:"failure,omitempty"` // why it failed
	Server     string      `json:"server,omitempty"`  // the API server's address
	Bin        string      `json:"bin"`               // the directory of the programs
	Keeper     process.ID  `json:"keeper"`
	Components []Component `json:"components,omitempty"`
}

// Component is one process of a control plane.
type Component struct {
	Name    string     `json:"name"`
	Process process.ID `json:"process"`
}

// Directory is where a control plane lives.
type Folder string

// Path is a file in the directory.
func (f Folder) Path(elements ...string) string {
	return filepath.Join(append([]string{string(f)}, elements...)...)
}

// Kubeconfig is the administrator's.
func (f Folder) Kubeconfig() string { return f.Path("kubeconfig") }

// Control is the socket that the keeper listens on.
func (f Folder) Control() string { return f.Path("control") }

// Log is what a component wrote.
func (f Folder) Log(component string) string { return f.Path("logs", component+".log") }

// Authority is a file of the authority that users are known by, with the ending given.
func (f Folder) Authority(ending string) string { return f.Path("pki", "cluster."+ending) }

// Load reads the state. Its error is fs.ErrNotExist if the directory holds no control plane.
func (f Folder) Load() (State, error) {
	var state State
	content, err := os.ReadFile(f.Path(stateName))
	if err != nil {
		return state, err
	}
	if err := json.Unmarshal(content, &state); err != nil {
		return state, fmt.Errorf("reading %s: %w", f.Path(stateName), err)
	}
	return state, nil
}

// Save writes the state, whole or not at all.
func (f Folder) Save(state State) error {
	content, err := json.MarshalIndent(state, "", "  ")
	if err != nil {
		return err
	}
	return replace(f.Path(stateName), append(content, '\n'))
}

// replace writes a file under another name and renames it.
func replace(path string, content []byte) error {
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// content is what a directory holds.
type content int

const (
	nothing content = iota // it is empty, or not there
	ours                   // a control plane, or the rest of one
	foreign                // anything else, not to be touched
)

func (f Folder) content() (content, error) {
	entries, err := os.ReadDir(string(f))
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nothing, nil
	}
	if err != nil {
		return foreign, err
	}
	for _, entry := range entries {
		switch entry.Name() {
		case stateName, stateName + ".new", lockName:
			return ours, nil
		}
	}
	return foreign, nil
}
