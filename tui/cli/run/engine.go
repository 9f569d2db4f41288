package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/engine"
	"drolab/runner/queue"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/cli/console"
	"drolab/tui/kit"
	"drolab/tui/lab"

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
			ctx, cancel := tr.Orderly(c.Context(), console.Outlive)
			defer cancel()
			console.CollectEarly()
			return engine.Run(ctx, engine.Settings{
				Settings: queue.Settings{DataDir: tr.DataDir, Threads: tr.Threads,
					Parallel: tr.sweepParallel(), Host: console.Host(),
					Programs: bridge.Approvals(tr.Programs), Ended: tr.notifier(tr.RunsDir)},
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
		fmt.Fprintln(tr.Stdout, console.Clean(line))
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

// Trainer has the commands that train, show live runs and send them requests.
type Trainer struct {
	*console.Console
	Ring lab.Ring // how the interface rings; known once the flags are parsed
}

// hasEngine reports whether runs can outlive this process.
func (tr *Trainer) hasEngine() bool { return engine.Supported && tr.Self != nil }

// client returns a client of the engine of a runs folder.
func (tr *Trainer) client(runsDir string) *engine.Client {
	dir, _ := os.Getwd() // with "" datasets named by a relative path are not found
	return engine.NewClient(engine.Client{RunsDir: runsDir, RuntimeDir: tr.RuntimeDir,
		Version: console.Version(), Note: tr.Note,
		Means:   runner.Means{DataDir: absolute(dir, tr.DataDir), Threads: tr.Threads, Dir: dir},
		Program: programMeans,
		Command: func() *exec.Cmd {
			return tr.Self("engine", "--runs", runsDir, "--data", absolute(dir, tr.DataDir),
				"--notify", tr.Notify)
		}})
}

// programMeans returns the interpreter and the environment for programs that this process asks to
// start.
func programMeans() *runner.ProgramMeans {
	python, _ := exec.LookPath("python3") // the run reports a missing python3
	return &runner.ProgramMeans{Python: python, Env: os.Environ()}
}

// absolute returns path, taken as relative to the folder dir if it is relative.
func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// queue returns a queue of this process. Its runs stop when the user wants that or cancel is
// called. When the terminal is lost, the runs are saved and continue.
func (tr *Trainer) queue(
	ctx context.Context, store *record.Store,
) (q *queue.Queue, cancel context.CancelFunc) {
	console.CollectEarly()
	trainings, stop := context.WithCancel(ctx)
	q = queue.NewQueue(trainings, tr.settings(store))
	ctx, cancel = tr.Orderly(ctx, func() { saveAll(q) })
	context.AfterFunc(ctx, stop)
	return q, cancel
}

// settings returns the settings of runs in this process. No other process can tell these runs to
// continue when the disk has room again.
func (tr *Trainer) settings(store *record.Store) queue.Settings {
	return queue.Settings{Store: store, Host: console.Host(), DataDir: tr.DataDir,
		Threads: tr.Threads, Alone: true, Ended: tr.notifier(store.Dir()), Reports: store.Dir(),
		Programs: bridge.Approvals(tr.Programs)}
}

// saveAll asks every run for a checkpoint, without waiting, because soon nobody may be there to be
// told the result. A run that refuses the request has just had many others.
func saveAll(q *queue.Queue) {
	for _, r := range q.Live() {
		go q.Checkpoint(r.ID)
	}
}

// notifyTime is the time that the user's command may take. The process that trained the run waits
// for the command before it ends.
const notifyTime = 30 * time.Second

// notifier returns the function that runs the user's command when a run is done or has failed, with
// the summary as JSON on the command's input; nil without a command. The command is the user's own,
// from --notify or DROLAB_NOTIFY. It never comes from a preset or a run, which anybody may have
// written. Its arguments hold nothing of the run.
func (tr *Trainer) notifier(runsDir string) func(queue.Outcome) {
	if tr.Notify == "" {
		return nil
	}
	return func(o queue.Outcome) {
		if o.Status != runner.Done && o.Status != runner.Failed {
			return
		}
		if err := tr.notify(runsDir, o.ID); err != nil {
			tr.Note(fmt.Sprintf("notifying of run %s: %v", o.ID, err))
		}
	}
}

func (tr *Trainer) notify(runsDir, id string) error {
	r, err := record.Find(runsDir, id)
	if err != nil {
		return err
	}
	b, err := json.MarshalIndent(console.Summaries([]*record.Run{r}).Runs[0], "", "  ")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), notifyTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", tr.Notify)
	if runtime.GOOS == "windows" {
		cmd = exec.CommandContext(ctx, "cmd", "/C", tr.Notify)
	}
	cmd.Stdin = bytes.NewReader(append(b, '\n'))
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %.200s", tr.Notify, err, bytes.TrimSpace(out))
	}
	return nil
}

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
			ctx, cancel := tr.Orderly(c.Context(), tell)
			defer cancel()
			ctx, stop := context.WithCancel(ctx)
			defer context.AfterFunc(told, stop)()
			return engine.ServeLoop(ctx, os.NewFile(uintptr(read), "script"),
				os.NewFile(uintptr(write), "script"), engine.LoopSettings{Queue: tr.settings(store),
					Store: store, RuntimeDir: tr.RuntimeDir, Find: tr.FindStep})
		},
	}
}

func trustCommand(tr *Trainer) *cobra.Command {
	return &cobra.Command{
		Use: "trust PROGRAM...", Short: "Approve a program, so that runs may start it",
		Long: `Approve a program of yours, in its current version, so that runs may start it. A run starts a
program only if you have approved exactly this file, with this command or by naming it to
drolab run. A runs folder, sweep or preset from a stranger therefore starts nothing. After a
change of the file, approve it again.`,
		Example: "drolab trust train.py",
		Args:    console.OneOrMore("a program", "drolab trust train.py"),
		RunE: func(_ *cobra.Command, paths []string) error {
			return console.TryAll(paths, func(path string) error {
				return trust(tr, spec.Program{Path: path})
			})
		},
	}
}

// trust approves a program that was named on the command line.
func trust(tr *Trainer, p spec.Program) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	s := spec.Spec{Model: p.String()}
	s.SettleProgram(dir)
	p, _ = s.Program()
	err = bridge.Approvals(tr.Programs).Approve(p.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the program %s is not there", p.Path)
	}
	return err
}

// trustNamed approves the programs of specs if the command line names a program: in place of a
// preset, or with --set.
func (f *runFlags) trustNamed(tr *Trainer, name string, specs []spec.Spec) error {
	sets := func(assignment string) bool {
		return strings.HasPrefix(assignment, "model=") &&
			strings.Contains(assignment, spec.ProgramPrefix)
	}
	if !spec.IsProgramName(name) && !slices.ContainsFunc(f.set, sets) {
		return nil
	}
	seen := map[string]bool{}
	for i := range specs {
		p, ok := specs[i].Program()
		if !ok || seen[p.Path] {
			continue
		}
		seen[p.Path] = true
		if err := trust(tr, p); err != nil {
			return err
		}
	}
	return nil
}
