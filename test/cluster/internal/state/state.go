// Package state stores the state of a control plane in its directory, so that a later command finds its processes and
// cleans up after a keeper that was killed.
//
// A directory belongs to a live keeper exactly as long as its lock is held. All other content is read under that lock,
// or checked against the operating system.
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

// The files that mark a directory as a control plane's.
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

// State is written by the keeper whenever it changes.
type State struct {
	Phase      string      `json:"phase"`
	Failure    string      `json:"failure,omitempty"` // the reason, if Phase is Failed
	Server     string      `json:"server,omitempty"`  // URL of the API server
	Bin        string      `json:"bin"`               // directory of the programs
	Keeper     process.ID  `json:"keeper"`
	Components []Component `json:"components,omitempty"`
}

// Component is one process of a control plane.
type Component struct {
	Name    string     `json:"name"`
	Process process.ID `json:"process"`
}

// Directory is the directory of a control plane.
type Directory string

// Path returns the path of a file in the directory.
func (d Directory) Path(elements ...string) string {
	return filepath.Join(append([]string{string(d)}, elements...)...)
}

// Kubeconfig is the path of the administrator's kubeconfig.
func (d Directory) Kubeconfig() string { return d.Path("kubeconfig") }

// Control is the path of the socket on which the keeper takes requests.
func (d Directory) Control() string { return d.Path("control") }

// Log is the path of a component's log.
func (d Directory) Log(component string) string { return d.Path("logs", component+".log") }

// Authority is the path of the certificate ("crt") or key ("key") of the CA that signs users.
func (d Directory) Authority(ending string) string { return d.Path("pki", "cluster."+ending) }

// Load reads the state. The error wraps fs.ErrNotExist if the directory holds no control plane.
func (d Directory) Load() (State, error) {
	var state State
	content, err := os.ReadFile(d.Path(stateName))
	if err != nil {
		return state, err
	}
	if err := json.Unmarshal(content, &state); err != nil {
		return state, fmt.Errorf("reading %s: %w", d.Path(stateName), err)
	}
	return state, nil
}

// Save replaces the state atomically.
func (d Directory) Save(state State) error {
	content, err := json.MarshalIndent(state, "", "  ")
	if err != nil {
		return err
	}
	return replace(d.Path(stateName), append(content, '\n'))
}

// replace writes a file by an atomic rename.
func replace(path string, content []byte) error {
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// content classifies what a directory holds.
type content int

const (
	nothing content = iota // empty or absent
	ours                   // a control plane, or what a killed one left
	foreign                // anything else; never touched
)

func (d Directory) content() (content, error) {
	entries, err := os.ReadDir(string(d))
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
