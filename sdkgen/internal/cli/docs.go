package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/project"
)

func (a *app) docs() *cobra.Command {
	var output, as string
	cmd := &cobra.Command{
		Use:   "docs",
		Short: "Write the reference pages of the API to a directory",
		Long: `Write the reference pages of the API to a directory: a page for each kind with the tree of its fields, a
comparison of its versions, a search, and llms.txt with a line for each field.

The HTML pages need no server and no other program. --as markdown writes pages for a site that is built by mkdocs,
Docusaurus or Hugo. With the section docs in sdkgen.yaml, generate writes the pages and verify checks them like all other
files. This command is for pages that are not committed, and does not need the section.`,
		Example: `  sdkgen docs                          # then open site/index.html
  sdkgen docs -o website/docs/api --as markdown`,
		Args: noArgs,
		RunE: a.inProject(func(ctx context.Context, project *project.Project) error {
			if !slices.Contains(config.Formats, as) {
				return fmt.Errorf("unknown format %q: --as takes %s", as, strings.Join(config.Formats, " or "))
			}
			pages, err := project.WriteDocs(ctx, output, as)
			if err != nil {
				return err
			}
			a.logger().Info(filepath.ToSlash(output), "files", pages)
			return nil
		}),
	}
	cmd.Flags().StringVarP(&output, "output", "o", "site", "output `directory`")
	cmd.Flags().StringVar(&as, "as", config.Formats[0], "`format` of the pages: "+strings.Join(config.Formats, " or "))
	return cmd
}
