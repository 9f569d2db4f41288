package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/presets"
	"drolab/runner"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/cell"
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
)

// Commands returns the commands that start runs or send them requests.
func Commands(tr *Trainer) []*cobra.Command {
	return []*cobra.Command{runCommand(tr), resumeCommand(tr), pauseCommand(tr), stopCommand(tr),
		checkpointCommand(tr), knobCommand(tr), labelCommand(tr), deleteCommand(tr),
		trustCommand(tr), tr.attachCommand(), tr.replayCommand(), tr.demoCommand(),
		tr.shareCommand(), tr.sweepCommand(), tr.engineCommand(), tr.loopCommand(),
		versionCommand(tr)}
}

// runFlags are the flags of `run`, in the order in which they are applied to a
// preset: --set first, then the flags that have a name.
type runFlags struct {
	set    []string
	algo   []string
	seeds  int
	seed   uint64
	from   string
	inline bool
	detach bool
	dry    bool
	live   string // format of the event files that are written while the runs go on

	release func() // releases the checkpoint that --from names
}

func runCommand(tr *Trainer) *cobra.Command {
	f := runFlags{release: func() {}}
	c := &cobra.Command{
		Use: "run PRESET|FILE|STUDY|PROGRAM...", Short: "Train and record the runs of a preset",
		Long: `Train presets (see drolab presets) or YAML files of your own. Every algorithm with every seed
is one run, and each run keeps its files in a directory of its own.

Runs continue in the background when the terminal closes; drolab attach shows them again.
Ctrl-C stops the runs with a checkpoint, and drolab resume continues them from there. A second
Ctrl-C leaves them running. If the reader of the output leaves (| head), the command ends and
the runs continue. With --inline the command continues in silence, and its exit status is that
of the runs.

With --from, a run continues from a checkpoint of another run, with the other run's settings
and the changes given here. A setting that none of the algorithms reads is refused.

A study is a YAML file with the key study (docs/studies.md): its missing runs are made, those
that stopped go on, and no others start. --dry-run lists them with the time that they take.

A program of your own can take the place of the network: train.py, or "program:train.py
width=2" with arguments. Naming it here approves its current version.`,
		Example: `drolab run shapes
drolab run shapes --algo sfk,erm --seeds 3 --set rho=1 --set c=500
drolab run my-experiment.yaml --json
drolab run study.yaml --dry-run
drolab run train.py --algo sfk,erm
drolab run --from latest --set lr=0.001 --algo sfk`,
		Args:              f.presetOrParent,
		ValidArgsFunction: console.CompletePresets,
		RunE: func(c *cobra.Command, args []string) error {
			if is, err := f.isStudy(c, args); is || err != nil {
				if err != nil {
					return err
				}
				return f.study(c.Context(), tr, args[0])
			}
			requests, err := requests(tr, c, &f, args)
			if err != nil {
				f.release()
				return err
			}
			return f.train(c.Context(), tr, requests, nil)
		},
	}
	flags := c.Flags()
	flags.StringSliceVar(&f.algo, "algo", nil,
		"algorithms, separated by commas: "+strings.Join(dro.MethodNames(), ","))
	flags.IntVar(&f.seeds, "seeds", 0, "number of seeds for each algorithm")
	flags.Uint64Var(&f.seed, "seed", 0, "first seed")
	flags.StringArrayVar(&f.set, "set", nil, "change a setting, as in rho=0.5 (repeatable); "+
		"several values, as in rho=.1,.5,1, make a grid")
	flags.StringVar(&f.from, "from", "",
		"continue from a checkpoint: RUN@STEP, RUN@selected, or RUN for its newest")
	flags.BoolVar(&f.inline, "inline", false, "train in this process, not in the background")
	flags.BoolVar(&f.dry, "dry-run", false, "list the missing runs of a study, and start nothing")
	flags.BoolVarP(&f.detach, "detach", "d", false, "start the runs and return at once")
	console.TakeAlone(c, "inline", "detach")
	tr.JSONFlag(c, "the result")
	tr.ExplainFlag(c)
	flags.StringVar(&f.live, "export-live", "", "write event files while this command "+
		"watches: tensorboard, into the folder tensorboard beside the runs")
	console.TakeAlone(c, "detach", "export-live")
	console.MustComplete(c, "algo", completeAlgorithms)
	console.MustComplete(c, "set", completeKeys)
	console.ReadsPresets(c)
	return c
}

// presetOrParent is a check for presets, or for --from in their place.
func (f *runFlags) presetOrParent(c *cobra.Command, args []string) error {
	if f.from == "" {
		return console.OneOrMore("a preset or a YAML file", "drolab run shapes")(c, args)
	}
	if len(args) > 0 {
		return fmt.Errorf("%s: --from takes its settings from the run; change them with --set",
			args[0])
	}
	return nil
}

