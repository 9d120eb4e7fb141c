package cli

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// development is the version of a build that no released version names.
const development = "(devel)"

// self is the module that sdkgen is part of.
const self = "github.com/flux-framework/flux-operator/sdkgen"

// generators are the modules whose versions decide what sdkgen writes.
var generators = []string{"sigs.k8s.io/controller-tools", "k8s.io/kube-openapi", "k8s.io/code-generator", "k8s.io/gengo/v2"}

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the versions of sdkgen and of the generators in it",
		Long:    "Print the module version of sdkgen that `go install` or `go get -tool` recorded, and those of the Kubernetes generators that it is built with.",
		Example: "  sdkgen version",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			info, _ := debug.ReadBuildInfo()
			versions := recorded(info)
			for _, module := range append([]string{self}, generators...) {
				if _, err := fmt.Fprintf(a.stdout, "%s %s\n", module, versions[module]); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// recorded returns the module versions that the go command wrote into a program; info may be nil.
func recorded(info *debug.BuildInfo) map[string]string {
	versions := map[string]string{self: development}
	if info == nil {
		return versions
	}
	for _, module := range append(info.Deps, &info.Main) {
		version := module.Version
		if module.Replace != nil {
			version = module.Replace.Version
		}
		if version != "" {
			versions[module.Path] = version
		}
	}
	return versions
}

// modules returns the versions of the modules that this program is built with, for the keys of stages.
func modules() map[string]string {
	info, _ := debug.ReadBuildInfo()
	return keyed(info)
}

// keyed returns the recorded versions. A build of a checkout has no checksum and is "(devel)" whatever
// version control says of it: otherwise each commit would change every key.
func keyed(info *debug.BuildInfo) map[string]string {
	versions := recorded(info)
	if info != nil && info.Main.Path == self && info.Main.Sum == "" {
		versions[self] = development
	}
	return versions
}
