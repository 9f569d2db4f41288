package run

import (
	"context"
	"errors"

	"drolab/runner/engine"
	"drolab/runner/lists"
	"drolab/runner/sweep"
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
)

func (tr *Trainer) sweepStopCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "stop DIR",
		Short:             "Stop a sweep with checkpoints; drolab sweep start continues it",
		Example:           "drolab sweep stop mysweep",
		Args:              console.One("a sweep's folder", "drolab sweep stop DIR"),
		ValidArgsFunction: completeFolders,
		RunE: func(c *cobra.Command, args []string) error {
			return tr.stopSweep(c.Context(), args[0])
		},
	}
}

// stopSweep stops the sweep in a folder, wherever it is trained.
func (tr *Trainer) stopSweep(ctx context.Context, dir string) error {
	folder, err := sweep.Open(dir)
	if err != nil {
		return err
	}
	if err := folder.Stop(); err != nil {
		return err
	}
	list := console.Failures{folder.Cancel(ctx)}
	client := tr.client(folder.Dir)
	status, err := client.Status()
	if errors.Is(err, engine.ErrNone) {
		return list.OrNil()
	}
	if err != nil {
		return append(list, err).OrNil()
	}
	return append(list, lists.Map(folder.OwnLive(status.Runs), client.Stop)...).OrNil()
}
