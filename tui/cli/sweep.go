package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"drolab/presets"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/engine"
	"drolab/runner/record"
	"drolab/runner/sweep"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

func (a *app) sweepCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "sweep", Short: "Many runs over settings and seeds, here or on a Slurm cluster",
		Long: `Train what a sweep file says: a preset, and what varies. Its folder is a runs folder: drolab --runs DIR
watches, compares and replays its runs, live, from any machine that sees the disk.`,
		Example: `drolab sweep start sweep.yaml
drolab sweep start sweep.yaml --on slurm --partition gpu --parallel 100
drolab sweep status DIR --follow
drolab sweep table DIR`,
		Args: noCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.sweepStartCommand(), a.sweepStatusCommand(), a.sweepTaskCommand(), a.sweepStopCommand(),
		a.sweepTableCommand())
	return c
}

// sweepFlags are those of sweep start.
type sweepFlags struct {
	dir, on               string
	partition, constraint string
	time                  string
	parallel, cpus        int
	dry, inline           bool
}

const sweepHelp = `Start what a sweep file says, or what is missing of it: runs that are done stay, those that were stopped
or died go on from their newest checkpoints. The file:

  preset: paper-quick                       # a preset, or the file of one
  grid: {rho: [.1, .5, 1], algo: [sfk, erm]}   # every combination; a method varies only in what it reads
  random: {draws: 16, seed: 1, lr: {log: [.001, .1]}}   # log, uniform or whole; at every point of the grid
  seeds: 3
  set: {epochs: 20, val_fraction: .1}       # fixed, as with --set
  select: val_worst                         # the best setting of each method, by validation alone
  halving: {epochs: [5, 10], keep: .25}     # there the best quarter of each method's settings goes on

Starts in one folder at once make one sweep. The folder has a copy of the file. To change that copy
changes nothing until a start is given it, which adds its runs. A sweep loses no run: where fewer or
others are wanted, start another one with --dir.

With --on slurm it writes job scripts, one for each class of needs, and submits them; the time and memory that
they ask for are measured on this machine, with a margin, unless --time says the time.`

func (a *app) sweepStartCommand() *cobra.Command {
	var f sweepFlags
	c := &cobra.Command{
		Use: "start FILE", Short: "Start a sweep, or what is missing of it", Long: sweepHelp,
		Example: "drolab sweep start sweep.yaml --dir mysweep\ndrolab sweep start sweep.yaml --on slurm --dry-run",
		Args:    exactlyOne("a sweep file", "drolab sweep start sweep.yaml"), ValidArgsFunction: completeYAML,
		RunE: func(c *cobra.Command, args []string) error {
			return a.startSweep(c.Context(), args[0], &f)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.dir, "dir", "", "the sweep's folder (default: a new one in the runs folder)")
	flags.StringVar(&f.on, "on", "here", "where the runs are trained: here or slurm")
	flags.BoolVar(&f.inline, "inline", false, "train in this process, not in the background")
	flags.BoolVar(&f.dry, "dry-run", false, "print the runs, or the job scripts, and start nothing")
	flags.IntVar(&f.parallel, "parallel", 0, "runs at once (default here: as many as there are processors for)")
	flags.IntVar(&f.cpus, "cpus", 1, "processors of a run")
	flags.StringVar(&f.time, "time", "", "Slurm: time limit of a task, as in 04:00:00 (default: estimated)")
	flags.StringVar(&f.partition, "partition", "", "Slurm: partition")
	flags.StringVar(&f.constraint, "constraint", "", "Slurm: constraint on nodes")
	mustComplete(c, "on", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"here\tthis machine", "slurm\ta cluster"}, cobra.ShellCompDirectiveNoFileComp
	})
	return c
}

// check says what is wrong with the flags.
func (f *sweepFlags) check() error {
	switch {
	case f.on != "here" && f.on != "slurm":
		return fmt.Errorf("--on %s: want here or slurm", oneLine(f.on))
	case f.on == "here" && f.time+f.partition+f.constraint != "":
		return errors.New("--time, --partition and --constraint are for --on slurm")
	case f.on == "slurm" && f.inline:
		return errors.New("--inline is for --on here")
	case f.parallel < 0:
		return fmt.Errorf("--parallel %d: want at least 1", f.parallel)
	case f.cpus < 1 || f.cpus > runner.MostThreads() && f.on == "here":
		return fmt.Errorf("--cpus %d: want from 1 to %d", f.cpus, runner.MostThreads())
	}
	return nil
}

