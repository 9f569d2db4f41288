package run

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/cli/console"
	"drolab/tui/cli/look"
	"drolab/tui/cli/trainer"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

func resumeCommand(tr *trainer.Trainer) *cobra.Command {
	var inline, all bool
	c := &cobra.Command{
		Use: "resume RUN...", Short: "Resume runs that were paused, stopped or interrupted",
		Long: `Resume runs from their newest checkpoints. The result is the same, to the last bit, as if they
had never stopped. If all named runs are done, the command only shows them. --all resumes every
run that is paused or was interrupted by a crash; it leaves alone the runs that somebody
stopped.`,
		Example:           "drolab resume latest\ndrolab resume --all",
		Args:              runsOrAll(&all, "resume"),
		ValidArgsFunction: tr.CompleteRuns,
		RunE: func(c *cobra.Command, args []string) error {
			runs, err := chosen(tr, args, all, func(r *record.Run) bool {
				return r.Status() == runner.Paused || r.Status() == runner.Interrupted
			})
			if err != nil || len(runs) == 0 {
				return err
			}
			unfinished := slices.DeleteFunc(slices.Clone(runs), func(r *record.Run) bool {
				return r.Status() == runner.Done
			})
			if len(unfinished) == 0 {
				if err := runs[0].Meta.Trained(); err != nil {
					return err
				}
				for _, err := range record.VerifyAll(runs) {
					if err != nil {
						return err
					}
				}
				return look.Results(tr.Console, runs)
			}
			return goOn(c.Context(), tr, unfinished, inline)
		},
	}
	c.Flags().BoolVar(&inline, "inline", false, "train in this process, not in the background")
	tr.JSONFlag(c, "the result")
	tr.ExplainFlag(c)
	c.Flags().BoolVar(&all, "all", false, "resume every run that is paused or was interrupted")
	return c
}

// goOn resumes runs of one folder and follows them.
func goOn(ctx context.Context, tr *trainer.Trainer, runs []*record.Run, inline bool) error {
	store, err := record.Open(filepath.Dir(runs[0].Dir))
	if err != nil {
		return err
	}
	by := newCrew(ctx, tr, store, inline)
	defer by.leave()
	ids, list := begin(tr, runs, runner.Orders(by.Do).Resume)
	if len(ids) > 0 {
		list = list.And(by.follow(tr, ids, false))
	}
	return list.OrNil()
}

// begin resumes the runs, and tells at once how many cannot be resumed.
func begin(
	tr *trainer.Trainer, runs []*record.Run, resume func(id string) error,
) (ids []string, list console.Failures) {
	for _, r := range runs {
		if err := resume(r.Meta.ID); err != nil {
			list = append(list, err)
			continue
		}
		ids = append(ids, r.Meta.ID)
	}
	if len(ids) > 0 && len(list) > 0 {
		fmt.Fprintf(tr.Stderr, "%s cannot be resumed, %d are; the reasons follow when these "+
			"end\n",
			kit.Plural(len(list), "run"), len(ids))
	}
	return ids, list
}
