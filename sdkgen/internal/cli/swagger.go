package cli

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/flux-framework/flux-operator/sdkgen/internal/pipeline"
)

func (a *app) swagger() *cobra.Command {
	var api, output string
	cmd := &cobra.Command{
		Use:   "swagger",
		Short: "Print swagger.json of an API package",
		Args:  cobra.NoArgs,
		RunE: a.inProject(func(ctx context.Context, project *pipeline.Project) error {
			data, err := project.Swagger(ctx, api, nil)
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
	cmd.Flags().StringVarP(&output, "output", "o", "-", "the file to write, - for stdout")
	cmd.Flags().StringVar(&api, "api", "", "the package's directory, import path or version, if there are several")
	return cmd
}
