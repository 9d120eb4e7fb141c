package cli

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/flux-framework/flux-operator/sdkgen/internal/project"
)

func (a *app) swagger() *cobra.Command {
	var api, output string
	cmd := &cobra.Command{
		Use:   "swagger",
		Short: "Print swagger.json of an API package",
		Example: `  sdkgen swagger
  sdkgen swagger --api v1beta1 -o swagger.json`,
		Args: noArgs,
		RunE: a.inProject(func(ctx context.Context, project *project.Project) error {
			data, err := project.Swagger(ctx, api)
			if err != nil {
				return err
			}
			if output == "-" {
				_, err = a.stdout.Write(data)
				return err
			}
			return os.WriteFile(output, data, 0o644)
		}),
	}
	cmd.Flags().StringVarP(&output, "output", "o", "-", "output `file`, - for stdout")
	cmd.Flags().StringVar(&api, "api", "",
		"`package` to print, by directory, import path or version; needed if there are several")
	return cmd
}
