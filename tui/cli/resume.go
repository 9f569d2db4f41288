package cli

import (
	"context"
	"path/filepath"

	"drolab/runner"
	"drolab/runner/record"

	"github.com/spf13/cobra"
)

func (a *app) resumeCommand() *cobra.Command {
	var asJSON, inline bool
	c := &cobra.Command{
		Use: "resume RUN", Short: "Go on with a run that was paused, stopped or interrupted",
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
			return a.goOn(c.Context(), r, inline, asJSON)
		},
	}
	c.Flags().BoolVar(&inline, "inline", false, "train in this process, not in the background")
	c.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return c
}

func (a *app) goOn(ctx context.Context, r *record.Run, inline, asJSON bool) error {
	store, err := record.Open(filepath.Dir(r.Dir))
	if err != nil {
		return err
	}
	if inline || !a.hasEngine() {
		q, cancel := a.queue(ctx, store)
		defer cancel()
		if err := q.Resume(r.Meta.ID); err != nil {
			return err
		}
		return a.followQueue(q, store.Dir(), []string{r.Meta.ID}, asJSON)
	}
	client := a.client(store.Dir())
	ctx, cancel := a.Orderly(ctx, nil)
	defer cancel()
	if err := client.Resume(r.Meta.ID); err != nil {
		return err
	}
	return a.followEngine(ctx, client, []string{r.Meta.ID}, asJSON)
}
