package screen

import (
	"context"
	"errors"
	"fmt"

	"drolab/runner/record"
	"drolab/tui/cli/console"
	"drolab/tui/lab"

	"github.com/spf13/cobra"
)

func (s *Screen) replayCommand() *cobra.Command {
	var r lab.Replay
	var from, by string
	c := &cobra.Command{
		Use: "replay RUN...", Short: "Replay recorded runs as if they were training now",
		Long: `Replay recorded runs as if they were training now, 1 to 1000 times as fast: the interface on what had been
logged by each moment. Space plays and pauses, { and } change the speed, comma and full stop scrub; u, y and J
go to the next evaluation, checkpoint and warning, U, Y and K to the one before. Nothing is changed. RUN is as in compare:
recorded:paper are the paper's runs, which come with the program and need no dataset.

Runs are side by side at the same step; with --by time, at the same time of training after their own start,
without pauses. Of a run with more than about a thousand lines in its log some lines are shown as one, with the least
and the greatest of their values.`,
		Example: `drolab replay recorded:paper
drolab replay latest --speed 60 --from 40%`,
		Args:              console.OneOrMore("some runs", "drolab replay recorded:paper"),
		ValidArgsFunction: s.CompleteRead,
		RunE: func(c *cobra.Command, args []string) (err error) {
			if s := r.Speed; c.Flags().Changed("speed") &&
				!(s >= lab.LeastSpeed && s <= lab.MostSpeed) {
				return fmt.Errorf("--speed %g: want %d to %d", s, lab.LeastSpeed, lab.MostSpeed)
			}
			if r.From, err = lab.ParsePlace(from); err != nil {
				return fmt.Errorf("--from %w", err)
			}
			if by != "time" && by != "step" {
				return fmt.Errorf("--by %s: want time or step", console.OneLine(by))
			}
			r.Steps = by == "step"
			find := func() ([]*record.Run, error) { return s.FindSeveral(args) }
			if s.OnTerminal() {
				return s.replay(c.Context(), find, r)
			}
			if _, err := find(); err != nil {
				return err
			}
			return errors.New("replay needs a terminal: see drolab compare for the figures")
		},
	}
	c.Flags().Float64Var(&r.Speed, "speed", 0,
		"times as fast as the runs were (default: all in about a minute)")
	c.Flags().StringVar(&from, "from", "0%",
		"where to begin: a part, a time or a step, as in 40%, 3m20s, 1200")
	c.Flags().StringVar(&by, "by", "step", "what runs are side by side at: step or time")
	console.Choices(c, "by", "step", "time")
	return c
}

// replay opens the interface on runs that lie anywhere.
func (s *Screen) replay(
	ctx context.Context, runs func() ([]*record.Run, error), r lab.Replay,
) error {
	cfg := s.screen(s.RunsDir, false)
	cfg.Replay, cfg.Kept = &r, lab.NewKept(runs)
	return s.readOnly(ctx, cfg)
}
