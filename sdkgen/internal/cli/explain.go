package cli

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/explain"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/project"
)

func (a *app) explain() *cobra.Command {
	var api string
	var recursive bool
	cmd := &cobra.Command{
		Use:   "explain PATH",
		Short: "Describe a field of an API, and where it is in Go, the CRD and the SDKs",
		Long: `Describe a field of an API, and where it is in Go, the CRD and the SDKs.

PATH is a kind and the names of fields below it, joined by dots, as kubectl explain takes it; list items and
map values are not steps of the path. Type, default, constraints and CEL rules are those of the CRD, so they are what the API
server enforces. No cluster is needed.

If a kind has several versions, the storage version is described; --api selects another one. --api also takes the
import path of an API package of another module, one that go.mod requires or, with @VERSION, a published one.

"sdkgen completion --help" says how the shell completes paths.`,
		Example: `  sdkgen explain minicluster.spec.flux
  sdkgen explain minicluster.spec --recursive
  sdkgen explain minicluster.spec.size --format json
  sdkgen explain --api v1beta1 workload.spec
  sdkgen explain --api sigs.k8s.io/gateway-api/apis/v1@v1.3.0 httproute.spec.rules`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("explain takes one path, such as minicluster.spec")
			}
			return nil
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, path string) ([]string, cobra.ShellCompDirective) {
			return a.completePath(cmd, api, args, path)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.explainPath(cmd, api, args[0], recursive) },
	}
	cmd.Flags().StringVar(&api, "api", "",
		"`package` to look in, by directory, import path or version; PATH@VERSION is a published one")
	cmd.Flags().BoolVar(&recursive, "recursive", false, "list all fields below the path")
	return cmd
}

// explainPath prints what is known of a path.
func (a *app) explainPath(cmd *cobra.Command, api, path string, recursive bool) error {
	if a.format == string(diag.GitHub) {
		return errors.New("--format: explain prints text or json")
	}
	described, err := a.explained(cmd, api, path)
	if err != nil {
		return err
	}
	explanation, err := described.Explain(path, recursive)
	if err != nil {
		return err
	}
	if a.format == string(diag.Text) {
		return explanation.Text(a.stdout, recursive)
	}
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(explanation)
}

// completePath returns what the shell may complete a path to. It adds no space: a field may follow.
func (a *app) completePath(
	cmd *cobra.Command, api string, args []string, path string,
) ([]string, cobra.ShellCompDirective) {
	const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	if len(args) > 0 {
		return nil, directive
	}
	described, err := a.explained(cmd, api, path)
	if err != nil {
		return cobra.AppendActiveHelp(nil, err.Error()), directive
	}
	return described.Complete(path), directive
}

// explained reads the API. A run that writes the project need not end first.
func (a *app) explained(cmd *cobra.Command, api, path string) (*explain.API, error) {
	env, err := a.environment()
	if err != nil {
		return nil, err
	}
	env.Warn = func(diag.List) {}
	return project.Explained(cmd.Context(), env, strings.TrimSuffix(api, "/"), path)
}