func (a *app) startSweep(ctx context.Context, file string, f *sweepFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	text, err := presets.ReadFile(file)
	if err != nil {
		return fmt.Errorf("sweep file: %w", err)
	}
	parsed, errs := sweep.Parse(file, text, besideOf(file))
	if len(errs) > 0 {
		return failures(errs)
	}
	list := parsed.Expand()
	if list.Dir, err = os.Getwd(); err != nil {
		return err
	}
	if errs := parsed.CheckData(list.Dir, absolute(list.Dir, a.data)); len(errs) > 0 {
		return failures(errs)
	}
	if f.dry && f.on == "here" {
		return a.printSweep(list)
	}
	dir := f.dir
	if dir == "" {
		dir = filepath.Join(a.runs, "sweep-"+list.Name+"-"+time.Now().Format("20060102-150405"))
	}
	if f.dry {
		return a.onSlurm(ctx, &sweep.Folder{Dir: absolute(list.Dir, dir), List: list}, f)
	}
	folder, err := sweep.Make(dir, text, list)
	if err != nil {
		return err
	}
	if f.on == "slurm" {
		return a.onSlurm(ctx, folder, f)
	}
	return a.onHere(ctx, folder, f)
}

// besideOf loads presets; the file of one may lie beside the sweep's.
func besideOf(file string) func(string) (presets.Preset, error) {
	return func(name string) (presets.Preset, error) {
		path := filepath.Join(filepath.Dir(file), name)
		if _, err := os.Stat(path); err == nil && !filepath.IsAbs(name) && strings.Contains(name, ".") {
			name = path
		}
		return presets.Load(name)
	}
}

func (a *app) printSweep(l *sweep.List) error {
	for i := range l.Runs {
		fmt.Fprintf(a.Stdout, "%d  %s  %s\n", i, l.Runs[i].ID, clean(l.Label(&l.Runs[i])))
	}
	fmt.Fprintf(a.Stderr, "%s; nothing was started\n", kit.Plural(len(l.Runs), "run"))
	return nil
}

// onHere trains on this machine.
func (a *app) onHere(ctx context.Context, folder *sweep.Folder, f *sweepFlags) error {
	h := sweep.Here{Parallel: f.parallel, Threads: f.cpus, DataDir: absolute(folder.List.Dir, a.data)}
	if h.Parallel == 0 {
		h.Parallel = max(1, a.threads/f.cpus)
	}
	if f.inline || !a.hasEngine() {
		return a.sweepInline(ctx, folder, h)
	}
	there, err := folder.Want(h)
	if err != nil {
		return err
	}
	if err := a.client(folder.Dir).Wake(); err != nil {
		return err
	}
	what := fmt.Sprintf("%s of %s", kit.Plural(len(folder.List.Runs), "run"), folder.List.Name)
	if there != nil {
		a.say("%s: another drolab sweep start has begun them, %s", what, there)
	} else {
		a.say("%s: %s", what, h)
	}
	fmt.Fprintln(a.Stdout, folder.Dir)
	a.say("see drolab sweep status %s --follow, or drolab --runs %s", folder.Dir, folder.Dir)
	return nil
}

func (a *app) sweepInline(ctx context.Context, folder *sweep.Folder, h sweep.Here) error {
	store, err := record.Open(folder.Dir)
	if err != nil {
		return err
	}
	ctx, cancel := a.Orderly(ctx, nil)
	defer cancel()
	lean()
	s := a.settings(store)
	s.Parallel = h.Parallel
	q := runner.NewQueue(ctx, s)
	err = folder.Work(ctx, q, h, func() bool { return true }, func(format string, args ...any) {
		a.say(format, args...)
	})
	q.Wait()
	if err != nil {
		return fmt.Errorf("%w: start the sweep again, and it goes on with what is missing", err)
	}
	fmt.Fprintln(a.Stdout, folder.Dir)
	return a.sweepStatus(context.Background(), folder, false, false)
}

// engineWork is what the engine of a sweep's folder does by itself.
func (a *app) engineWork() func(context.Context, *runner.Queue) {
	folder, h := sweep.Wanted(a.runs)
	if folder == nil {
		return nil
	}
	logf := func(format string, args ...any) { fmt.Fprintf(a.Stderr, "sweep: "+format+"\n", args...) }
	return func(ctx context.Context, q *runner.Queue) {
		err := folder.Work(ctx, q, *h, func() bool { return folder.Wants(h) }, logf)
		if ctx.Err() != nil {
			return // the next engine goes on
		}
		if err != nil {
			logf("%v", err)
		}
		if err := folder.Through(h); err != nil {
			logf("%v", err)
		}
	}
}

// sweepParallel is how many runs at once the engine of a sweep's folder has.
func (a *app) sweepParallel() int {
	_, h := sweep.Wanted(a.runs)
	if h == nil {
		return 0
	}
	return h.Parallel
}

func (a *app) sweepStopCommand() *cobra.Command {
	return &cobra.Command{
		Use: "stop DIR", Short: "Stop a sweep, its runs with a checkpoint; drolab sweep start goes on",
		Example: "drolab sweep stop mysweep",
		Args:    exactlyOne("a sweep's folder", "drolab sweep stop DIR"), ValidArgsFunction: completeFolders,
		RunE: func(_ *cobra.Command, args []string) error { return a.stopSweep(args[0]) },
	}
}

