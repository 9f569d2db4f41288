package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"drolab/presets"
	"drolab/presets/recorded"
	"drolab/runner"
	"drolab/runner/alert"
	"drolab/runner/machine"
	"drolab/tui/cli/console"
	"drolab/tui/cli/look"
	"drolab/tui/cli/run"
	"drolab/tui/kit"
	"drolab/tui/lab"

	"charm.land/fang/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Main runs the command that args give, one of drolab's or of more, and returns the exit status: 0
// only if the command did what was asked. When ctx is cancelled, runs stop with a checkpoint.
func Main(
	ctx context.Context, env console.Env, args []string, more ...func(
		*console.Console) *cobra.Command,
) (code int) {
	con := console.New(env)
	var err error
	if con.Debug, err = console.OpenDebugLog(env.DebugFile); err != nil {
		console.PrintError(con.Stderr, err)
		return 1
	}
	con.WriteStart()
	defer func() { con.Debug.Printf("exit status %d", code) }()
	debug.SetPanicOnFault(true) // a mapped data file that is truncated must not end the program
	defer func() {
		if p := recover(); p != nil {
			console.PrintError(con.Stderr, runner.ReportPanic(con.RunsDir, p))
			code = 1
		}
	}()
	con.Args = args
	root := root(con)
	for _, command := range more {
		root.AddCommand(command(con))
	}
	console.ReadNumbers(root)
	root.SetIn(env.Stdin)
	root.SetOut(con.Stdout.ColourWriter())
	root.SetErr(con.Stderr.ColourWriter())
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		root.SetOut(con.Stdout) // completions may come from files, and have no colours
	}
	err = execute(ctx, con, root, args)
	con.Close()
	if err == nil {
		err = con.Broken()
	}
	con.PrintPassedOver()
	if lost := con.Stdout.Lost.Load(); lost != nil && err == nil {
		err = *lost
	}
	code, err = console.ExitStatus(err)
	if err != nil {
		console.PrintError(con.Stderr, err)
	}
	return code
}

// execute runs the command that args give. Fang prints help and the manual page. It does not run
// the other commands: at each error it would ask the terminal for its colours, and wait seconds for
// the answer.
func execute(ctx context.Context, con *console.Console, root *cobra.Command, args []string) error {
	isHelp := func(arg string) bool { return arg == "--help" || arg == "-h" || arg == "help" }
	if slices.ContainsFunc(args, isHelp) {
		of, rest, _ := root.Find(slices.DeleteFunc(slices.Clone(args), isHelp))
		if of.HasSubCommands() && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
			return console.NoCommand(of, rest) // not the program's help
		}
	}
	root.SetArgs(args)
	if len(args) > 0 && args[0] == "man" {
		wrapHelp(root, math.MaxInt) // the page is wrapped where it is read
		return fang.Execute(ctx, root, fangOptions...)
	}
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		wrapHelp(c, max(40, con.Width()-4))
		shortenHelp(c)
		path := strings.Fields(c.CommandPath())
		root.SetArgs(append(path[1:], "--help"))
		fang.Execute(ctx, root, fangOptions...)
	})
	root.SilenceUsage, root.SilenceErrors = true, true
	return root.ExecuteContext(ctx)
}

// fangOptions leave the version and the printing of errors to this package.
var fangOptions = []fang.Option{
	fang.WithoutVersion(),
	fang.WithErrorHandler(func(io.Writer, fang.Styles, error) {}),
}

// shortenHelp shortens a command's help: the flags of the commands below it stand in their own
// help, as do the arguments of all commands, and the flags that all have in that of the program.
func shortenHelp(c *cobra.Command) {
	for _, below := range c.Commands() {
		below.ResetFlags()
		if !c.HasParent() {
			below.Use = below.Name()
		}
	}
	if c.HasParent() {
		c.Long = cmp.Or(c.Long, c.Short) + "\n\nThe flags of all commands are in drolab --help."
		c.InheritedFlags().VisitAll(func(f *pflag.Flag) { f.Hidden = true })
	}
}

const about = `Train for the worst case. Distributionally robust optimisation (DRO) minimises the largest mean
loss over all reweightings of the data within a radius ρ; ordinary training minimises the mean
loss. drolab trains the same network with SFK-DRO, PGD, PAN-DRO, plain ERM and other methods
side by side, and shows how each treats the classes that suffer.`

