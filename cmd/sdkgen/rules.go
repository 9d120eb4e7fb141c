package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func (a *app) rules() *cobra.Command {
	var update bool
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "Check Kubernetes' API rules against the list of exceptions",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			project, err := a.open()
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, project.Close()) }()
			if update {
				return project.UpdateRules(cmd.Context())
			}
			known, err := project.Rules(cmd.Context())
			if err != nil {
				return err
			}
			a.logger().Info("no new violations of API rules", "known", known)
			return nil
		},
	}
	cmd.Flags().BoolVar(&update, "update", false, "rewrite the list to today's violations, sorted; comments stay")
	return cmd
}
