package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

func (a *app) resumeCommand() *cobra.Command {
	var asJSON, inline, all bool
	c := &cobra.Command{
		Use: "resume RUN...", Short: "Go on with runs that were paused, stopped or interrupted",
		Long: `Go on with runs from their newest checkpoints, as if they had never stopped: the result is the same
to the last bit. Runs that are done are only shown, where there are no others. --all is every run that is paused, or was
interrupted by a crash; those that somebody stopped are left alone.`,
		Example:           "drolab resume latest\ndrolab resume --all",
		Args:              runsOrAll(&all, "resume"),
		ValidArgsFunction: a.completeRuns,
		RunE: func(c *cobra.Command, args []string) error {
			runs, err := a.chosen(args, all, func(r *record.Run) bool {
				return r.Status() == runner.Paused || r.Status() == runner.Interrupted
			})
			if err != nil || len(runs) == 0 {
				return err
			}
			unfinished := slices.DeleteFunc(slices.Clone(runs), func(r *record.Run) bool {
				return r.Status() == runner.Done
			})
			if len(unfinished) == 0 {
				return a.report(runs, asJSON)
			}
			return a.goOn(c.Context(), unfinished, inline, asJSON)
		},
	}
	c.Flags().BoolVar(&inline, "inline", false, "train in this process, not in the background")
	c.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	c.Flags().BoolVar(&all, "all", false, "every run that is paused or was interrupted")
	return c
}

// goOn resumes runs of one folder and follows them.
func (a *app) goOn(ctx context.Context, runs []*record.Run, inline, asJSON bool) error {
	store, err := record.Open(filepath.Dir(runs[0].Dir))
	if err != nil {
		return err
	}
	if inline || !a.hasEngine() {
		q, cancel := a.queue(ctx, store)
		defer cancel()
		ids, list := a.begin(runs, q.Resume)
		if len(ids) > 0 {
			list = list.and(a.followQueue(q, store.Dir(), ids, asJSON))
		}
		return list.orNil()
	}
	client := a.client(store.Dir())
	ctx, cancel := a.Orderly(ctx, nil)
	defer cancel()
	ids, list := a.begin(runs, client.Resume)
	if len(ids) > 0 {
		list = list.and(a.followEngine(ctx, client, ids, asJSON))
	}
	return list.orNil()
}

// begin resumes the runs, and says at once which it cannot.
func (a *app) begin(runs []*record.Run, resume func(id string) error) (ids []string, list failures) {
	for _, r := range runs {
		if err := resume(r.Meta.ID); err != nil {
			list = append(list, err)
			continue
		}
		ids = append(ids, r.Meta.ID)
	}
	if len(ids) > 0 && len(list) > 0 {
		fmt.Fprintf(a.Stderr, "%s cannot go on, %d do: the reasons follow at their end\n",
			kit.Plural(len(list), "run"), len(ids))
	}
	return ids, list
}
