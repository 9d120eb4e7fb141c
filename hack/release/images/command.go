package images

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/flux-framework/flux-operator/hack/release/debian"
)

// Command returns the command that builds images alone, in an environment.
func Command(environ []string) *cobra.Command {
	o := Options{Env: environ}
	var renew bool
	c := &cobra.Command{
		Use:   "images VERSION",
		Short: "Build the container images",
		Long: `Builds the container images of the repository's HEAD, with what is not committed yet, and writes the paths of the
archives. No container engine is needed. Images of Python operators need debootstrap and dpkg-deb, which Debian and Ubuntu
have, and pip.

The operators in examples/ have a version of their own; VERSION is that of the Flux Operator.`,
		Example: `  release images 0.4.0
  release images 0.4.0 --only flux-operator --arch arm64 --out dist`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.Log = slog.New(slog.NewTextHandler(c.ErrOrStderr(), nil))
			if renew {
				return o.renew(c)
			}
			if len(args) == 0 {
				return fmt.Errorf("which version? Write it like 0.4.0")
			}
			o.Version = args[0]
			return o.write(c)
		},
	}
	flags := c.Flags()
	flags.StringVarP(&o.Root, "root", "C", ".", "Directory of the repository")
	flags.StringVarP(&o.Out, "out", "o", "dist", "Directory for the archives, below the repository's")
	flags.StringSliceVar(&o.Only, "only", nil, "Names of images (default all)")
	flags.StringSliceVar(&o.Arches, "arch", nil, "Architectures (default amd64,arm64)")
	flags.StringVar(&o.Repository, "repository", "", "Where the images are to be pushed (default ghcr.io/flux-framework)")
	flags.StringVar(&o.Mirror, "mirror", "", "Mirror of Debian (default debootstrap's)")
	flags.StringVar(&o.Cache, "cache", "", "Directory for Debian's packages (default in the user's cache)")
	flags.StringVar(&o.Python, "python", "", "Python with pip (default python3)")
	flags.BoolVar(&renew, "renew-base", false,
		"Pin the packages that Debian has now in hack/release/debian/packages.txt, and build nothing")
	return c
}

func (o *Options) write(c *cobra.Command) error {
	_, committed, err := o.repo().Head(c.Context())
	if err != nil {
		return err
	}
	o.Date = committed
	if !filepath.IsAbs(o.Out) {
		o.Out = filepath.Join(o.Root, o.Out)
	}
	paths, err := Write(c.Context(), *o)
	for _, path := range paths {
		fmt.Fprintln(c.OutOrStdout(), path)
	}
	return err
}

func (o *Options) renew(c *cobra.Command) error {
	o.Version, o.Date, o.Out = "0.0.0", time.Unix(0, 0), o.Root // not used
	if _, err := o.complete(); err != nil {
		return err
	}
	base := debian.Base{Cache: o.Cache, Mirror: o.Mirror}
	pins, err := base.Renew(c.Context(), Arches...)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(o.Root, "hack", "release", "debian", "packages.txt"), []byte(pins), 0o644)
}
