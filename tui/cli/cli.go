package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"drolab/presets"
	"drolab/runner"
	"drolab/runner/record"
	cells "drolab/tui/cell"
	"drolab/tui/lab"

	"charm.land/fang/v2"
	"github.com/spf13/cobra"
)

// Env is the world as the commands see it.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// DataDir and RunsDir are the folders in use without --data and --runs.
	DataDir, RunsDir string
	// Keys is the folder of the keys of drolab share.
	Keys string
	// ASCII keeps the progress bars to letters that every terminal has.
	ASCII bool
	// Environ is the environment, for what the interface takes from it.
	Environ []string
	// Orderly returns a context that is cancelled when the user wants the
	// command to end. A command that does not ask for it is ended at once. With
	// hangup it goes on when its terminal is closed, and hangup is called then.
	Orderly func(ctx context.Context, hangup func()) (context.Context, context.CancelFunc)
	// Warned returns what is closed when the process hears that its time is about to
	// be over (USR1), until forget is called; nil: it hears nothing.
	Warned func() (warned <-chan struct{}, forget func())
	// Self returns the command that is this program with other arguments, not
	// started; nil keeps all runs in this process.
	Self func(args ...string) *exec.Cmd
	// Ring is in use without --ring.
	Ring string
	// Notify is the command in use without --notify.
	Notify string
	// RuntimeDir is the user's folder for sockets ($XDG_RUNTIME_DIR), or empty.
	RuntimeDir string
}

// outlive is a hangup that changes nothing.
func outlive() {}

// app is one call of the program: the world, and the global flags.
type app struct {
	Env
	// Stdout and Stderr are those of Env with all that is printed cleaned: names
	// and settings come from files of other people. Only the interface, which
	// draws with its own care, has the terminal itself.
	Stdout, Stderr *cells.Writer

	data, runs string
	notify     string
	bell       string   // --ring
	rings      lab.Ring // as it was read
	threads    int

	exports bool // event files are written of the runs that are watched

	seen []*record.Run // that were found by their names

	mu      sync.Mutex
	drawing bool   // the interface has the terminal
	noted   string // said already
}

func newApp(env Env) *app {
	return &app{Env: env, Stdout: cells.NewWriter(env.Stdout), Stderr: cells.NewWriter(env.Stderr)}
}

// Main does what args say and returns the exit status: 0 only if what was
// asked was done. When ctx is cancelled, runs stop with a checkpoint.
func Main(ctx context.Context, env Env, args []string) (code int) {
	a := newApp(env)
	debug.SetPanicOnFault(true) // a data file that is cut while it is mapped ends no program
	defer func() {
		if p := recover(); p != nil {
			printError(a.Stderr, runner.Panicked(a.runs, p))
			code = 1
		}
	}()
	root := a.root()
	root.SetArgs(args)
	root.SetIn(env.Stdin)
	root.SetOut(a.Stdout.Coloured())
	root.SetErr(a.Stderr.Coloured())
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		root.SetOut(a.Stdout) // words to complete are of files, and have no colours
	}
	err := fang.Execute(ctx, root, fang.WithoutVersion(),
		fang.WithErrorHandler(func(io.Writer, fang.Styles, error) {}))
	a.tellPassedOver()
	if err != nil {
		printError(a.Stderr, err)
		return 1
	}
	return 0
}

// saw notes runs that a command is about to read.
func (a *app) saw(runs ...*record.Run) { a.seen = append(a.seen, runs...) }

// tellPassedOver says what was left out of all that was printed or written: whichever
// command has read the runs.
func (a *app) tellPassedOver() {
	var list failures
	for _, r := range a.seen {
		if err := r.PassedOver(); err != nil && !slices.ContainsFunc(list, func(e error) bool {
			return e.Error() == err.Error()
		}) {
			list = append(list, err)
		}
	}
	if len(list) > 0 {
		printError(a.Stderr, list)
	}
}

// failures are several things that went wrong, to be printed one a line.
type failures []error

func (f failures) Error() string { return errors.Join(f...).Error() }

// and adds what went wrong, each of several; nil adds nothing.
func (f failures) and(err error) failures {
	switch err := err.(type) {
	case nil:
		return f
	case failures:
		return append(f, err...)
	default:
		return append(f, err)
	}
}

// orNil returns nil where nothing failed.
func (f failures) orNil() error {
	if len(f) == 0 {
		return nil
	}
	return f
}

func printError(w io.Writer, err error) {
	list := failures{err}
	if several, ok := err.(failures); ok {
		list = several
	}
	if wrong := (presets.Errors)(nil); errors.As(err, &wrong) {
		list = failures(wrong)
	}
	for _, e := range list {
		fmt.Fprintf(w, "drolab: %s\n", oneLine(e.Error()))
	}
}

