package cli

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

const development = "(devel)"

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions of sdkgen and of the generators in it",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			built := modules()
			for _, module := range []string{
				self, "sigs.k8s.io/controller-tools", "k8s.io/kube-openapi", "k8s.io/code-generator", "k8s.io/gengo/v2",
			} {
				if _, err := fmt.Fprintf(a.stdout, "%s %s\n", module, built[module]); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// self is the module that sdkgen is part of.
const self = "github.com/flux-framework/flux-operator/sdkgen"

// modules returns the versions of the modules that this program is built with. A development
// build of sdkgen itself has the version "(devel)".
func modules() map[string]string {
	out := map[string]string{self: development}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return out
	}
	for _, dep := range append(info.Deps, &info.Main) {
		version := dep.Version
		if dep.Replace != nil {
			version = dep.Replace.Version
		}
		if version != "" {
			out[dep.Path] = version
		}
	}
	// A build of a checkout, also of a tagged commit, must give the same keys as one before it.
	if info.Main.Path == self {
		out[self] = development
	}
	return out
}

// sources is the hash of the committed files that this program was built from, which make tools sets;
// "" if it was built otherwise, or from files that were not committed.
var sources string

// build identifies a development build, "" for a released version: by its sources, where these are
// known, else by its file.
func build() string {
	if modules()[self] != development {
		return ""
	}
	if sources != "" {
		return sources + " " + runtime.Version()
	}
	program, err := os.Executable()
	if err != nil {
		return development
	}
	info, err := os.Stat(program)
	if err != nil {
		return development
	}
	return fmt.Sprintf("%s %d %d", program, info.Size(), info.ModTime().UnixNano())
}
