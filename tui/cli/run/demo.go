package run

import (
	"errors"

	"drolab/tui/cli/console"
	"drolab/tui/lab"

	"github.com/spf13/cobra"
)

func (tr *Trainer) demoCommand() *cobra.Command {
	var live, loop bool
	c := &cobra.Command{
		Use: "demo", Short: "Show in a minute what robust training does",
		Long: `Play a film of 60 seconds: recorded runs of the preset shapes, with captions that are computed
from their figures. It needs no data and no network, and starts nothing. Space pauses, the arrow
keys go by chapter, and Enter leaves the film for Watch at the same moment. At its end, F trains
a fork of a recorded run with ρ = 1, and Enter starts the preset.

With --live, the runs of convex are trained now, and then those of shapes.`,
		Example: "drolab demo\ndrolab demo --loop",
		Args:    console.None,
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case !tr.OnTerminal():
				return errors.New("demo needs a terminal: see drolab compare recorded:shapes")
			case live && loop:
				return errors.New("--live and --loop exclude each other: the film loops")
			}
			return tr.interact(c.Context(), func(cfg *lab.Config) {
				cfg.Film, cfg.Live, cfg.Loop = !live, live, loop
			})
		},
	}
	c.Flags().BoolVar(&live, "live", false, "train instead of playing the film")
	c.Flags().BoolVar(&loop, "loop", false, "play the film again and again")
	return c
}
