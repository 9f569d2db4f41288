package run

import (
	"errors"
	"fmt"
	"time"

	"drolab/runner/bridge"
	"drolab/runner/engine"
	"drolab/runner/queue"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/cli/console"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

func (tr *Trainer) engineCommand() *cobra.Command {
	var idle time.Duration
	c := &cobra.Command{
		Use: "engine", Short: "Run the engine, the process that trains runs and outlives the " +
			"terminal",
		Long: `Run the engine of the runs folder until it has been idle for some minutes after its last run.
There is no need to start one by hand, except as a service: drolab run and the interface start
the engine in the background, and leave it running when they end.`,
		Args: console.None,
		RunE: func(c *cobra.Command, _ []string) error {
			ctx, cancel := tr.SignalContext(c.Context(), console.Outlive)
			defer cancel()
			console.CollectEarly()
			tells := tr.notifier(tr.RunsDir)
			return engine.Run(ctx, engine.Settings{
				Settings: queue.Settings{DataDir: tr.DataDir, Threads: tr.Threads,
					Parallel: tr.sweepParallel(), Host: console.Host(),
					Programs: bridge.Approvals(tr.Programs), Look: tells.look,
					Ended: tells.ended},
				RunsDir: tr.RunsDir, RuntimeDir: tr.RuntimeDir, Idle: idle, Log: tr.Stderr,
				Work: tr.sweepWork,
			})
		},
	}
	c.Flags().DurationVar(&idle, "idle", 5*time.Minute,
		"time from the last run's end until the engine ends")
	c.AddCommand(tr.engineStatusCommand(), tr.engineStopCommand())
	return c
}

func (tr *Trainer) engineStatusCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "status",
		Short: "Show whether an engine is running, and its runs",
		Args:  console.None,
		RunE: func(*cobra.Command, []string) error {
			s, err := tr.client(tr.RunsDir).Status()
			if err != nil {
				return err
			}
			return tr.Result(s, func() { tr.printStatus(s) })
		},
	}
	tr.JSONFlag(c, "the status")
	return c
}

func (tr *Trainer) printStatus(s *engine.Status) {
	fmt.Fprintf(tr.Stdout, "engine of %s: pid %d, drolab %s, since %s, %s live\nlog: %s\n",
		cell.Clean(s.RunsDir), s.PID, cell.Clean(s.Version),
		s.Started.Local().Format("2006-01-02 15:04:05"),
		kit.Plural(len(s.Runs), "run"), cell.Clean(s.Log))
	for _, live := range s.Runs {
		line := live.ID
		if r, err := record.Find(s.RunsDir, live.ID); err == nil {
			line += "  " + tr.StatusLine(r)
		}
		if live.Trouble != "" {
			line += "  waits: " + live.Trouble
		}
		fmt.Fprintln(tr.Stdout, cell.Clean(line))
	}
	if advice := engine.LogoutAdvice(); advice != "" {
		fmt.Fprintln(tr.Stdout, advice)
	}
}

func (tr *Trainer) engineStopCommand() *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use: "stop", Short: "Stop the engine if no run is active",
		Args: console.None,
		RunE: func(*cobra.Command, []string) error {
			err := tr.client(tr.RunsDir).Shutdown(force)
			if errors.Is(err, engine.ErrNone) {
				fmt.Fprintf(tr.Stderr, "%s\n", err)
				return nil
			}
			return err
		},
	}
	c.Flags().BoolVar(&force, "force", false, "stop its runs first, each with a checkpoint")
	return c
}
