// Release checks that a version of this project may be released, writes the version and the changelog for the release
// commit,
// and builds the files of the release. It changes the tree only with --write, and pushes nothing.
// docs/contribute/releasing.md has the steps.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/flux-framework/flux-operator/hack/release/images"
)

// Exit codes.
const (
	exitRefused = 1 // the version may not be released
	exitFailed  = 2 // the tree is not clean, wrong arguments, or a program failed
)

func main() { os.Exit(run(os.Args[1:], os.Environ(), os.Stdout, os.Stderr)) }

// run runs the command line and returns the exit code of the process.
func run(args, environ []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	c := command(environ, stdout, stderr)
	c.SetArgs(args)
	err := c.ExecuteContext(ctx)
	var refused *refusal
	switch {
	case err == nil:
		return 0
	case errors.As(err, &refused):
		fmt.Fprintf(stderr, "release: refused: %v\n", err)
		return exitRefused
	}
	fmt.Fprintf(stderr, "release: %v\n", err)
	return exitFailed
}

func command(environ []string, stdout, stderr io.Writer) *cobra.Command {
	r := &release{environ: environ, stdout: stdout, stderr: stderr}
	c := &cobra.Command{
		Use:   "release VERSION",
		Short: "Check, prepare and build a release",
		Long: `Check, prepare and build a release.

The tree has to be clean, sdkgen verify has to pass, and the version has to follow the last release: higher than
it, and with a breaking change of the API since then a new major version, before 1.0.0 a new minor one.

Without --write, the tree stays as it is: the files are built into dist/VERSION from a copy of it that has the
version and the changelog. With --write, these are written into the tree, for the release commit. Nothing is
tagged or pushed.

Exit code 1 says that the version may not be released, 2 that it could not be found out or built.`,
		Example: `  make release VERSION=0.4.0
  make release VERSION=0.4.0 ARGS=--write
  make release VERSION=0.4.0 AGAINST=origin/main ARGS=--check`,
		Args:          cobra.ExactArgs(1),
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			r.version = args[0]
			for _, path := range []*string{&r.dir, &r.out, &r.helm, &r.sdkgen} {
				if *path != "" {
					if *path, err = filepath.Abs(*path); err != nil {
						return err
					}
				}
			}
			return r.run(cmd.Context())
		},
	}
	c.SetOut(stdout)
	c.SetErr(stderr)
	c.Flags().StringVarP(&r.dir, "dir", "C", ".", "root of the repository")
	c.Flags().StringVar(&r.against, "against", "", "git ref to compare the API with (default the tag of the last release)")
	c.Flags().BoolVar(&r.write, "write", false, "write the version and CHANGELOG.md into the tree, and build nothing")
	c.Flags().BoolVar(&r.check, "check", false, "check and print what would change, and build nothing")
	c.Flags().StringVar(&r.out, "out", "", "directory of the files (default dist/VERSION)")
	c.Flags().StringVar(&r.helm, "helm", "bin/helm", "helm program, which packs the chart")
	c.Flags().StringVar(&r.sdkgen, "sdkgen", "", "sdkgen program that checks and generates (default built from the tree)")
	c.MarkFlagsMutuallyExclusive("write", "check")
	c.AddCommand(images.Command(environ))
	return c
}
