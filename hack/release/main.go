// Release checks whether a version of this project may be released.
package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/flux-framework/flux-operator/hack/release/version"
)

func main() {
	if command().Execute() != nil {
		os.Exit(1)
	}
}

func command() *cobra.Command {
	var last string
	var breaking bool
	c := &cobra.Command{
		Use:          "release VERSION",
		Short:        "Check whether a version may be released",
		Example:      "  release 0.4.0 --last v0.3.0 --breaking",
		Args:         cobra.ExactArgs(1),
		SilenceUsage: true,
		RunE: func(_ *cobra.Command, args []string) error {
			return version.Check(last, "v"+args[0], breaking)
		},
	}
	c.Flags().StringVar(&last, "last", "", "tag of the last release")
	c.Flags().BoolVar(&breaking, "breaking", false, "the API has a breaking change since then")
	return c
}
