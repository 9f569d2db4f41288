package run

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
)

func pauseCommand(tr *Trainer) *cobra.Command {
	return verbCommand(tr, runner.Pause, "Pause runs with a checkpoint; drolab resume continues "+
		"them", func(r *record.Run) bool { return r.Status() == runner.Paused })
}

func stopCommand(tr *Trainer) *cobra.Command {
	return verbCommand(tr, runner.Stop, "Stop runs with a checkpoint; drolab resume continues them",
		func(r *record.Run) bool { return r.Status().Ended() && !r.Held() })
}

// verbCommand returns a command that asks each run for which holds is not true yet, and waits
// until it is.
func verbCommand(
	tr *Trainer, verb runner.Verb, short string, holds func(*record.Run) bool,
) *cobra.Command {
	name := string(verb)
	var all bool
	c := &cobra.Command{
		Use:               name + " RUN...",
		Short:             short,
		Example:           "drolab " + name + " latest\ndrolab " + name + " --all",
		Args:              runsOrAll(&all, name),
		ValidArgsFunction: tr.CompleteRuns,
		RunE: func(_ *cobra.Command, args []string) error {
			runs, err := chooseRuns(tr, args, all, func(r *record.Run) bool {
				return !r.Status().Ended() && !holds(r)
			})
			if err != nil {
				return err
			}
			return sendToAll(tr, runs, verb, holds)
		},
	}
	c.Flags().BoolVar(&all, "all", false, "every run that this applies to")
	return c
}

// chooseRuns returns the named runs or, if all is set, the runs of the folder for which fits holds.
func chooseRuns(
	tr *Trainer, names []string, all bool, fits func(*record.Run) bool,
) ([]*record.Run, error) {
	if all {
		// drolab runs reports unreadable runs; they must not keep the user from the others.
		runs, _ := tr.Catalogue().List()
		runs = slices.DeleteFunc(runs, func(r *record.Run) bool { return !fits(r) })
		if len(runs) == 0 {
			fmt.Fprintln(tr.Stderr, "no run is in a state that this applies to")
		}
		return runs, nil
	}
	return findAll(names, tr.Find)
}

// sendToAll sends the request to all runs before it waits for the first one.
func sendToAll(
	tr *Trainer, runs []*record.Run, verb runner.Verb, holds func(*record.Run) bool,
) error {
	var list console.Failures
	var asked []*record.Run
	for _, r := range runs {
		if !holds(r) {
			if _, err := sendOrder(tr, r, runner.Order{Verb: verb}); err != nil {
				list = append(list, err)
				continue
			}
		}
		asked = append(asked, r)
	}
	for _, r := range asked {
		r, err := awaitRun(tr, r, holds)
		if err != nil {
			list = append(list, err)
			continue
		}
		if tr.PrintLine("run %s is %s", r.Meta.ID, tr.StatusLine(r)); !holds(r) {
			list = append(list, fmt.Errorf("run %s has already ended", r.Meta.ID))
		}
	}
	return list.OrNil()
}

// sendOrder sends an order to a run that has not ended.
func sendOrder(tr *Trainer, r *record.Run, o runner.Order) (step int64, err error) {
	switch {
	case r.Status() == runner.Done:
		return 0, fmt.Errorf("run %s is done", r.Meta.ID)
	case r.Status().Ended():
		return 0, fmt.Errorf("run %s is %s, not running: %s continues an unfinished run",
			r.Meta.ID, r.Status(), tr.HowToContinue(r))
	}
	o.Run = r.Meta.ID
	step, err = tr.client(filepath.Dir(r.Dir)).CarryOut(o)
	if r.Held() && errors.Is(err, runner.ErrNotRunning) {
		return 0, fmt.Errorf("%w: another process trains it (drolab run --inline?): ask it there",
			err)
	}
	return step, err
}

// awaitRun reads the run again until holds is true or the run has ended, and settles it on the
// disk. A run that waits for its disk may do nothing for a long time: that is an error.
func awaitRun(tr *Trainer, r *record.Run, holds func(*record.Run) bool) (*record.Run, error) {
	dir, id := filepath.Dir(r.Dir), r.Meta.ID
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	const every = 20 // ticks: each question to the engine is a connection
	for n := 1; !holds(r) && (!r.Status().Ended() || r.Held()); n++ {
		<-tick.C
		next, err := record.Find(dir, id)
		if err != nil {
			return nil, err
		}
		if r = next; n%every > 0 {
			continue
		}
		// On an error, the run's directory shows how the run ends.
		if s, err := tr.client(dir).Status(); err == nil {
			remedy := func(id string) string {
				return "then continue with " + tr.PlaceOf(dir).Command("drolab resume "+id)
			}
			lines := newTroubles(s.Runs, []string{id}, map[string]string{}, remedy)
			if len(lines) > 0 {
				return nil, errors.New(lines[0])
			}
		}
	}
	return r, r.Settle()
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
