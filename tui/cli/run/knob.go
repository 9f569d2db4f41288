package run

import (
	"fmt"
	"strings"

	"drolab/runner"

	"github.com/spf13/cobra"
)

func knobCommand(tr *Trainer) *cobra.Command {
	return &cobra.Command{
		Use: "knob RUN KEY=VALUE", Short: "Change a setting of a live run",
		Long: `Change a setting of a live run from its next step on: lr, or another setting that its method
reads (an error lists them). The value is a number or auto. The change is logged, and a resumed
run repeats it at the same step.`,
		Example: "drolab knob latest lr=0.003",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 2 && strings.Contains(args[1], "=") {
				return nil
			}
			return fmt.Errorf("give a run and a setting: drolab knob latest lr=0.003")
		},
		ValidArgsFunction: tr.CompleteRuns,
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := tr.Find(args[0])
			if err != nil {
				return err
			}
			key, value, _ := strings.Cut(args[1], "=")
			key, value = strings.TrimSpace(key), strings.TrimSpace(value)
			o := runner.Order{Verb: runner.Knob, Key: key, Value: value}
			if _, err := sendOrder(tr, r, o); err != nil {
				return err
			}
			tr.PrintLine("run %s: %s=%s takes effect at the next step", r.Meta.ID, key, value)
			return nil
		},
	}
}