// stopSweep stops the sweep in a folder, wherever it is trained.
func (a *app) stopSweep(dir string) error {
	folder, err := sweep.Open(dir)
	if err != nil {
		return err
	}
	if err := folder.Stop(); err != nil {
		return err
	}
	list := failures{}.and(folder.Cancel(context.Background(), sweep.Slurm{}))
	client := a.client(folder.Dir)
	status, err := client.Status()
	if errors.Is(err, engine.ErrNone) {
		return list.orNil()
	}
	if err != nil {
		return list.and(err)
	}
	for _, id := range folder.Ours(status.Runs) {
		list = list.and(client.Stop(id))
	}
	return list.orNil()
}

// onSlurm submits what is missing: of two who do so at once, the second sees what the
// first has submitted.
func (a *app) onSlurm(ctx context.Context, folder *sweep.Folder, f *sweepFlags) error {
	ask, err := a.sweepAsk(ctx, folder, f)
	if err != nil {
		return err
	}
	if f.dry {
		scripts, _, err := a.submit(ctx, folder, ask, nil)
		fmt.Fprint(a.Stdout, strings.Join(scripts, "\n"))
		return err
	}
	err = folder.Alone(func() error {
		var slurm sweep.Slurm
		if err := folder.Adopt(ctx, slurm); err != nil {
			return err
		}
		scripts, tasks, err := a.submit(ctx, folder, ask, slurm.Submit)
		if len(scripts) > 0 {
			a.say("%s in %s", kit.Plural(tasks, "task"), kit.Plural(len(scripts), "job array"))
		}
		return err
	})
	if err == nil {
		fmt.Fprintln(a.Stdout, folder.Dir)
	}
	return err
}

// submit submits the runs that are neither done nor in Slurm's queue.
func (a *app) submit(
	ctx context.Context, folder *sweep.Folder, ask *sweep.Ask,
	submit func(ctx context.Context, script string) (string, error),
) (scripts []string, tasks int, err error) {
	jobs, err := folder.Jobs(ctx, sweep.Slurm{}, false)
	if err != nil {
		return nil, 0, err
	}
	rungs := len(folder.List.Halving.Epochs) > 0
	if jobs.Busy() && rungs {
		a.say("%s is in Slurm's queue already, and its rungs follow by themselves", folder.Dir)
		return nil, 0, nil
	}
	states, err := sweep.NewLook(folder).States()
	if err != nil {
		return nil, 0, err
	}
	var todo []int
	for i := range states {
		if s := states[i].Status; s != runner.Done && s != sweep.Dropped && s != sweep.Waiting && !jobs.Live(i) {
			todo = append(todo, i)
		}
	}
	switch {
	case len(todo) > 0 || rungs:
	case jobs.Busy():
		a.say("all that is missing is in Slurm's queue already")
		return nil, 0, nil
	default:
		a.say("nothing is missing")
		return nil, 0, nil
	}
	stages, err := folder.Batches(todo, ask)
	if err != nil {
		return nil, 0, err
	}
	scripts, err = folder.Submit(ctx, stages, ask, submit)
	return scripts, len(todo), err
}

func (a *app) sweepAsk(ctx context.Context, folder *sweep.Folder, f *sweepFlags) (*sweep.Ask, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ask := &sweep.Ask{Partition: f.partition, Constraint: f.constraint, Parallel: f.parallel, Threads: f.cpus,
		DataDir: absolute(folder.List.Dir, a.data), Program: program}
	if f.time != "" {
		if ask.Time, err = sweep.ParseTime(f.time); err != nil {
			return nil, fmt.Errorf("--time %w", err)
		}
	}
	w := &stopwatch{ctx: ctx, threads: f.cpus, known: map[workload]runner.StepTimes{}}
	ask.Estimate = func(s *runner.Spec) (n sweep.Need, err error) {
		name := data.Locate(s.Dataset, folder.List.Dir)
		sizes, err := data.SizesOf(name, s.DataOptions(ask.DataDir))
		if err != nil {
			return n, err
		}
		if n.Bytes, err = runner.Memory(s, sizes); err != nil || ask.Time > 0 {
			return n, err
		}
		all := *s // one measurement is for all methods
		all.Algorithms = folder.List.Base.Algorithms
		t, err := w.measure(&all, sizes.Shape, sizes.Classes, benchOther)
		if err != nil {
			return n, err
		}
		n.Seconds = t.Pace(s.Batch).Seconds([]runner.Spec{*s}, float64(sizes.Train), float64(sizes.Test))
		return n, nil
	}
	return ask, nil
}
