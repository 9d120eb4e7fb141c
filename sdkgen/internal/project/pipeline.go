// Package pipeline knows the order: it runs the stages over one load and hands what they
// made to artifact, the one place that writes.
//
//	load -> openapi (and the API rules) -> swagger -> python, go (one run of the engine)
//	     -> deepcopy, crd, docs, samples, schemas, clients, at the same time
//
// generate and verify are the same plan; generate commits it, verify prints it as a diff.
package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/token"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// Environment is everything of the process and the machine that a run depends on.
type Environment struct {
	Root    string            // the project's root, absolute
	Dir     string            // what the user calls it
	Config  string            // the configuration's file, relative to Root; "" for config.File
	Engine  string            // one of config.Engines; "" for the configuration's
	Tools   string            // directory of the jar and Java, maybe relative to Root; "" for SDKGEN_TOOLS of Environ, then .tools
	Environ []string          // as os.Environ gives it
	TempDir string            // for scratch directories
	Modules map[string]string // versions of the modules that this program is built with
	Log     *slog.Logger
	// Warn is called with diagnostics that do not stop a run; nil logs them.
	Warn func(diag.List)
}

// warn hands on diagnostics that do not stop a run.
func (e Environment) warn(list diag.List) {
	if e.Warn != nil {
		e.Warn(list)
		return
	}
	for _, d := range list.Sorted() {
		e.Log.Warn(d.String())
	}
}

// Options choose what a run does.
type Options struct {
	Only  []string // stages to commit; all if empty
	Force bool     // run stages that are up to date too
	Adopt bool     // take over files that sdkgen did not write
	// AcceptLoss are CRDs to take over though they have schema that the new ones lack.
	AcceptLoss []string
}

// Project is a project that is ready to be planned. Close it.
type Project struct {
	env     Environment
	cfg     *config.Config
	root    *os.Root
	files   files
	lock    *artifact.Lock
	scratch string
	release func() error
}

// Open reads the configuration and the lock of a project and keeps others from
// changing it at the same time.
func Open(env Environment) (*Project, error) {
	release, err := artifact.Acquire(env.Root)
	if err != nil {
		return nil, err
	}
	env.Config, err = configPath(env)
	if err != nil {
		return nil, errors.Join(err, release())
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
	p = &Project{env: env, cfg: cfg}
	p.cfg.Engine = cmp.Or(env.Engine, cfg.Engine, config.Native)
	if p.root, err = os.OpenRoot(env.Root); err != nil {
		return nil, err
	}
	p.files = files{p.root}
	if p.lock, err = artifact.ReadLock(p.root, cmp.Or(env.Config, config.File)); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	if p.scratch, err = os.MkdirTemp(env.TempDir, "sdkgen-"); err != nil {
		return nil, errors.Join(fmt.Errorf("making a scratch directory: %w", err), p.Close())
	}
	return p, nil
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

// Plan runs the stages and compares what they made with the tree. It writes nothing. With an error about CRDs that
// would lose schema it returns the plan, too, which is not to be committed.
func (p *Project) Plan(ctx context.Context, opts Options) (*artifact.Plan, error) {
	b := p.newBuild(opts)
	wanted, err := pick(b.plan().stages(), opts.Only)
	if err != nil {
		return nil, err
	}
	if err := b.run(ctx, wanted); err != nil {
		return nil, err
	}
	set, keys := &artifact.Set{}, map[string]string{}
	for _, name := range wanted {
		if err := set.Merge(b.sets[name]); err != nil {
			return nil, err
		}
		keys[name] = b.keys[name]
	}
	if err := p.checkDeclared(set); err != nil {
		return nil, err
	}
	needs := p.needs(set)
	if err := needs.Errors().Err(); err != nil {
		return nil, err
	}
	p.env.warn(needs)
	lost := p.losses(set, opts.AcceptLoss)
	plan, err := artifact.NewPlan(p.root, p.lock, set, keys, artifact.Options{Adopt: opts.Adopt, Partial: len(opts.Only) > 0, Released: b.released})
	if blocked, ok := errors.AsType[diag.List](err); ok {
		return nil, append(lost, blocked...)
	}
	return plan, cmp.Or(err, lost.Err())
}

// Commit writes what the plan says.
func (p *Project) Commit(ctx context.Context, plan *artifact.Plan) error {
	return artifact.Commit(ctx, p.root, plan)
}

// pick returns the names of the stages that only lists, all for an empty list, in the order in which they run.
func pick(stages []stage, only []string) ([]string, error) {
	var enabled, picked []string
	for _, s := range stages {
		enabled = append(enabled, s.name)
		if len(only) == 0 || slices.Contains(only, s.name) {
			picked = append(picked, s.name)
		}
	}
	for _, name := range only {
		if !slices.Contains(enabled, name) {
			return nil, diag.Errorf(token.Position{}, "stage", "the stages of this project are "+strings.Join(enabled, ", "),
				"--only names %q, which is not a stage that sdkgen.yaml enables", name)
		}
	}
	return picked, nil
}

// path returns the absolute path of a file of the project; "" for "".
func (e Environment) path(rel string) string {
	if rel == "" {
		return ""
	}
	return filepath.Join(e.Root, filepath.FromSlash(rel))
}
