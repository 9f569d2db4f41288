package run

import (
	"fmt"
	"path/filepath"

	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/cli/console"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

func deleteCommand(tr *Trainer) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "delete RUN...", Short: "Delete runs for good, with their checkpoints",
		Long: `Delete runs for good: curves, checkpoints and figures. The command asks first, unless --yes is
given. It refuses a live run: stop it first.`,
		Example:           "drolab delete latest",
		Args:              console.OneOrMore("some runs", "drolab delete latest"),
		ValidArgsFunction: tr.CompleteRuns,
		RunE: func(_ *cobra.Command, args []string) error {
			runs, err := findAll(args, tr.Find)
			if err != nil {
				return err
			}
			if !yes {
				if err := confirm(tr, runs); err != nil {
					return err
				}
			}
			return console.TryAll(runs, func(r *record.Run) error {
				err := record.Delete(filepath.Dir(r.Dir), r.Meta.ID)
				if err == nil {
					tr.PrintLine("run %s is deleted", r.Meta.ID)
				}
				return err
			})
		},
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	console.ReadsStdin(c)
	return c
}

// confirm asks the user to confirm that the runs are deleted, and fails without a yes. If nobody
// can be asked, the runs stay.
func confirm(tr *Trainer, runs []*record.Run) error {
	for _, r := range runs {
		fmt.Fprintf(tr.Stderr, "  %s  %s\n", cell.Clean(r.Meta.ID),
			cell.OneLine(tr.StatusLine(r)))
	}
	question := fmt.Sprintf("Delete %s for good?", kit.Plural(len(runs), "run"))
	return tr.Confirm(question, "deleted")
}
