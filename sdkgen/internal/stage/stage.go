// Package stage is what the stages have in common. A stage is one package below this directory: it holds what an output
// needs, its key, its run and its messages. Package project puts the stages in order and commits their files.
package stage

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// Names of stages whose files other stages read, and the file of one.
const (
	OpenAPI     = "openapi"
	Swagger     = "swagger"
	SwaggerFile = "swagger.json"
)

// Stage is one output: a set of files that sdkgen generates from the API and from the files of other stages.
type Stage struct {
	Name    string
	Doc     string   // what it generates, for help texts
	Enabled bool     // the configuration asks for its files
	Inputs  []string // names of the stages whose files it reads
	// Key adds to a key everything else that its files depend on.
	Key func(*Key) error
	// Run returns its files. It is nil for an SDK, which the engine makes.
	Run func(context.Context) (*artifact.Set, error)
}

// Environment is everything of the process and the machine that a run depends on.
type Environment struct {
	Root   string // the project's root, absolute
	Dir    string // what the user calls it
	Config string // the configuration's file, relative to Root; "" for config.File
	Engine string // one of config.Engines; "" for the configuration's
	// directory of the jar and Java, maybe relative to Root; "" for SDKGEN_TOOLS of Environ, then .tools
	Tools   string
	Environ []string          // as os.Environ returns it
	TempDir string            // for scratch directories
	Modules map[string]string // versions of the modules that this program is built with
	Log     *slog.Logger
	// Warn is called with diagnostics that do not stop a run; nil logs them.
	Warn func(diag.List)
}

// Path returns the absolute path of a file of the project; "" for "".
func (e Environment) Path(rel string) string {
	if rel == "" {
		return ""
	}
	return filepath.Join(e.Root, filepath.FromSlash(rel))
}

// Report passes on diagnostics that do not stop a run.
func (e Environment) Report(list diag.List) {
	if e.Warn != nil {
		e.Warn(list)
		return
	}
	for _, d := range list.Sorted() {
		e.Log.Warn(d.String())
	}
}

// Project is what stages know of their project.
type Project struct {
	Env     Environment
	Config  *config.Config
	Root    *os.Root
	Files   Files
	Lock    *artifact.Lock
	Scratch string // a directory outside of the project, absolute
}
