package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"drolab/presets"
	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/queue"
	"drolab/runner/record"
	"drolab/runner/sweep"
	"drolab/tui/cell"
	"drolab/tui/cli/console"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

func (tr *Trainer) sweepCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "sweep", Short: "Train many runs over settings and seeds, here or on a Slurm cluster",
		Long: `Train a sweep file: a preset, and the settings that vary. The sweep's folder is a runs folder:
drolab --runs DIR watches, compares and replays its runs, live, from any machine that sees the
disk.`,
		Example: `drolab sweep start sweep.yaml
drolab sweep start sweep.yaml --on slurm --partition gpu --parallel 100
drolab sweep status DIR --follow
drolab sweep table DIR`,
		Args: console.NoCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(tr.sweepStartCommand(), tr.sweepStatusCommand(), tr.sweepTaskCommand(),
		tr.sweepStopCommand(), tr.sweepTableCommand())
	return c
}

// sweepFlags are the flags of `sweep start`.
type sweepFlags struct {
	dir, on, time         string
	partition, constraint string
	sbatch                []string
	dry, inline           bool
	sweep.Resources
}

// options returns the options of sbatch that the command line gives.
func (f *sweepFlags) options() (list []string) {
	for _, o := range [][2]string{{"partition", f.partition}, {"constraint", f.constraint}} {
		if o[1] != "" {
			list = append(list, o[0]+"="+o[1])
		}
	}
	return append(list, f.sbatch...)
}

const sweepHelp = `Start a sweep file, or its missing runs: finished runs stay, and runs that were stopped or died
continue from their newest checkpoints. The file:

  preset: paper-quick                       # a preset, or a preset's file
  grid: {rho: [.1, .5, 1], algo: [sfk, erm]}   # every combination; algo lists the methods
  random: {draws: 16, seed: 1, lr: {log: [.001, .1]}}   # log, uniform or whole; at every point of the grid
  seeds: 3
  set: {epochs: 20, val_fraction: .1}       # fixed, as with --set
  select: val_worst                         # the best setting of each method, by validation alone
  halving: {epochs: [5, 10], keep: .25}     # at these epochs the best quarter of each method's settings continues
  sbatch: [account=vision, gres=gpu:1]      # on Slurm: what the site demands, as with --sbatch
  setup: [module load cuda/12]              # on Slurm: run before each task; approve the file with drolab trust

The methods are those of algo in the grid or, without it, those of the preset. A method that does
not read a setting of the grid gets one value of it: erm, which has no lambda0, has no run for each
lambda0. Only rho varies for every method, because every robust risk is measured at it.

Several starts in one folder at the same time make one sweep. The folder keeps a copy of the
file. A change of that copy has no effect until the next start reads it and adds its runs. A
sweep loses no run: for fewer or other runs, start another sweep with --dir.

With --on slurm the command submits job arrays, one for each class of needs. Their time and
memory are measured on this machine, with a margin, unless --time gives the time and --sbatch
the memory. Options of --sbatch are kept for later starts of the sweep.`

