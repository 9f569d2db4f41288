package run

import (
	"drolab/runner/sweep"
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
)

func (tr *Trainer) sweepTableCommand() *cobra.Command {
	var forms *console.Forms
	c := &cobra.Command{
		Use: "table DIR",
		Short: "Show each method's best setting by validation, its figures, and the cost of " +
			"the choice",
		Example:           "drolab sweep table mysweep --md",
		Args:              console.One("a sweep's folder", "drolab sweep table DIR"),
		ValidArgsFunction: completeFolders,
		RunE: func(_ *cobra.Command, args []string) error {
			folder, err := sweep.Open(args[0])
			if err != nil {
				return err
			}
			tr.printDamage(folder.Dir)
			t := tr.progressOf(folder).Table()
			return tr.Table(forms, t, t.Exact(), t.Blocks(), func() {
				console.Blocks(tr.Stdout, t.Blocks()...)
			})
		},
	}
	forms = tr.TableFlags(c, ", one line per method")
	return c
}