const about = `Training that stays good in the worst case: instead of the mean loss, minimise the
worst mean loss over all reweightings of the data within a radius ρ (distributionally
robust optimisation, DRO). drolab trains the same network with SFK-DRO, PGD, PAN-DRO, plain
ERM and others side by side, and shows what each does to the classes that suffer.`

const examples = `
# train SFK-DRO, PGD, PAN-DRO and ERM on drawn images, about a minute, nothing to download
drolab run shapes

# two methods, three seeds, another radius; then compare everything so far
drolab run shapes --algo sfk,erm --seeds 3 --set rho=1
drolab compare shapes

# the exact worst-case mean of your own losses, one a line
drolab risk losses.txt --uncertainty chi2 --rho 0.5`

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use: "drolab", Short: "A lab for distributionally robust training",
		Long: about, Example: strings.TrimSpace(examples),
		Args: noCommand,
		RunE: a.openInterface,
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			var err error
			if a.rings, err = lab.ParseRing(a.bell); err != nil {
				return err
			}
			return a.useThreads(c.Flags().Changed("threads"))
		},
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return fmt.Errorf("%w: %ssee %s --help", err, settingFlag(c, err), c.CommandPath())
	})
	flags := root.PersistentFlags()
	flags.StringVar(&a.data, "data", a.DataDir, "folder of the datasets (DROLAB_DATA)")
	flags.StringVar(&a.runs, "runs", a.RunsDir, "folder of the runs (DROLAB_RUNS)")
	flags.StringVar(&a.notify, "notify", a.Notify,
		"command to run when a run is done or has failed, its summary on the input (DROLAB_NOTIFY)")
	flags.StringVar(&a.bell, "ring", a.Ring, "what the interface has the terminal show of its runs: 9 or 777 "+
		"(a notification by that OSC) and progress (OSC 9;4), as 9,progress (DROLAB_RING; default nothing)")
	flags.IntVar(&a.threads, "threads", 0, "processor cores to use (default all)")
	root.AddCommand(
		a.runCommand(), a.presetsCommand(), a.runsCommand(), a.showCommand(), a.compareCommand(),
		a.reportCommand(), a.recordCommand(), a.evalCommand(), a.exportCommand(),
		a.resumeCommand(), a.attachCommand(), a.replayCommand(), a.shareCommand(),
		a.pauseCommand(), a.stopCommand(),
		a.checkpointCommand(), a.knobCommand(), a.labelCommand(), a.deleteCommand(), a.doctorCommand(),
		a.engineCommand(), a.sweepCommand(),
		a.dataCommand(), a.benchCommand(),
		a.riskCommand(), a.certifyCommand(), a.planCommand(), a.theoryCommand(), a.versionCommand())
	return root
}

// settingFlag says how a setting is given, where one was given as a flag.
func settingFlag(c *cobra.Command, err error) string {
	flag, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !unknown || c.Flags().Lookup("set") == nil {
		return ""
	}
	if key := presets.Key(flag); key != "" {
		return fmt.Sprintf("give it as --set %s=VALUE, ", key)
	}
	return ""
}

// elsewhere are words of other programs for commands.
var elsewhere = map[string]string{
	"train": "run", "fit": "run", "start": "run", "launch": "run", "test": "eval",
	"evaluate": "eval", "predict": "eval", "list": "runs", "ls": "runs", "ps": "runs",
	"history": "runs", "status": "show", "info": "show", "rm": "delete", "remove": "delete",
	"kill": "stop", "cancel": "stop", "continue": "resume", "download": "data",
	"dataset": "data", "datasets": "data", "diff": "compare", "check": "doctor",
	"benchmark": "bench", "tag": "label", "save": "checkpoint",
}

// noCommand refuses words that are no command.
func noCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := fmt.Sprintf("unknown command %q: see drolab --help", args[0])
	near := c.SuggestionsFor(args[0])
	if known := elsewhere[args[0]]; known != "" {
		near = []string{known}
	}
	if len(near) > 0 {
		err = fmt.Sprintf("unknown command %q: did you mean %s?", args[0], near[0])
	}
	return errors.New(err)
}

func (a *app) useThreads(asked bool) error {
	switch {
	case !asked:
		a.threads = runtime.GOMAXPROCS(0)
	case a.threads < 1:
		return fmt.Errorf("--threads %d: want at least 1", a.threads)
	case a.threads > runner.MostThreads():
		return fmt.Errorf("--threads %d: want at most %d on this machine", a.threads, runner.MostThreads())
	default:
		runtime.GOMAXPROCS(a.threads)
	}
	return nil
}