// requests loads and checks everything that is to run, before anything is started.
func requests(
	tr *Trainer, c *cobra.Command, f *runFlags, names []string,
) ([]runner.Request, error) {
	if f.from != "" {
		r, err := fork(tr, c, f)
		if err != nil {
			return nil, err
		}
		return []runner.Request{r}, nil
	}
	var list []runner.Request
	for _, name := range names {
		p, err := presets.Load(name)
		if err != nil {
			return nil, err
		}
		specs, err := f.grid(c, &p)
		if err != nil {
			return nil, err
		}
		if err := f.trustNamed(tr, name, specs); err != nil {
			return nil, err
		}
		list = append(list, runner.Request{Preset: p.Name, Specs: specs, Parts: p.Parts()})
	}
	return list, nil
}

// grid returns the runs of a preset for every combination of the values in --set. They form one
// request, so that they share their data. Of equal runs, one remains.
func (f *runFlags) grid(c *cobra.Command, p *presets.Preset) (specs []spec.Spec, err error) {
	for _, set := range presets.Grid(f.set) {
		s := p.Spec
		if err := f.apply(c, &s, set); err != nil {
			return nil, err
		}
		if wrong := p.Check(&s); len(wrong) > 0 {
			return nil, wrong
		}
		for _, one := range s.Expand() { // equal assignments would make equal runs
			same := func(o spec.Spec) bool { return reflect.DeepEqual(o, one) }
			if !slices.ContainsFunc(specs, same) {
				specs = append(specs, one)
			}
		}
	}
	return specs, nil
}

// apply changes settings as assignments say, and then as the flags that have a name do.
func (f *runFlags) apply(c *cobra.Command, s *spec.Spec, assignments []string) error {
	var keys []string
	for _, assignment := range assignments {
		if err := presets.Set(s, assignment); err != nil {
			return fmt.Errorf("--set: %w", err)
		}
		key, _, _ := strings.Cut(assignment, "=")
		keys = append(keys, strings.TrimSpace(key))
	}
	changed := c.Flags().Changed
	if changed("algo") {
		s.Algorithms = nil
		for _, name := range f.algo {
			m, err := spec.FindMethod("--algo: algorithm", name)
			if err != nil {
				return err
			}
			s.Algorithms = append(s.Algorithms, m.Name)
		}
	}
	if changed("seeds") {
		s.Seeds = f.seeds
	}
	if changed("seed") {
		s.Seed = f.seed
	}
	if err := s.Unread(keys); err != nil {
		return fmt.Errorf("--set: %w", err)
	}
	return nil
}

// fork returns the request to continue from a checkpoint. It holds the checkpoint until the runs
// have their own copy.
func fork(tr *Trainer, c *cobra.Command, f *runFlags) (req runner.Request, err error) {
	parent, step, err := tr.FindAny(f.from)
	if err != nil {
		return req, fmt.Errorf("--from: %w", err)
	}
	f.release = parent.Hold()
	past, err := parent.Past(step)
	if err != nil {
		return req, fmt.Errorf("--from: %w", err)
	}
	s, err := past.Fork()
	if err != nil {
		return req, fmt.Errorf("--from: %w", err)
	}
	if err := f.apply(c, &s, f.set); err != nil {
		return req, err
	}
	if err := s.Validate(); err != nil {
		return req, err
	}
	tr.RunsDir = filepath.Dir(parent.Dir)
	return runner.Request{
		Preset: parent.Meta.Preset, Specs: s.Expand(),
		Parent: fmt.Sprintf("%s@%d", parent.Meta.ID, past.From.Step),
	}, nil
}

// train runs the requests to their end, goes on with other runs of the folder, and reports.
func (f *runFlags) train(
	ctx context.Context, tr *Trainer, requests []runner.Request, resumed []*record.Run,
) error {
	if f.live != "" && f.live != "tensorboard" {
		return fmt.Errorf("--export-live %s: expected tensorboard", cell.OneLine(f.live))
	}
	store, err := record.Open(tr.RunsDir)
	if err != nil {
		return err
	}
	if f.detach && !tr.hasEngine() {
		return errors.New("--detach: this system cannot leave runs in the background")
	}
	tr.noteHome()
	by := newExecutor(ctx, tr, store, f.inline)
	defer by.release()
	var ids, more []string
	var failed console.Failures
	by.showReading(tr, func() {
		if ids, err = f.start(requests, by.Start); err == nil {
			more, failed = resumeAll(tr, resumed, runner.OrderFunc(by.CarryOut).Resume)
		}
	})
	if err != nil { // the runs of earlier presets, if any, end with a record of it
		return errors.Join(append(by.end(ids), err)...)
	}
	ids = append(ids, more...)
	if len(ids) == 0 {
		return failed.OrNil()
	}
	if f.detach {
		return append(failed, by.printDetached(tr, ids)).OrNil()
	}
	return append(failed, by.follow(tr, ids, f.live != "")).OrNil()
}

// start starts the requests in order, until one is refused. After that the checkpoint of --from is
// released, because the runs have their own copy.
func (f *runFlags) start(
	requests []runner.Request, start func(runner.Request) ([]string, error),
) (ids []string, err error) {
	defer f.release()
	for _, r := range requests {
		started, err := start(r)
		if err != nil {
			return ids, err
		}
		ids = append(ids, started...)
	}
	return ids, nil
}
