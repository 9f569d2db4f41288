package cli

import (
	"context"
	"path/filepath"

	"drolab/runner"
	"drolab/runner/record"

	"github.com/spf13/cobra"
)

func (a *app) resumeCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "resume RUN", Short: "Go on with a run that was stopped or interrupted",
		Long: `Go on with a run from its newest checkpoint, as if it had never stopped: the result is the same
to the last bit. A run that is done is only shown.`,
		Example:           "drolab resume latest",
		Args:              exactlyOne("a run", "drolab resume latest"),
		ValidArgsFunction: a.completeRuns,
		RunE: func(c *cobra.Command, args []string) error {
			r, err := a.find(args[0])
			if err != nil {
				return err
			}
			if r.Status() == runner.Done {
				return a.report([]*record.Run{r}, asJSON)
			}
			return a.goOn(c.Context(), r, asJSON)
		},
	}
	c.Flags().Bool("inline", false, "train in this process (as it always does for now)")
	c.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return c
}

func (a *app) goOn(ctx context.Context, r *record.Run, asJSON bool) error {
	store, err := record.Open(filepath.Dir(r.Dir))
	if err != nil {
		return err
	}
	ctx, cancel := a.Orderly(ctx)
	defer cancel()
	q := runner.NewQueue(ctx, a.settings(store))
	if err := q.Resume(r.Meta.ID); err != nil {
		return err
	}
	return a.follow(q, store.Dir(), []string{r.Meta.ID}, asJSON)
}