const examples = `
# SFK-DRO, PGD and ERM on drawn images: a minute, nothing to download
drolab run shapes

# two methods, three seeds, another radius; then their table
drolab run shapes --algo sfk,erm --seeds 3 --set rho=1
drolab compare shapes

# the exact worst-case mean of your own losses, one per line
drolab risk losses.txt --uncertainty chi2 --rho 0.5`

func root(con *console.Console) *cobra.Command {
	var ring string
	var version, wide bool
	tr := &run.Trainer{Console: con}
	root := &cobra.Command{
		Use: "drolab", Short: "A lab for distributionally robust training",
		Long: about, Example: strings.TrimSpace(examples),
		Args: console.NoCommand,
		RunE: func(c *cobra.Command, args []string) error {
			if of, _, err := c.Find([]string{"version"}); version && err == nil {
				return of.RunE(of, args)
			}
			return tr.Open(c, args)
		},
		PersistentPreRunE: func(c *cobra.Command, _ []string) (err error) {
			con.WriteCommand(c)
			if err := console.CheckAlone(c); err != nil {
				return err
			}
			if con.IsForwarded(c) {
				c.RunE = con.Forward
				return nil
			}
			if wide {
				con.SetFolding(false)
			}
			if tr.Ring, err = lab.ParseRing(ring); err != nil {
				return err
			}
			if tr.NotifyLevel, err = alert.ParseLevel(con.NotifyLevel); err != nil {
				return fmt.Errorf("--notify-level %w", err)
			}
			if err = checkFolder(c, con.DataDir); err != nil {
				return err
			}
			if err = checkRunsFolder(con.RunsDir); err != nil {
				return err
			}
			return useThreads(&con.Threads, c.Flags().Changed("threads"))
		},
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if wrong, is := errors.AsType[*pflag.InvalidValueError](err); is {
			return wrongValue(c, wrong)
		}
		hint := ""
		if unknown, is := errors.AsType[*pflag.NotExistError](err); is {
			hint = settingFlag(c, unknown)
		}
		return fmt.Errorf("%w: %ssee %s --help", err, hint, c.CommandPath())
	})
	flags := root.PersistentFlags()
	flags.StringVar(&con.DataDir, "data", con.DataDir, "folder of the datasets (DROLAB_DATA)")
	flags.StringVar(&con.RunsDir, "runs", con.RunsDir, "folder of the runs (DROLAB_RUNS)")
	flags.StringVar(&con.Notify, "notify", con.Notify,
		"command to run when a run finishes or fails; it reads the summary from standard "+
			"input (DROLAB_NOTIFY)")
	flags.StringVar(&con.NotifyLevel, "notify-level", con.NotifyLevel,
		"what --notify tells of: end (done and failed), or the alerts from a level on, info, "+
			"warn or error (DROLAB_NOTIFY_LEVEL; default end)")
	console.MustComplete(root, "notify-level", cobra.FixedCompletions(
		alert.Levels(), cobra.ShellCompDirectiveNoFileComp))
	flags.StringVar(&ring, "ring", con.Ring,
		"notifications and progress in the terminal: 9 or 777 (the OSC of a notification), "+
			"progress (OSC 9;4), or two of them, as in 9,progress (DROLAB_RING; default none)")
	flags.BoolVar(&wide, "wide", false, "print lines and tables at full width")
	flags.BoolVar(&con.Stdout.All, "all", false, "print all rows of tables by class or group")
	root.Flags().BoolVar(&version, "version", false, "print the version")
	con.ForwardFlag(root)
	flags.IntVar(&con.Threads, "threads", 0, "processor cores to use (default: all it may use)")
	root.AddCommand(slices.Concat(run.Commands(tr), look.Commands(con), console.Commands(con))...)
	group(root)
	return root
}

// groups are the groups of commands in the help, each with its commands.
var groups = [][2]string{
	{"Run", "run attach pause resume stop knob checkpoint sweep engine trust"},
	{"Look", "demo runs show alerts replay presets eval certify theory plan risk bench"},
	{"Compare", "compare report"},
	{"Data", "data features import"},
	{"Share", "share export record"},
	{"More", "box delete doctor label version"},
}

