package run

import (
	"context"
	"fmt"
	"os"

	"drolab/runner/engine"
	"drolab/runner/record"
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
)

// loopCommand returns the command that serves a script with its own training loop. The script
// starts it.
func (tr *Trainer) loopCommand() *cobra.Command {
	return &cobra.Command{
		Use: "loop", Short: "Serve the training loop of a script (drolab.start starts it)",
		Hidden: true, Args: console.None,
		RunE: func(c *cobra.Command, _ []string) error {
			var read, write int
			pipes := os.Getenv("DROLAB_PIPES")
			if n, err := fmt.Sscanf(pipes, "%d,%d", &read, &write); n != 2 || err != nil {
				return fmt.Errorf("a script starts this command: see drolab.start in docs/loop.md")
			}
			store, err := record.Open(tr.RunsDir)
			if err != nil {
				return err
			}
			// The script passes on as a hangup that it was told to end. It is not the end of this
			// context alone: a cluster tells all processes, and the second time would be too much.
			told, tell := context.WithCancel(c.Context())
			ctx, cancel := tr.SignalContext(c.Context(), tell)
			defer cancel()
			ctx, stop := context.WithCancel(ctx)
			defer context.AfterFunc(told, stop)()
			return engine.ServeLoop(ctx, os.NewFile(uintptr(read), "script"),
				os.NewFile(uintptr(write), "script"), engine.LoopSettings{Queue: tr.settings(store),
					Store: store, RuntimeDir: tr.RuntimeDir, Find: tr.FindStep})
		},
	}
}