func (tr *Trainer) sweepStartCommand() *cobra.Command {
	var f sweepFlags
	c := &cobra.Command{
		Use: "start FILE", Short: "Start a sweep, or its missing runs", Long: sweepHelp,
		Example: "drolab sweep start sweep.yaml --dir mysweep\n" +
			"drolab sweep start sweep.yaml --on slurm --dry-run",
		Args: console.One("a sweep file", "drolab sweep start sweep.yaml"),
		ValidArgsFunction: cobra.FixedCompletions([]string{"yaml", "yml"},
			cobra.ShellCompDirectiveFilterFileExt),
		RunE: func(c *cobra.Command, args []string) error {
			return tr.startSweep(c.Context(), args[0], &f)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.dir, "dir", "", "the sweep's folder (default: a new one in the runs folder)")
	flags.StringVar(&f.on, "on", "here", "where the runs are trained: here or slurm")
	flags.BoolVar(&f.inline, "inline", false, "train in this process, not in the background")
	flags.BoolVar(&f.dry, "dry-run", false,
		"print the runs, or the calls of sbatch, and start nothing")
	flags.IntVar(&f.Parallel, "parallel", 0,
		"runs at once (default here: as many as the processors allow)")
	flags.IntVar(&f.Threads, "cpus", 0, "processors per run (default: one for each process)")
	flags.StringVar(&f.time, "time", "",
		"Slurm: time limit of a task, as in 04:00:00 (default: estimated)")
	flags.StringVar(&f.partition, "partition", "", "Slurm: partition")
	flags.StringVar(&f.constraint, "constraint", "", "Slurm: constraint on nodes")
	flags.StringArrayVar(&f.sbatch, "sbatch", nil,
		"Slurm: an option of sbatch, as in account=vision (repeatable, and kept)")
	console.Choices(c, "on", "here\tthis machine", "slurm\ta cluster")
	console.ReadsPresets(c)
	return c
}

// check returns an error if a flag is invalid or flags contradict each other.
func (f *sweepFlags) check() error {
	switch {
	case f.on == "here" && (f.time != "" || len(f.options()) > 0):
		return errors.New("--time, --partition, --constraint and --sbatch are for --on slurm")
	case f.on == "slurm" && f.inline:
		return errors.New("--inline is for --on here")
	case f.Parallel < 0:
		return fmt.Errorf("--parallel %d: expected at least 1", f.Parallel)
	case f.Threads < 0 || f.Threads > runner.MostThreads() && f.on == "here":
		return fmt.Errorf("--cpus %d: expected from 1 to %d", f.Threads, runner.MostThreads())
	}
	// In a job they would do no harm, but Slurm shows the job in lines of its own.
	for flag, text := range map[string]string{"dir": f.dir, "partition": f.partition,
		"constraint": f.constraint} {
		if f.on == "slurm" && strings.ContainsFunc(text, unicode.IsControl) {
			return fmt.Errorf("--%s %.200q: expected no control characters in a Slurm job", flag,
				text)
		}
	}
	for _, option := range f.sbatch {
		if err := sweep.CheckOption(option); err != nil {
			return fmt.Errorf("--sbatch %w", err)
		}
	}
	if err := sweep.CheckTwice(f.options()); err != nil {
		return fmt.Errorf("--sbatch %w", err)
	}
	return nil
}

// takeSite takes from a sweep file what it demands of Slurm. Without trust in the file it takes
// only requests for resources.
func (tr *Trainer) takeSite(file string, text []byte, parsed *sweep.File, f *sweepFlags) error {
	if f.on != "slurm" {
		return nil
	}
	f.Options, f.Setup = parsed.Sbatch, parsed.Setup
	if err := sweep.CheckMemory(sweep.MergeOptions(f.Options, f.options())); err != nil {
		return err
	}
	err := parsed.CheckTrust()
	if err == nil || f.dry {
		return nil
	}
	path, errPath := filepath.Abs(file)
	if errPath != nil {
		return errPath
	}
	if bridge.Approvals(tr.Programs).Approves(path, text) {
		return nil
	}
	return fmt.Errorf("%s: %w: read it, then approve it with drolab trust %s", file, err,
		sweep.Quote(file))
}

func (tr *Trainer) startSweep(ctx context.Context, file string, f *sweepFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	text, err := presets.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("sweep file %s does not exist: check the path", file)
	}
	if err != nil {
		return fmt.Errorf("sweep file: %w", err)
	}
	parsed, errs := sweep.Parse(file, text)
	if len(errs) > 0 {
		return console.Failures(errs)
	}
	if err := tr.takeSite(file, text, parsed, f); err != nil {
		return err
	}
	list := parsed.Expand()
	if list.Dir, err = os.Getwd(); err != nil {
		return err
	}
	if errs := parsed.CheckData(ctx, list.Dir, absolutePath(list.Dir, tr.DataDir)); len(errs) > 0 {
		return console.Failures(errs)
	}
	if _, err := list.Approved(bridge.Approvals(tr.Programs)); err != nil && !f.dry {
		return err
	}
	if f.dry && f.on == "here" {
		return tr.printSweep(list)
	}
	f.Threads = cmp.Or(f.Threads, list.Procs())
	name := "sweep-" + list.Name + "-" + time.Now().Format("20060102-150405")
	dir := cmp.Or(f.dir, filepath.Join(tr.RunsDir, name))
	if f.dry {
		return tr.onSlurm(ctx, &sweep.Folder{Dir: absolutePath(list.Dir, dir), List: list}, f)
	}
	tr.noteHome()
	folder, err := sweep.Make(dir, text, list)
	if err != nil {
		return err
	}
	if f.on == "slurm" {
		return tr.onSlurm(ctx, folder, f)
	}
	return tr.onHere(ctx, folder, f)
}

