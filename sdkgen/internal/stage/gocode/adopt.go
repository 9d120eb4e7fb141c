package gocode

import (
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/gocode/loss"
)

// Losses reports the CRDs on disk that sdkgen did not write and that have schema which the new ones lack. Those whose
// path is accepted are left out, and so are those that cannot be read: comparing with the tree says why.
func Losses(p *stage.Project, set *artifact.Set, accepted []string) diag.List {
	var list diag.List
	for file := range set.All() {
		if _, ours := p.Lock.Lookup(file.Path); ours || file.Origin != CRDStage || slices.Contains(accepted, file.Path) {
			continue
		}
		old, err := p.Root.ReadFile(filepath.FromSlash(file.Path))
		if err != nil {
			continue
		}
		if lost := loss.Of(old, file.Data); len(lost) > 0 {
			list.Add(token.Position{Filename: file.Path}, "adopt", lossHint(file.Path, lost),
				"this CRD has %d parts that the one in its place would lack: objects would be pruned, or no longer checked",
				len(lost))
		}
	}
	return list
}

// lossHint lists what is lost, and says what to do.
func lossHint(path string, lost []loss.Lost) string {
	var b strings.Builder
	metadata := false
	for _, l := range lost {
		fmt.Fprintln(&b, l)
		metadata = metadata || l.Metadata
	}
	if metadata {
		b.WriteString(
			"to keep the properties of embedded metadata, write under crd in sdkgen.yaml: generateEmbeddedObjectMeta: true\n")
	}
	if slices.ContainsFunc(lost, func(l loss.Lost) bool { return !l.Metadata }) {
		b.WriteString("add the markers or types that these come from\n")
	}
	b.WriteString("or accept all of it: sdkgen generate --adopt --accept-loss " + path)
	return b.String()
}
