// Package project opens a project, and generates and verifies it: it runs the stages over one load and hands what they
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
	"os"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/project/order"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/gocode"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/reference"
)

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
	in      *stage.Project
	release func() error
}

// Open reads the configuration and the lock of a project and keeps others from
// changing it at the same time.
func Open(env stage.Environment) (*Project, error) {
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
func open(env stage.Environment, cfg *config.Config) (p *Project, err error) {
	p = &Project{in: &stage.Project{Env: env, Config: cfg}}
	cfg.Engine = cmp.Or(env.Engine, cfg.Engine, config.Native)
	if p.in.Root, err = os.OpenRoot(env.Root); err != nil {
		return nil, err
	}
	p.in.Files = stage.Files{Root: p.in.Root}
	if p.in.Lock, err = artifact.ReadLock(p.in.Root, cmp.Or(env.Config, config.File)); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	if p.in.Scratch, err = os.MkdirTemp(env.TempDir, "sdkgen-"); err != nil {
		return nil, errors.Join(fmt.Errorf("making a scratch directory: %w", err), p.Close())
	}
	return p, nil
}

// Close removes the scratch directory and lets others in.
func (p *Project) Close() error {
	var errs []error
	if p.in.Scratch != "" {
		errs = append(errs, os.RemoveAll(p.in.Scratch))
	}
	if p.in.Root != nil {
		errs = append(errs, p.in.Root.Close())
	}
	if p.release != nil {
		errs = append(errs, p.release())
	}
	return errors.Join(errs...)
}

// Plan runs the stages and compares what they made with the tree. It writes nothing. With an error about CRDs that
// would lose schema it returns the plan, too, which is not to be committed.
func (p *Project) Plan(ctx context.Context, opts Options) (*artifact.Plan, error) {
	b := order.New(p.in, opts.Force, opts.Adopt)
	expected, err := pick(b.Enabled(), opts.Only)
	if err != nil {
		return nil, err
	}
	if err := b.Do(ctx, expected); err != nil {
		return nil, err
	}
	set, keys := &artifact.Set{}, map[string]string{}
	for _, name := range expected {
		if err := set.Merge(b.Run.Sets[name]); err != nil {
			return nil, err
		}
		keys[name] = b.Run.Keys[name]
	}
	if err := gocode.CheckDeclared(p.in, set); err != nil {
		return nil, err
	}
	needs := gocode.Requirements(p.in, set)
	if err := needs.Errors().Err(); err != nil {
		return nil, err
	}
	p.in.Env.Report(needs)
	lost := gocode.Losses(p.in, set, opts.AcceptLoss)
	plan, err := artifact.NewPlan(p.in.Root, p.in.Lock, set, keys,
		artifact.Options{Adopt: opts.Adopt, Partial: len(opts.Only) > 0, Released: b.Run.Released})
	if blocked, ok := errors.AsType[diag.List](err); ok {
		return nil, append(lost, blocked...)
	}
	return plan, cmp.Or(err, lost.Err())
}

// Commit writes what the plan says.
func (p *Project) Commit(ctx context.Context, plan *artifact.Plan) error {
	return artifact.Commit(ctx, p.in.Root, plan)
}

// Adopted returns the CRDs on disk that a plan would overwrite and that sdkgen did not write.
func (p *Project) Adopted(plan *artifact.Plan) []artifact.Change {
	return slices.DeleteFunc(plan.Changes(), func(c artifact.Change) bool {
		_, ours := p.in.Lock.Lookup(c.Path)
		return ours || c.Kind != artifact.Modified || c.Origin != gocode.CRDStage
	})
}

// pick returns the names of the stages that only lists, all for an empty list, in the order in which they run.
func pick(stages []stage.Stage, only []string) ([]string, error) {
	var enabled, picked []string
	for _, s := range stages {
		enabled = append(enabled, s.Name)
		if len(only) == 0 || slices.Contains(only, s.Name) {
			picked = append(picked, s.Name)
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

// docsLock names the lock of a directory that WriteDocs writes to.
const docsLock = "docs.yaml"

// WriteDocs writes the reference pages to a directory that is none of the project's outputs, and returns how many. The
// directory has a lock of its own, docs.lock: pages of kinds that are gone are removed, and files of others are kept.
func (p *Project) WriteDocs(ctx context.Context, dir, format string) (pages int, err error) {
	cfg, other := *p.in.Config, *p.in
	cfg.Docs, other.Config = &config.Docs{Dir: ".", Format: format}, &cfg
	b := order.New(&other, false, false)
	if err := b.Do(ctx, []string{reference.Stage}); err != nil {
		return 0, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	lock, err := artifact.ReadLock(root, docsLock)
	if err != nil {
		return 0, err
	}
	plan, err := artifact.NewPlan(root, lock, b.Run.Sets[reference.Stage],
		map[string]string{reference.Stage: b.Run.Keys[reference.Stage]}, artifact.Options{})
	if err != nil {
		return 0, err
	}
	return b.Run.Sets[reference.Stage].Len(), artifact.Commit(ctx, root, plan)
}
