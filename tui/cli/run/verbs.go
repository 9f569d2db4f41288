package run

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/cli/console"
	"drolab/tui/cli/trainer"

	"github.com/spf13/cobra"
)

// The requests to a live run. Where the engine only passes a request on to the run, the command
// waits until the run's directory shows that it is done. Before it reports that, it brings to the
// disk what it has read there.

func pauseCommand(tr *trainer.Trainer) *cobra.Command {
	return verbCommand(tr, runner.Pause, "Pause runs with a checkpoint; drolab resume continues "+
		"them",
		func(r *record.Run) bool { return r.Status() == runner.Paused })
}

func stopCommand(tr *trainer.Trainer) *cobra.Command {
	return verbCommand(tr, runner.Stop, "Stop runs with a checkpoint; drolab resume continues them",
		func(r *record.Run) bool { return r.Status().Ended() && !r.Held() })
}

// verbCommand returns a command that asks each run for which so does not hold yet, and waits until
// so holds.
func verbCommand(
	tr *trainer.Trainer, asks runner.Verb, short string, so func(*record.Run) bool,
) *cobra.Command {
	verb := string(asks)
	var all bool
	c := &cobra.Command{
		Use:               verb + " RUN...",
		Short:             short,
		Example:           "drolab " + verb + " latest\ndrolab " + verb + " --all",
		Args:              runsOrAll(&all, verb),
		ValidArgsFunction: tr.CompleteRuns,
		RunE: func(_ *cobra.Command, args []string) error {
			runs, err := chosen(tr, args, all, func(r *record.Run) bool {
				return !r.Status().Ended() && !so(r)
			})
			if err != nil {
				return err
			}
			return askAll(tr, runs, asks, so)
		},
	}
	c.Flags().BoolVar(&all, "all", false, "every run that this applies to")
	return c
}

// chosen returns the named runs or, if all is set, the runs of the folder for which fits holds.
func chosen(
	tr *trainer.Trainer, names []string, all bool, fits func(*record.Run) bool,
) ([]*record.Run, error) {
	if all {
		// drolab runs reports unreadable runs; they must not keep the user from the others.
		runs, _ := tr.Catalogue().List()
		runs = slices.DeleteFunc(runs, func(r *record.Run) bool { return !fits(r) })
		if len(runs) == 0 {
			fmt.Fprintln(tr.Stderr, "this applies to no run now")
		}
		return runs, nil
	}
	var runs []*record.Run
	for _, name := range names {
		r, err := tr.Find(name)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// askAll sends the request to all runs before it waits for the first one.
func askAll(
	tr *trainer.Trainer, runs []*record.Run, verb runner.Verb, so func(*record.Run) bool,
) error {
	var list console.Failures
	var asked []*record.Run
	for _, r := range runs {
		if !so(r) {
			if _, err := askRun(tr, r, runner.Order{Verb: verb}); err != nil {
				list = append(list, err)
				continue
			}
		}
		asked = append(asked, r)
	}
	for _, r := range asked {
		r, err := awaitRun(tr, r, so)
		if err != nil {
			list = append(list, err)
			continue
		}
		if tr.Say("run %s is %s", r.Meta.ID, console.StatusLine(r)); !so(r) {
			list = append(list, fmt.Errorf("run %s has already ended", r.Meta.ID))
		}
	}
	return list.OrNil()
}

// askRun sends an order to a run that has not ended.
func askRun(tr *trainer.Trainer, r *record.Run, o runner.Order) (step int64, err error) {
	if r.Status().Ended() {
		return 0, fmt.Errorf("run %s is %s, not running: drolab resume %s continues an "+
			"unfinished run", r.Meta.ID, r.Status(), r.Meta.ID)
	}
	o.Run = r.Meta.ID
	step, err = tr.Client(filepath.Dir(r.Dir)).Do(o)
	if r.Held() && errors.Is(err, runner.ErrNotRunning) {
		return 0, fmt.Errorf("%w: another process trains it (drolab run --inline?): ask it there",
			err)
	}
	return step, err
}

// awaitRun reads the run again until so holds or the run has ended, and settles it on the disk. A
// run that waits for its disk may do nothing for a long time: that is an error.
func awaitRun(tr *trainer.Trainer, r *record.Run, so func(*record.Run) bool) (*record.Run, error) {
	dir, id := filepath.Dir(r.Dir), r.Meta.ID
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	const every = 20 // ticks: each question to the engine is a connection
	for n := 1; !so(r) && (!r.Status().Ended() || r.Held()); n++ {
		<-tick.C
		next, err := record.Find(dir, id)
		if err != nil {
			return nil, err
		}
		if r = next; n%every > 0 {
			continue
		}
		// On an error, the run's directory shows how the run ends.
		if s, err := tr.Client(dir).Status(); err == nil {
			const remedy = "then continue with drolab resume %s"
			lines := troubles(s.Runs, []string{id}, map[string]string{}, remedy)
			if len(lines) > 0 {
				return nil, errors.New(lines[0])
			}
		}
	}
	return r, r.Settle()
}

func knobCommand(tr *trainer.Trainer) *cobra.Command {
	return &cobra.Command{
		Use: "knob RUN KEY=VALUE", Short: "Change a setting of a live run",
		Long: `Change a setting of a live run from its next step on: lr, or another setting that its method
reads (an error lists them). The value is a number or auto. The change is logged, and a resumed
run repeats it at the same step.`,
		Example: "drolab knob latest lr=0.003",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 2 && strings.Contains(args[1], "=") {
				return nil
			}
			return fmt.Errorf("give a run and a setting: drolab knob latest lr=0.003")
		},
		ValidArgsFunction: tr.CompleteRuns,
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := tr.Find(args[0])
			if err != nil {
				return err
			}
			key, value, _ := strings.Cut(args[1], "=")
			key, value = strings.TrimSpace(key), strings.TrimSpace(value)
			o := runner.Order{Verb: runner.Knob, Key: key, Value: value}
			if _, err := askRun(tr, r, o); err != nil {
				return err
			}
			tr.Say("run %s: %s=%s takes effect at the next step", r.Meta.ID, key, value)
			return nil
		},
	}
}

// runsOrAll returns a check for names of runs, or --all in their place.
func runsOrAll(all *bool, verb string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if *all != (len(args) > 0) {
			return nil
		}
		return fmt.Errorf("give runs, or --all: drolab %s latest", verb)
	}
}
