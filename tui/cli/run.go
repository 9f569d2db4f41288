package cli

import (
	"context"
	"fmt"
	"strings"

	"drolab/dro"
	"drolab/presets"
	"drolab/runner"
	"drolab/runner/record"

	"github.com/spf13/cobra"
)

// runFlags are the flags of `run`, in the order in which they are applied to a
// preset: --set first, then the flags that have a name.
type runFlags struct {
	set    []string
	algo   []string
	seeds  int
	seed   uint64
	inline bool
	json   bool
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use: "run PRESET|FILE...", Short: "Train what a preset says, and record it",
		Long: `Train what presets (see drolab presets) or your own YAML files say: every algorithm with every
seed is one run, with a directory of its own that keeps everything. Ctrl-C stops the runs with a
checkpoint; drolab resume goes on from there.`,
		Example: `drolab run shapes
drolab run shapes --algo sfk,erm --seeds 3 --set rho=1 --set c=auto
drolab run my-experiment.yaml --json`,
		Args:              atLeastOne("a preset or a YAML file", "drolab run shapes"),
		ValidArgsFunction: completePresets,
		RunE: func(c *cobra.Command, args []string) error {
			requests, err := f.requests(c, args)
			if err != nil {
				return err
			}
			return a.train(c.Context(), requests, f.json)
		},
	}
	flags := c.Flags()
	flags.StringSliceVar(&f.algo, "algo", nil, "algorithms: some of sfk,pgd,pan,erm")
	flags.IntVar(&f.seeds, "seeds", 0, "how many seeds each algorithm gets")
	flags.Uint64Var(&f.seed, "seed", 0, "the first seed")
	flags.StringArrayVar(&f.set, "set", nil, "change a setting, as in rho=0.5 (repeatable)")
	flags.BoolVar(&f.inline, "inline", false, "train in this process (as it always does for now)")
	flags.BoolVar(&f.json, "json", false, "print the result as JSON")
	mustComplete(c, "algo", completeAlgorithms)
	mustComplete(c, "set", completeKeys)
	return c
}

// requests loads and checks everything that is to run, before anything does.
func (f *runFlags) requests(c *cobra.Command, names []string) ([]runner.Request, error) {
	var list []runner.Request
	for _, name := range names {
		p, err := presets.Load(name)
		if err != nil {
			return nil, err
		}
		if err := f.apply(c, &p.Spec); err != nil {
			return nil, err
		}
		if err := p.Spec.Validate(); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		list = append(list, runner.Request{Preset: p.Name, Specs: p.Spec.Expand()})
	}
	return list, nil
}

func (f *runFlags) apply(c *cobra.Command, s *runner.Spec) error {
	for _, assignment := range f.set {
		if err := presets.Set(s, assignment); err != nil {
			return fmt.Errorf("--set %w", err)
		}
	}
	changed := c.Flags().Changed
	if changed("algo") {
		s.Algorithms = nil
		for _, name := range f.algo {
			algorithm, err := dro.ParseAlgorithm(name)
			if err != nil {
				return fmt.Errorf("--algo: %w", err)
			}
			s.Algorithms = append(s.Algorithms, algorithm)
		}
	}
	if changed("seeds") {
		s.Seeds = f.seeds
	}
	if changed("seed") {
		s.Seed = f.seed
	}
	return nil
}

// train runs the requests to their end and reports.
func (a *app) train(ctx context.Context, requests []runner.Request, asJSON bool) error {
	store, err := record.Open(a.runs)
	if err != nil {
		return err
	}
	ctx, cancel := a.Orderly(ctx)
	defer cancel()
	q := runner.NewQueue(ctx, a.settings(store))
	var ids []string
	for _, r := range requests {
		started, err := q.Start(r)
		if err != nil {
			cancel() // the runs of earlier presets, if any, end with a record of it
			q.Wait()
			return err
		}
		ids = append(ids, started...)
	}
	return a.follow(q, store.Dir(), ids, asJSON)
}

func (a *app) settings(store *record.Store) runner.Settings {
	return runner.Settings{Store: store, Host: host(), DataDir: a.data, Threads: a.threads}
}

// follow shows the runs until all have ended, and reports.
func (a *app) follow(q *runner.Queue, dir string, ids []string, asJSON bool) error {
	ended := make(chan []runner.Outcome, 1)
	go func() { ended <- q.Wait() }()
	outcomes := a.watch(dir, ids, ended)
	runs, err := findAll(dir, ids)
	if err != nil {
		return err
	}
	if err := a.report(runs, asJSON); err != nil {
		return err
	}
	return notDone(runs, outcomes)
}

func findAll(dir string, ids []string) ([]*record.Run, error) {
	var runs []*record.Run
	for _, id := range ids {
		r, err := record.Find(dir, id)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// notDone says which runs are not done, why, and how to go on. The cause is
// the outcome's own: a full disk keeps it from the record.
func notDone(runs []*record.Run, outcomes []runner.Outcome) error {
	ended := map[string]runner.Outcome{}
	for _, o := range outcomes {
		ended[o.ID] = o
	}
	var list failures
	for _, r := range runs {
		id := r.Meta.ID
		switch o := ended[id]; {
		case o.Err != nil:
			cause, _, _ := strings.Cut(o.Err.Error(), "\n") // a panic's goes on with its stack
			list = append(list, fmt.Errorf("run %s failed: %s", id, cause))
		case o.Status != runner.Done:
			list = append(list, fmt.Errorf("run %s is %s at step %d of %d: go on with drolab resume %s",
				id, o.Status, r.Summary().Steps, r.Meta.Steps, id))
		}
	}
	return list.orNil()
}
