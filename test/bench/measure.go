package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// measure prepares the copies and the programs, warms everything up and runs the rounds.
func measure(ctx context.Context, opts options) (*result, error) {
	root, err := filepath.Abs(opts.root)
	if err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp("", "sdkgen-bench-")
	if err != nil {
		return nil, err
	}
	res, err := measureIn(ctx, opts, root, tmp)
	return res, errors.Join(err, os.RemoveAll(tmp))
}

func measureIn(ctx context.Context, opts options, root, tmp string) (*result, error) {
	p := place{
		api: opts.api,
		bin: filepath.Join(tmp, "bin"), ours: filepath.Join(tmp, "ours"), old: filepath.Join(tmp, "classic"), out: filepath.Join(tmp, "out"),
	}
	fmt.Fprintln(opts.log, "bench: copying the project, building the programs")
	for _, dest := range []string{p.ours, p.old} {
		if err := copyTree(ctx, root, dest); err != nil {
			return nil, err
		}
	}
	if err := build(ctx, root, p.bin); err != nil {
		return nil, err
	}
	var err error
	if p.java, err = findJava(p.old, opts.getenv); err != nil {
		return nil, err
	}
	jars, err := filepath.Glob(filepath.Join(p.old, ".tools", "*.jar"))
	if err != nil || len(jars) != 1 {
		return nil, fmt.Errorf("looking for the jar in .tools: %d found, 1 wanted", len(jars))
	}
	p.jar = jars[0]
	return rounds(ctx, opts, p)
}

// rounds runs A, B and C once to warm up and then as often as wanted, alternating, so that
// a machine that is slower for a while is slower for all of them.
func rounds(ctx context.Context, opts options, p place) (*result, error) {
	res := &result{machine: describe(ctx, p.java), steps: map[string][]sample{}}
	for _, s := range p.classic() {
		res.names = append(res.names, s.name)
	}
	for round := range opts.rounds + 1 {
		everything, err := runAll(ctx, p.everything())
		if err != nil {
			return nil, err
		}
		var classic sample
		for _, s := range p.classic() {
			one, err := s.run(ctx)
			if err != nil {
				return nil, err
			}
			classic = classic.then(one)
			if round > 0 {
				res.steps[s.name] = append(res.steps[s.name], one)
			}
		}
		unchanged, err := runAll(ctx, p.unchanged())
		if err != nil {
			return nil, err
		}
		if round == 0 {
			fmt.Fprintln(opts.log, "bench: warmed up")
			continue
		}
		res.everything, res.classic, res.unchanged = append(res.everything, everything), append(res.classic, classic), append(res.unchanged, unchanged)
		fmt.Fprintf(opts.log, "bench: round %d of %d: A %.2f s, B %.2f s, C %.2f s\n",
			round, opts.rounds, everything.Wall.Seconds(), classic.Wall.Seconds(), unchanged.Wall.Seconds())
	}
	return res, nil
}
