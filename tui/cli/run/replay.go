package run

import (
	"context"
	"errors"
	"fmt"

	"drolab/runner/record"
	"drolab/tui/cli/console"
	"drolab/tui/lab"

	"github.com/spf13/cobra"
)

func (tr *Trainer) replayCommand() *cobra.Command {
	var r lab.Replay
	var from, by string
	c := &cobra.Command{
		Use: "replay RUN...", Short: "Replay recorded runs as if they were training now",
		Long: `Replay recorded runs as if they were training now, 1 to 1000 times as fast. The interface shows
the log as it was at each moment, and changes nothing. Space plays and pauses, { and } change
the speed, comma and full stop scrub. u, y and J go to the next evaluation, checkpoint and
warning; U, Y and K go to the previous one. RUN is as in drolab compare.

recorded:paper are the paper's runs, which come with the program and need no dataset. Alone it
stands for those of the preset paper, since runs at one radius can be compared on one page;
recorded:paper/paper-gentle has the smaller radius.

Runs are aligned by step. With --by time they are aligned by training time since their own
start, without pauses. If a run's log has more than about a thousand lines, several lines are
shown as one, with their least and greatest values.`,
		Example: `drolab replay recorded:paper
drolab replay latest --speed 60 --from 40%`,
		Args:              console.OneOrMore("some runs", "drolab replay recorded:paper"),
		ValidArgsFunction: tr.CompleteRead,
		RunE: func(c *cobra.Command, args []string) (err error) {
			if s := r.Speed; c.Flags().Changed("speed") &&
				!(s >= lab.LeastSpeed && s <= lab.MostSpeed) {
				return fmt.Errorf("--speed %g: expected %d to %d", s, lab.LeastSpeed, lab.MostSpeed)
			}
			if r.From, err = lab.ParsePlace(from); err != nil {
				return fmt.Errorf("--from %w", err)
			}
			r.Steps = by == "step"
			find := func() ([]*record.Run, error) {
				runs, err := tr.FindSeveral(c.Context(), args)
				if err != nil {
					return nil, err
				}
				return console.OfOneProblem(args, runs), nil
			}
			if tr.OnTerminal() {
				return tr.replay(c.Context(), find, r)
			}
			if _, err := find(); err != nil {
				return err
			}
			return errors.New("replay needs a terminal: see drolab compare for the figures")
		},
	}
	c.Flags().Float64Var(&r.Speed, "speed", 0,
		"speed, in multiples of the original (default: all in about a minute)")
	c.Flags().StringVar(&from, "from", "0%",
		"where to begin: a share, a time or a step, as in 40%, 3m20s, 1200")
	c.Flags().StringVar(&by, "by", "step", "align the runs by step or by time")
	console.Choices(c, "by", "step", "time")
	tr.BoxFlag(c)
	return c
}

// replay opens the interface on runs that may lie outside the runs folder.
func (tr *Trainer) replay(
	ctx context.Context, runs func() ([]*record.Run, error), r lab.Replay,
) error {
	cfg := tr.screen(ctx, tr.RunsDir, false)
	cfg.Replay, cfg.FixedRuns = &r, lab.NewFixedRuns(runs)
	return tr.readOnly(ctx, cfg)
}
