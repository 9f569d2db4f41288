package run

import (
	"fmt"
	"path/filepath"

	"drolab/tui/cli/console"
	"drolab/tui/lab"

	"github.com/spf13/cobra"
)

func (tr *Trainer) attachCommand() *cobra.Command {
	var readOnly bool
	c := &cobra.Command{
		Use: "attach", Short: "Open the interface on the live runs",
		Long: `Open the interface on the live runs, or on the newest ones. Any number of interfaces may be
open at once, on this machine and on others. With --read-only nothing can be started, stopped
or changed.`,
		Args: console.None,
		RunE: func(c *cobra.Command, _ []string) error {
			if !tr.OnTerminal() {
				return fmt.Errorf("attach needs a terminal: see %s and %s for the figures",
					tr.Command("drolab runs"), tr.Command("drolab show RUN"))
			}
			if readOnly {
				dir, err := filepath.Abs(tr.RunsDir) // it may belong to another user
				if err != nil {
					return err
				}
				return tr.readOnly(c.Context(), tr.screen(c.Context(), dir, true))
			}
			return tr.interact(c.Context(), func(cfg *lab.Config) { cfg.Attach = true })
		},
	}
	c.Flags().BoolVar(&readOnly, "read-only", false, "look only")
	tr.BoxFlag(c)
	return c
}
