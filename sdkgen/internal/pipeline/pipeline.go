// Package pipeline knows the order: it runs the stages over one load and hands what they
// made to artifact, the one place that writes.
//
//	load -> openapi (and the API rules) -> swagger -> python, go (one Java process)
//	     -> deepcopy, crd, clients, while Java runs
//
// generate and verify are the same plan; generate commits it, verify prints it as a diff.
package pipeline

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/cache"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/gogen"
	"github.com/flux-framework/flux-operator/sdkgen/internal/lint"
	"github.com/flux-framework/flux-operator/sdkgen/internal/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/swagger"
)

// Names of the stages that are not gogen's or swagger's.
const (
	PythonStage = "python"
	GoStage     = "go"
)

// Stages lists all stages, in the order in which they are spoken of.
var Stages = []string{
	gogen.DeepcopyStage, gogen.CRDStage, gogen.OpenAPIStage, swagger.Stage, PythonStage, GoStage, gogen.ClientsStage,
}

// Environment is everything of the process and the machine that a run depends on.
type Environment struct {
	Root     string            // the project's root, absolute
	Config   string            // the configuration's file, relative to Root; "" for config.File
	Tools    string            // directory of the jar and Java, maybe relative to Root; "" for SDKGEN_TOOLS of Environ, then .tools
	Environ  []string          // as os.Environ gives it
	TempDir  string            // for scratch directories
	CacheDir string            // for the lock against a second run, and for what runs made
	Modules  map[string]string // versions of the modules that this program is built with
	Build    string            // identifies a development build; "" for a released one
	Log      *slog.Logger
}

// Options choose what a run does.
type Options struct {
	Only    []string // stages to commit; all if empty
	NoCache bool     // run every stage, also where nothing changed
	Adopt   bool     // take over files that sdkgen did not write
}

// Project is a project that is ready to be planned. Close it.
type Project struct {
	env     Environment
	cfg     *config.Config
	root    *os.Root
	cache   *cache.Cache
	lock    *artifact.Lock
	scratch string
	release func() error
}

// Open reads the configuration and the lock of a project and keeps others from
// changing it at the same time.
func Open(env Environment) (*Project, error) {
	release, err := artifact.Acquire(env.CacheDir, env.Root)
	if err != nil {
		return nil, err
	}
	if env.Config == "" {
		env.Config = config.File
	}
	cfg, err := readConfig(env)
	if err != nil {
		return nil, errors.Join(err, release())
	}
	p, err := open(env, cfg)
	if err != nil {
		return nil, errors.Join(err, release())
	}
	p.release = release
	return p, nil
}

// open is Open with a configuration that was read before, and without keeping others out.
func open(env Environment, cfg *config.Config) (p *Project, err error) {
	p = &Project{env: env, cfg: cfg, cache: env.openCache()}
	if p.root, err = os.OpenRoot(env.Root); err != nil {
		return nil, err
	}
	if p.lock, err = artifact.ReadLock(p.root); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	if p.scratch, err = os.MkdirTemp(env.TempDir, "sdkgen-"); err != nil {
		return nil, errors.Join(fmt.Errorf("making a scratch directory: %w", err), p.Close())
	}
	return p, nil
}

func readConfig(env Environment) (*config.Config, error) {
	name := filepath.Join(env.Root, filepath.FromSlash(env.Config))
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, diag.List{{Rule: "config", Message: fmt.Sprintf("there is no %s in %s", env.Config, env.Root),
			Hint: "run sdkgen in the project's root, name it with -C, or write one:\n" + config.Sample}}
	}
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	return config.Parse(env.Config, data)
}

// Close removes the scratch directory and lets others in.
func (p *Project) Close() error {
	var errs []error
	if p.scratch != "" {
		errs = append(errs, os.RemoveAll(p.scratch))
	}
	if p.root != nil {
		errs = append(errs, p.root.Close())
	}
	if p.release != nil {
		errs = append(errs, p.release())
	}
	return errors.Join(errs...)
}

// Plan runs the stages and compares what they made with the tree. It writes nothing.
func (p *Project) Plan(ctx context.Context, opts Options) (*artifact.Plan, error) {
	if err := p.checkStages(opts.Only); err != nil {
		return nil, err
	}
	r := p.newRun(opts)
	if err := r.all(ctx); err != nil {
		return nil, err
	}
	set, keys := &artifact.Set{}, map[string]string{}
	for _, stage := range r.committed() {
		if err := set.Merge(r.sets[stage]); err != nil {
			return nil, err
		}
		keys[stage] = r.keys[stage]
	}
	return artifact.NewPlan(p.root, p.lock, set, keys, artifact.Options{Adopt: opts.Adopt, Partial: len(opts.Only) > 0})
}

// Commit writes what the plan says.
func (p *Project) Commit(ctx context.Context, plan *artifact.Plan) error {
	return artifact.Commit(ctx, p.root, plan)
}

func (p *Project) checkStages(names []string) error {
	for _, name := range names {
		if enabled := p.enabled(); !slices.Contains(enabled, name) {
			return diag.Errorf(token.Position{}, "stage", "the stages of this project are "+strings.Join(enabled, ", "),
				"--only names %q, which is not a stage that sdkgen.yaml enables", name)
		}
	}
	return nil
}

// environ returns the value of an environment variable.
func (e Environment) environ(name string) string {
	for _, entry := range slices.Backward(e.Environ) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// path returns the absolute path of a file of the project; "" for "".
func (e Environment) path(rel string) string {
	if rel == "" {
		return ""
	}
	return filepath.Join(e.Root, filepath.FromSlash(rel))
}

// Load reads the API packages and checks their markers.
func (p *Project) Load(ctx context.Context) (*load.Result, error) {
	api, err := load.Load(ctx, p.loadOptions())
	if err != nil {
		return nil, err
	}
	// The linter comes first: what it says of a marker's value is more than the generators do.
	findings := append(lint.Check(api), api.Warnings...)
	findings = append(append(findings, checkNames(api, p.cfg.Clients != nil)...), missingLists(api)...)
	if err := findings.Errors().Err(); err != nil {
		return nil, err
	}
	if err := api.Problems(); err != nil {
		return nil, err
	}
	p.warn(api, findings)
	return api, nil
}

// warn says how much was found in packages that are not the project's own, and with -v what.
func (p *Project) warn(api *load.Result, findings diag.List) {
	for _, pkg := range api.Packages {
		count := 0
		for _, d := range findings.Sorted() {
			if path.Dir(d.Pos.Filename) == pkg.SourceDir {
				p.env.Log.Debug(d.String())
				count++
			}
		}
		if count > 0 {
			p.env.Log.Warn(fmt.Sprintf("%s: not every generator reads all fields and markers alike, -v lists %d of them", pkg.Path, count))
		}
	}
}

func (p *Project) loadOptions() load.Options {
	opts := load.Options{Root: p.env.Root, Env: p.env.Environ}
	for _, api := range p.cfg.APIs {
		if api.Package != "" {
			opts.Foreign = append(opts.Foreign, load.Foreign{Path: api.Package, Dir: api.Dir})
		} else {
			opts.Dirs = append(opts.Dirs, api.Path)
		}
	}
	return opts
}
