package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/flux-framework/flux-operator/hack/release/build"
	"github.com/flux-framework/flux-operator/hack/release/images"
	"github.com/flux-framework/flux-operator/hack/release/modules"
	"github.com/flux-framework/flux-operator/hack/release/sbom"
)

// build builds the files beside the directory that they end in, so that it never has a part of them.
func (r *release) build(ctx context.Context) ([]build.Artifact, error) {
	if r.out == "" {
		r.out = filepath.Join(r.dir, "dist", r.version)
	}
	if _, err := os.Stat(r.out); err == nil {
		if _, err := os.Stat(filepath.Join(r.out, build.Sums)); err != nil {
			return nil, fmt.Errorf("%s is not of an earlier run, since it has no %s; remove it or give --out", r.out, build.Sums)
		}
	}
	staging := filepath.Join(filepath.Dir(r.out), "."+filepath.Base(r.out)+".tmp")
	if err := errors.Join(os.RemoveAll(staging), os.MkdirAll(staging, 0o755)); err != nil {
		return nil, err
	}
	defer os.RemoveAll(staging) //nolint:errcheck // the next run removes it
	if err := ready(); err != nil {
		return nil, err
	}
	for _, step := range []struct {
		name string
		run  func(ctx context.Context, out string) error
	}{
		{"sdkgen", r.source.SDKGen},
		{"the Python SDK", r.source.Python},
		{"the chart", func(ctx context.Context, out string) error { return r.source.Chart(ctx, r.helm, out) }},
		{"the image", r.image},
		{"the SBOMs", r.describe},
	} {
		start := time.Now()
		if err := step.run(ctx, staging); err != nil {
			return nil, fmt.Errorf("building %s: %w", step.name, err)
		}
		r.say("built %s in %s", step.name, time.Since(start).Round(time.Second))
	}
	artifacts, err := build.Sum(staging)
	if err != nil {
		return nil, err
	}
	return artifacts, errors.Join(os.RemoveAll(r.out), os.Rename(staging, r.out))
}

// image builds the image of the operator. Those of examples/operators are no part of a release: each has its own
// version.
func (r *release) image(ctx context.Context, out string) error {
	_, err := images.Write(ctx, images.Options{
		Root: r.source.Dir, Version: r.version, Date: r.source.Time, Out: out, Only: []string{"flux-operator"},
		Env: r.source.Env, Log: r.source.Log,
	})
	return err
}

// describe writes the SBOMs of all files that were built.
func (r *release) describe(ctx context.Context, out string) error {
	files, err := filepath.Glob(filepath.Join(out, "*"))
	if err != nil {
		return err
	}
	var places modules.Places
	text, err := r.source.Run(ctx, filepath.Join(r.source.Dir, "hack", "release"), "go", "env", "-json", "GOMODCACHE",
		"GOROOT")
	if err == nil {
		err = json.Unmarshal([]byte(text), &places)
	}
	if err != nil {
		return fmt.Errorf("asking go for its directories: %w", err)
	}
	_, err = sbom.Write(ctx, sbom.Options{Artifacts: files, Version: r.version, Date: r.source.Time, Out: out,
		Places: places})
	return err
}