func group(root *cobra.Command) {
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g[0], Title: strings.ToUpper(g[0])})
		for name := range strings.FieldsSeq(g[1]) {
			if c, _, err := root.Find([]string{name}); err == nil {
				c.GroupID = g[0]
			}
		}
	}
	root.SetHelpCommandGroupID("More")
	root.SetCompletionCommandGroupID("More")
}

// wrapHelp wraps the paragraphs of the help of c and its subcommands at width, in place of the line
// breaks of the source.
func wrapHelp(c *cobra.Command, width int) {
	paragraphs := strings.Split(c.Long, "\n\n")
	for i, p := range paragraphs {
		if !strings.Contains(p, "\n ") { // an indented line is an example
			words := strings.ReplaceAll(p, "\n", " ")
			paragraphs[i] = strings.Join(kit.Wrap(words, width), "\n")
		}
	}
	c.Long = strings.Join(paragraphs, "\n\n")
	for _, below := range c.Commands() {
		wrapHelp(below, width)
	}
}

// wrongValue says which values a flag takes. The library's own text names the function that could
// not read the value. The type of a flag with choices is what it takes.
func wrongValue(c *cobra.Command, wrong *pflag.InvalidValueError) error {
	flag, remedy := wrong.GetFlag(), ""
	of := flag.Value.Type()
	if console.TakesNumbers(of) {
		remedy = wrong.Unwrap().Error()
	}
	want := cmp.Or(map[string]string{"float64": "a number", "int": "a whole number",
		"int64": "a whole number", "uint64": "a whole number from 0", "bool": "true or false",
		"float64Slice": "numbers, as in .1,.5,1",
		"duration":     "a time with its unit, as in 90m, 8h or 2d"}[of], of)
	return fmt.Errorf("--%s %q: expected %s%s: see %s --help", flag.Name, wrong.GetValue(), want,
		remedy, c.CommandPath())
}

// settingFlag returns the hint to use --set if a setting was given as a flag, else "".
func settingFlag(c *cobra.Command, unknown *pflag.NotExistError) string {
	isShorthand := unknown.GetSpecifiedShortnames() != ""
	if isShorthand || c.Flags().Lookup("set") == nil {
		return ""
	}
	if key := presets.Key(unknown.GetSpecifiedName()); key != "" {
		return fmt.Sprintf("give it as --set %s=VALUE, ", key)
	}
	return ""
}

// checkFolder refuses a --data that is no folder. A folder that does not exist yet is refused only
// where --dataset exists, too: there it is most likely a dataset, and the run's own data would be
// used in its place.
func checkFolder(c *cobra.Command, dir string) error {
	info, err := os.Stat(dir)
	given, takesDataset := c.Flags().Changed("data"), c.Flags().Lookup("dataset") != nil
	if !given || err == nil && info.IsDir() || err != nil && !takesDataset {
		return nil
	}
	hint := ""
	if takesDataset {
		hint = ", or give a dataset as --dataset"
	}
	return fmt.Errorf("--data %s: expected a folder of datasets%s", dir, hint)
}

// checkRunsFolder refuses the name of a runs folder that is a file, and one that stands for
// something else: recorded runs, a program or an address. A folder that does not exist yet is made
// when runs start.
func checkRunsFolder(dir string) error {
	info, err := os.Stat(dir)
	isFolder := err == nil && info.IsDir()
	scheme, _, hasScheme := strings.Cut(dir, ":")
	isOtherName := hasScheme && len(scheme) > 1 && !strings.ContainsAny(scheme, `/\`)
	switch {
	case isFolder:
		return nil
	case recorded.Is(dir):
		return fmt.Errorf("--runs %s: expected a folder of runs: drolab replay %[1]s shows these "+
			"runs",
			dir)
	case err == nil || isOtherName:
		return fmt.Errorf("--runs %s: expected a folder of runs", dir)
	}
	return nil
}

func useThreads(threads *int, asked bool) error {
	switch {
	case !asked:
		*threads = machine.Threads()
	case *threads < 1:
		return fmt.Errorf("--threads %d: expected at least 1", *threads)
	case *threads > runner.MostThreads():
		return fmt.Errorf("--threads %d: expected at most %d on this machine", *threads,
			runner.MostThreads())
	default:
		runtime.GOMAXPROCS(*threads)
	}
	return nil
}
