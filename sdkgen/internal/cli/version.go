package cli

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// development is the version of a build that no released version names.
const development = "(devel)"

// released is the version of a program that is released other than as a module: hack/wheels.py has the
// linker set it. Otherwise it is empty.
var released string

// self is the module that sdkgen is part of.
const self = "github.com/flux-framework/flux-operator/sdkgen"

// generators are the modules whose versions decide what sdkgen writes.
var generators = []string{"sigs.k8s.io/controller-tools", "k8s.io/kube-openapi", "k8s.io/code-generator",
	"k8s.io/gengo/v2"}

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions of sdkgen and of the generators in it",
		Long: "Print the version of sdkgen, as `go install`, `go get -tool` or the wheel recorded it, and those of the " +
			"Kubernetes generators that it is built with.",
		Example: "  sdkgen version",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			info, _ := debug.ReadBuildInfo()
			versions := recorded(info, released)
			for _, module := range append([]string{self}, generators...) {
				if _, err := fmt.Fprintf(a.stdout, "%s %s\n", module, versions[module]); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// recorded returns the module versions that the go command wrote into a program; info may be nil. That of
// sdkgen is the released one, if there is one.
func recorded(info *debug.BuildInfo, released string) map[string]string {
	versions := map[string]string{self: development}
	if info == nil {
		info = &debug.BuildInfo{}
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
	if released != "" {
		versions[self] = released
	}
	return versions
}

// modules returns the versions of the modules that this program is built with, for the keys of stages.
func modules() map[string]string {
	info, _ := debug.ReadBuildInfo()
	return keyed(info, released)
}

// keyed returns the recorded versions. A build of a checkout has no checksum and is "(devel)" whatever
// version control says of it: otherwise each commit would change every key. A released program has the keys
// of the module of that version.
func keyed(info *debug.BuildInfo, released string) map[string]string {
	versions := recorded(info, released)
	if released == "" && info != nil && info.Main.Path == self && info.Main.Sum == "" {
		versions[self] = development
	}
	return versions
}
