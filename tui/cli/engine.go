package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"drolab/runner"
	"drolab/runner/engine"
	"drolab/runner/record"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

// hasEngine tells whether runs can outlive this process.
func (a *app) hasEngine() bool { return engine.Supported && a.Self != nil }

// client asks the engine of a runs folder.
func (a *app) client(runsDir string) *engine.Client {
	dir, err := os.Getwd()
	if err != nil {
		dir = "" // datasets that are named by a relative path are not found then
	}
	return &engine.Client{RunsDir: runsDir, RuntimeDir: a.RuntimeDir, Version: version(), Note: a.noteOnce,
		Means: runner.Means{DataDir: absolute(dir, a.data), Threads: a.threads, Dir: dir},
		Command: func() *exec.Cmd {
			return a.Self("engine", "--runs", runsDir, "--data", absolute(dir, a.data), "--notify", a.notify)
		}}
}

// noteOnce says something on the side, but for the interface, which has the
// screen.
func (a *app) noteOnce(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.noted != text && !a.drawing {
		a.noted = text
		fmt.Fprintf(a.Stderr, "note: %s\n", oneLine(text))
	}
}

func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

func (a *app) engineCommand() *cobra.Command {
	var idle time.Duration
	c := &cobra.Command{
		Use: "engine", Short: "The process that runs runs, which outlives the terminal",
		Long: `Be the engine of the runs folder, until nothing was asked of it for some minutes after its last run.
There is no need to start one by hand, except as a service: drolab run and the interface start the
engine in the background, and leave it alone when they end.`,
		Args: nothing,
		RunE: func(c *cobra.Command, _ []string) error {
			ctx, cancel := a.Orderly(c.Context(), outlive)
			defer cancel()
			lean()
			return engine.Run(ctx, engine.Settings{
				RunsDir: a.runs, RuntimeDir: a.RuntimeDir, DataDir: a.data, Threads: a.threads,
				Host: host(), Idle: idle, Log: a.Stderr, Ended: a.notifier(a.runs),
				Parallel: a.sweepParallel(), Work: a.engineWork,
			})
		},
	}
	c.Flags().DurationVar(&idle, "idle", 5*time.Minute, "how long after its last run the engine ends")
	c.AddCommand(a.engineStatusCommand(), a.engineStopCommand())
	return c
}

func (a *app) engineStatusCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "status", Short: "Say whether an engine is there, and what it runs", Args: nothing,
		RunE: func(*cobra.Command, []string) error {
			s, err := a.client(a.runs).Status()
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(a.Stdout, s)
			}
			a.printStatus(s)
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the status as JSON")
	return c
}

func (a *app) printStatus(s *engine.Status) {
	fmt.Fprintf(a.Stdout, "engine of %s: pid %d, drolab %s, since %s, %s live\nlog: %s\n",
		clean(s.RunsDir), s.PID, clean(s.Version), s.Started.Local().Format("2006-01-02 15:04:05"),
		kit.Plural(len(s.Runs), "run"), clean(s.Log))
	for _, live := range s.Runs {
		line := live.ID
		if r, err := record.Find(s.RunsDir, live.ID); err == nil {
			line += "  " + statusLine(r)
		}
		if live.Trouble != "" {
			line += "  waits: " + live.Trouble
		}
		fmt.Fprintln(a.Stdout, clean(line))
	}
	if advice := engine.LogoutAdvice(); advice != "" {
		fmt.Fprintln(a.Stdout, advice)
	}
}

func (a *app) engineStopCommand() *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use: "stop", Short: "End the engine, if nothing is running",
		Args: nothing,
		RunE: func(*cobra.Command, []string) error {
			err := a.client(a.runs).Shutdown(force)
			if errors.Is(err, engine.ErrNone) {
				fmt.Fprintf(a.Stderr, "%s\n", err)
				return nil
			}
			return err
		},
	}
	c.Flags().BoolVar(&force, "force", false, "stop its runs first, each with a checkpoint")
	return c
}

func (a *app) attachCommand() *cobra.Command {
	var readOnly bool
	c := &cobra.Command{
		Use: "attach", Short: "Open the interface on what is running",
		Long: `Open the interface on the runs that go on, or on the newest. Any number of interfaces may be open at
once, here and elsewhere. With --read-only nothing can be started, stopped or changed.`,
		Args: nothing,
		RunE: func(c *cobra.Command, _ []string) error {
			if !a.onTerminal() {
				return errors.New("attach needs a terminal: see drolab runs and drolab show for the figures")
			}
			if readOnly {
				return a.look(c.Context())
			}
			return a.interact(c.Context(), true)
		},
	}
	c.Flags().BoolVar(&readOnly, "read-only", false, "look only")
	return c
}
