package trainer

import (
	"fmt"
	"os"

	"drolab/runner/bridge/loop"
	"drolab/runner/record"
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
)

// LoopCommand returns the command that serves a script with its own training loop. The script
// starts it.
func (t *Trainer) LoopCommand() *cobra.Command {
	return &cobra.Command{
		Use: "loop", Short: "Serve the training loop of a script (drolab.start starts it)",
		Hidden: true, Args: console.None,
		RunE: func(c *cobra.Command, _ []string) error {
			var read, write int
			pipes := os.Getenv("DROLAB_PIPES")
			if n, err := fmt.Sscanf(pipes, "%d,%d", &read, &write); n != 2 || err != nil {
				return fmt.Errorf("a script starts this command: see drolab.start in docs/loop.md")
			}
			store, err := record.Open(t.RunsDir)
			if err != nil {
				return err
			}
			ctx, cancel := t.Orderly(c.Context(), console.Outlive)
			defer cancel()
			return loop.Serve(ctx, os.NewFile(uintptr(read), "script"),
				os.NewFile(uintptr(write), "script"), loop.Settings{Queue: t.Settings(store),
					Store: store, RuntimeDir: t.RuntimeDir, Find: t.FindStep})
		},
	}
}