func (tr *Trainer) printSweep(l *sweep.List) error {
	for i := range l.Runs {
		fmt.Fprintf(tr.Stdout, "%d  %s  %s\n", i, l.Runs[i].ID, cell.Clean(l.Label(&l.Runs[i])))
	}
	fmt.Fprintf(tr.Stderr, "%s; nothing was started\n", kit.Plural(len(l.Runs), "run"))
	return nil
}

// onHere trains the runs on this machine.
func (tr *Trainer) onHere(ctx context.Context, folder *sweep.Folder, f *sweepFlags) error {
	h := sweep.Here{Parallel: cmp.Or(f.Parallel, max(1, tr.Threads/f.Threads)),
		Threads: f.Threads, DataDir: absolutePath(folder.List.Dir, tr.DataDir)}
	if f.inline || !tr.hasEngine() {
		return tr.sweepInline(ctx, folder, h)
	}
	there, err := folder.Request(h)
	if err != nil {
		return err
	}
	if err := tr.client(folder.Dir).Wake(); err != nil {
		return err
	}
	what := fmt.Sprintf("%s of %s", kit.Plural(len(folder.List.Runs), "run"), folder.List.Name)
	if there != nil {
		tr.PrintLine("%s: another drolab sweep start trains them, %s", what, there)
	} else {
		tr.PrintLine("%s: %s", what, h)
	}
	fmt.Fprintln(tr.Stdout, folder.Dir)
	tr.PrintLine("see %s", tr.showsSweep(folder.Dir))
	return nil
}

// showsSweep returns the commands that show a sweep. The interface is none of them on a box: it
// shows the folders of its own machine.
func (tr *Trainer) showsSweep(dir string) string {
	at := runner.ShellWord(dir)
	other := "drolab --runs " + at
	if tr.Forwarded.Box != "" {
		other = tr.CommandThere("drolab sweep table " + at)
	}
	return tr.CommandThere("drolab sweep status "+at+" --follow") + ", or " + other
}

func (tr *Trainer) sweepInline(ctx context.Context, folder *sweep.Folder, h sweep.Here) error {
	store, err := record.Open(folder.Dir)
	if err != nil {
		return err
	}
	ctx, cancel := tr.SignalContext(ctx, nil)
	defer cancel()
	console.CollectEarly()
	s := tr.settings(store)
	s.Parallel = h.Parallel
	q := queue.NewQueue(ctx, s)
	err = folder.Work(ctx, q, h, func() bool { return true }, tr.PrintLine)
	q.Wait()
	if err != nil {
		return fmt.Errorf("%w: start the sweep again to train the missing runs", err)
	}
	fmt.Fprintln(tr.Stdout, folder.Dir)
	return tr.sweepStatus(ctx, folder, false)
}

// sweepWork returns the work that the engine of a sweep's folder does of its own accord; nil if the
// runs folder has no sweep to work on.
func (tr *Trainer) sweepWork() func(context.Context, *queue.Queue) {
	folder, h := sweep.Wanted(tr.RunsDir)
	if folder == nil {
		return nil
	}
	logf := func(format string, args ...any) {
		fmt.Fprintf(tr.Stderr, "sweep: "+format+"\n", args...)
	}
	return func(ctx context.Context, q *queue.Queue) {
		err := folder.Work(ctx, q, *h, func() bool { return folder.StillWants(h) }, logf)
		if ctx.Err() != nil {
			return // the next engine continues
		}
		if err != nil {
			logf("%v", err)
		}
		if err := folder.Finish(h); err != nil {
			logf("%v", err)
		}
	}
}

// sweepParallel returns the number of runs that the engine of a sweep's folder trains at once, or 0
// if the runs folder has no sweep to work on.
func (tr *Trainer) sweepParallel() int {
	_, h := sweep.Wanted(tr.RunsDir)
	if h == nil {
		return 0
	}
	return h.Parallel
}
