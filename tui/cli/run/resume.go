package run

import (
	"fmt"
	"path/filepath"
	"slices"

	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/cli/console"
	"drolab/tui/cli/look"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

func resumeCommand(tr *Trainer) *cobra.Command {
	var all bool
	f := runFlags{release: func() {}}
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
			runs, err := chooseRuns(tr, args, all, func(r *record.Run) bool {
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
			tr.RunsDir = filepath.Dir(unfinished[0].Dir)
			return f.train(c.Context(), tr, nil, unfinished)
		},
	}
	c.Flags().BoolVar(&f.inline, "inline", false, "train in this process, not in the background")
	tr.JSONFlag(c, "the result")
	tr.ExplainFlag(c)
	c.Flags().BoolVar(&all, "all", false, "resume every run that is paused or was interrupted")
	return c
}

// resumeAll resumes the runs, and tells at once how many cannot be resumed.
func resumeAll(
	tr *Trainer, runs []*record.Run, resume func(id string) error,
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
			"end\n", kit.Plural(len(list), "run"), len(ids))
	}
	return ids, list
}
