package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

const (
	coreV1 = "k8s.io/api/core/v1"
	appsV1 = "k8s.io/api/apps/v1"
)

// coreNames are for types whose own names the SDKs have for something else: List is a name of Python's
// typing, and Event is what the Go client's watch tells.
var coreNames = map[string]string{coreV1 + ".List": "ObjectList", coreV1 + ".Event": "ObjectEvent"}

// types are runs on ever more types: packages of other modules, of which sdkgen makes the CRDs,
// the document and both SDKs.
func (p *place) types(ctx context.Context) []row {
	kubernetes := filepath.Join(p.tmp, "k8s.io-api")
	copied := sync.OnceValue(func() error { return p.copyKubernetes(ctx, kubernetes) })
	replaced := map[string]string{"k8s.io/api": kubernetes}
	var rows []row
	for _, in := range []struct {
		name    string
		before  func() error
		project project
	}{
		{"MiniCluster", nil, project{packages: []string{apiPath}}},
		{"JobSet", nil, project{module: "sdkgen/test/apis", packages: []string{"sigs.k8s.io/jobset/api/jobset/v1alpha2"}}},
		{"apps/v1", copied, project{replace: replaced, names: coreNames, packages: []string{appsV1}}},
		{"core/v1", copied, project{replace: replaced, names: coreNames, packages: []string{coreV1}}},
		{"core/v1 and apps/v1", copied, project{replace: replaced, names: coreNames, packages: []string{coreV1, appsV1}}},
	} {
		rows = append(rows, p.growing(in.name, in.project, in.before))
	}
	return rows
}

// packages are runs on ever more API packages of a project's own, with all stages.
func (p *place) packages() []row {
	var rows []row
	for _, n := range []int{1, 4, 16} {
		r := p.growing(fmt.Sprintf("%d × MiniCluster", n), project{copies: n}, nil)
		r.size = func() (int, error) { return n, nil }
		rows = append(rows, r)
	}
	return rows
}

// growing is the row of a full run in a project that is written when it is first needed, after
// what comes before.
func (p *place) growing(name string, pr project, before func() error) row {
	pr.dir = filepath.Join(p.tmp, "growth", regexp.MustCompile(`\W+`).ReplaceAllString(name, "-"))
	written := sync.OnceValue(func() error {
		if before != nil {
			if err := before(); err != nil {
				return err
			}
		}
		return p.write(pr)
	})
	return row{
		name: name, rounds: 3, prepare: func(int) error { return written() },
		ours: []step{p.sdkgen(pr.dir, "generate", "--force")}, size: pr.models,
	}
}

// refusal is something in k8s.io/api that sdkgen does not take.
type refusal struct {
	says string // the first line of what it says
	did  string // what was changed in the copy
}

// hurdle is a change of k8s.io/api that makes sdkgen take it.
type hurdle struct {
	says string // in the refusal
	did  string
	file string // below the module
	old  string // a text in it
	text string // in its place
}

// hurdles are changed as they are met: what sdkgen takes is left as it is.
var hurdles = []hurdle{
	{
		"has no +groupName", "`+groupName=apps.example.org` is written to apps/v1",
		"apps/v1/doc.go", "\npackage v1\n", "\n// +groupName=apps.example.org\npackage v1\n",
	},
	{
		"+groupName is empty", "`+groupName=core.example.org` is written",
		"core/v1/doc.go", "\n// +groupName=\n", "\n// +groupName=core.example.org\n",
	},
	{
		"for two API packages of version", "`+versionName=v2` is written to apps/v1",
		"apps/v1/doc.go", "\npackage v1\n", "\n// +versionName=v2\npackage v1\n",
	},
}

// copyKubernetes copies the module k8s.io/api and changes what sdkgen refuses of it, until it takes
// both packages at once.
func (p *place) copyKubernetes(ctx context.Context, dir string) error {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/api")
	cmd.Dir = p.root
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("locating k8s.io/api: %w", err)
	}
	if err := os.CopyFS(dir, os.DirFS(strings.TrimSpace(string(out)))); err != nil {
		return err
	}
	pr := project{dir: filepath.Join(p.tmp, "refused"), replace: map[string]string{"k8s.io/api": dir}, names: coreNames,
		packages: []string{coreV1, appsV1}}
	if err := p.write(pr); err != nil {
		return err
	}
	for left := slices.Clone(hurdles); ; {
		_, err := p.sdkgen(pr.dir, "generate", "--only", "crd,swagger,python,go").run(ctx)
		refused, ok := errors.AsType[*failure](err)
		if !ok {
			return err
		}
		i := slices.IndexFunc(left, func(h hurdle) bool { return strings.Contains(refused.said, h.says) })
		if i < 0 {
			return err
		}
		first, _, _ := strings.Cut(strings.TrimPrefix(refused.said, "sdkgen: "), "\n")
		p.refused = append(p.refused, refusal{strings.TrimPrefix(first, dir+string(filepath.Separator)), left[i].did})
		if err := left[i].change(dir); err != nil {
			return err
		}
		left = slices.Delete(left, i, i+1)
	}
}

// change makes a hurdle's change in a copy of the module.
func (h hurdle) change(dir string) error {
	name := filepath.Join(dir, filepath.FromSlash(h.file))
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if !bytes.Contains(data, []byte(h.old)) {
		return fmt.Errorf("changing k8s.io/api: %s has no %q", h.file, h.old)
	}
	return os.WriteFile(name, bytes.Replace(data, []byte(h.old), []byte(h.text), 1), 0o644)
}
