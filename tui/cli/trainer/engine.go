package trainer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"drolab/runner/bridge"
	"drolab/runner/engine"
	"drolab/runner/queue"
	"drolab/runner/record"
	"drolab/tui/cli/console"
	"drolab/tui/cli/machine"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

// Command returns the command drolab engine. If the runs folder has a sweep, parallel returns the
// number of runs at once that the sweep asks for, and work the work that it has for the engine.
func (t *Trainer) Command(
	parallel func() int, work func() func(context.Context, *queue.Queue),
) *cobra.Command {
	var idle time.Duration
	c := &cobra.Command{
		Use: "engine", Short: "Run the engine, the process that trains runs and outlives the " +
			"terminal",
		Long: `Run the engine of the runs folder until it has been idle for some minutes after its last run.
There is no need to start one by hand, except as a service: drolab run and the interface start
the engine in the background, and leave it running when they end.`,
		Args: console.None,
		RunE: func(c *cobra.Command, _ []string) error {
			ctx, cancel := t.Orderly(c.Context(), console.Outlive)
			defer cancel()
			machine.Lean()
			return engine.Run(ctx, engine.Settings{
				RunsDir: t.RunsDir, RuntimeDir: t.RuntimeDir, DataDir: t.DataDir,
				Threads: t.Threads, Host: machine.Host(), Idle: idle, Log: t.Stderr,
				Programs: bridge.Approvals(t.Programs), Ended: t.notifier(t.RunsDir),
				Parallel: parallel(), Work: work,
			})
		},
	}
	c.Flags().DurationVar(&idle, "idle", 5*time.Minute,
		"time from the last run's end until the engine ends")
	c.AddCommand(t.engineStatusCommand(), t.engineStopCommand())
	return c
}

func (t *Trainer) engineStatusCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "status",
		Short: "Show whether an engine is running, and its runs",
		Args:  console.None,
		RunE: func(*cobra.Command, []string) error {
			s, err := t.Client(t.RunsDir).Status()
			if err != nil {
				return err
			}
			return t.Result(s, func() { t.printStatus(s) })
		},
	}
	t.JSONFlag(c, "the status")
	return c
}

func (t *Trainer) printStatus(s *engine.Status) {
	fmt.Fprintf(t.Stdout, "engine of %s: pid %d, drolab %s, since %s, %s live\nlog: %s\n",
		console.Clean(s.RunsDir), s.PID, console.Clean(s.Version),
		s.Started.Local().Format("2006-01-02 15:04:05"),
		kit.Plural(len(s.Runs), "run"), console.Clean(s.Log))
	for _, live := range s.Runs {
		line := live.ID
		if r, err := record.Find(s.RunsDir, live.ID); err == nil {
			line += "  " + console.StatusLine(r)
		}
		if live.Trouble != "" {
			line += "  waits: " + live.Trouble
		}
		fmt.Fprintln(t.Stdout, console.Clean(line))
	}
	if advice := engine.LogoutAdvice(); advice != "" {
		fmt.Fprintln(t.Stdout, advice)
	}
}

func (t *Trainer) engineStopCommand() *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use: "stop", Short: "Stop the engine if no run is active",
		Args: console.None,
		RunE: func(*cobra.Command, []string) error {
			err := t.Client(t.RunsDir).Shutdown(force)
			if errors.Is(err, engine.ErrNone) {
				fmt.Fprintf(t.Stderr, "%s\n", err)
				return nil
			}
			return err
		},
	}
	c.Flags().BoolVar(&force, "force", false, "stop its runs first, each with a checkpoint")
	return c
}
