package run

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/cli/console"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

// The requests to a live run. Where the engine only passes a request on to the run, the command
// waits until the run's directory shows that it is done. Before it reports that, it brings to the
// disk what it has read there.

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
			fmt.Fprintln(tr.Stderr, "this applies to no run now")
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
		if tr.PrintLine("run %s is %s", r.Meta.ID, console.StatusLine(r)); !holds(r) {
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
			r.Meta.ID, r.Status(), r.Meta.HowToContinue())
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
			const remedy = "then continue with drolab resume %s"
			lines := newTroubles(s.Runs, []string{id}, map[string]string{}, remedy)
			if len(lines) > 0 {
				return nil, errors.New(lines[0])
			}
		}
	}
	return r, r.Settle()
}

func knobCommand(tr *Trainer) *cobra.Command {
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
			if _, err := sendOrder(tr, r, o); err != nil {
				return err
			}
			tr.PrintLine("run %s: %s=%s takes effect at the next step", r.Meta.ID, key, value)
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

func checkpointCommand(tr *Trainer) *cobra.Command {
	var pin, unpin bool
	c := &cobra.Command{
		Use: "checkpoint RUN|RUN@STEP", Short: "Save a checkpoint of a live run, or pin one",
		Long: `Save a checkpoint of a live run. Runs keep their newest checkpoints (checkpoint_keep). --pin
keeps one for good: that of STEP or, without a step, the one saved now or last. --unpin
releases it. The checkpoint that a run was forked from is pinned automatically. drolab show RUN
lists them.`,
		Example:           "drolab checkpoint latest --pin\ndrolab checkpoint latest@1200 --unpin",
		Args:              console.One("a run", "drolab checkpoint latest"),
		ValidArgsFunction: tr.CompleteRuns,
		RunE: func(_ *cobra.Command, args []string) error {
			r, step, err := tr.FindAny(args[0])
			switch {
			case err != nil:
				return err
			case pin:
				return pinAt(tr, r, step)
			case unpin:
				return unpinAt(tr, r, step)
			case step >= 0:
				return fmt.Errorf("%s: a step names a checkpoint that exists: add --pin or "+
					"--unpin, or leave the step out", args[0])
			}
			saved, err := save(tr, r)
			if err == nil {
				tr.PrintLine("run %s is saved at step %d of %d: drolab run --from %s@%d",
					r.Meta.ID, saved, r.Meta.Steps, r.Meta.ID, saved)
			}
			return err
		},
	}
	c.Flags().BoolVar(&pin, "pin", false, "keep the checkpoint for good")
	c.Flags().BoolVar(&unpin, "unpin", false, "release a pinned checkpoint")
	c.MarkFlagsMutuallyExclusive("pin", "unpin")
	return c
}

// save makes sure that the present state has a checkpoint, and returns its step. If the run is in a
// long step, save waits for the checkpoint after it.
func save(tr *Trainer, r *record.Run) (step int64, err error) {
	before, _, err := r.Saved()
	if err != nil {
		return 0, err
	}
	step, err = sendOrder(tr, r, runner.Order{Verb: runner.Checkpoint})
	if !errors.Is(err, runner.ErrSlow) {
		return step, err
	}
	now := before
	newer := func(r *record.Run) bool {
		if s, ok, err := r.Saved(); err == nil && ok {
			now = s
		}
		return now != before
	}
	if r, err = awaitRun(tr, r, newer); err == nil && now == before {
		err = fmt.Errorf("run %s is %s: it ended before it was saved", r.Meta.ID, r.Status())
	}
	return now.Step, err
}

// pinAt pins the checkpoint of a step. For step -1 it pins a checkpoint of the present state or, if
// the run has ended, its last checkpoint. A run that saves often may remove a checkpoint before it
// is pinned; then its successor is pinned.
func pinAt(tr *Trainer, r *record.Run, step int64) (err error) {
	if step >= 0 {
		err = r.Pin(step)
	} else {
		if !r.Status().Ended() {
			if _, err := save(tr, r); err != nil {
				return err
			}
		}
		step, err = pinNewest(r)
	}
	if err == nil {
		tr.PrintLine("run %s keeps the checkpoint of step %d for good: drolab run --from %s@%d",
			r.Meta.ID, step, r.Meta.ID, step)
	}
	return err
}

func pinNewest(r *record.Run) (step int64, err error) {
	const tries = 100
	for range tries {
		newest, ok, e := r.Saved()
		if e == nil && !ok {
			return 0, fmt.Errorf("run %s has no checkpoint yet", r.Meta.ID)
		}
		if e == nil {
			e = r.Pin(newest.Step)
		}
		if err = e; err == nil || !errors.Is(err, fs.ErrNotExist) {
			return newest.Step, err
		}
	}
	return 0, err
}

func unpinAt(tr *Trainer, r *record.Run, step int64) error {
	pinned, err := r.Pinned()
	switch {
	case err != nil:
		return err
	case len(pinned) == 0:
		return fmt.Errorf("run %s has no pinned checkpoint", r.Meta.ID)
	case step < 0:
		return fmt.Errorf("give a checkpoint, as in %s@STEP: pinned are %v", r.Meta.ID, pinned)
	}
	if err := r.Unpin(step); err != nil {
		return err
	}
	tr.PrintLine("run %s: the checkpoint of step %d is no longer pinned", r.Meta.ID, step)
	return nil
}

func labelCommand(tr *Trainer) *cobra.Command {
	var note string
	var tags []string
	var archive, back bool
	c := &cobra.Command{
		Use: "label RUN...", Short: "Label runs with a note or tags, or archive them",
		Long: `Label runs. A note is one line of text, a tag one word; --tag=-WORD removes a tag. Archived
runs stay where they are, but the Runs page lists them only if its filter has archived:true.
Labels are kept in label.json in the run's folder, which training never reads. Without flags
the command prints the labels.`,
		Example: "drolab label latest --note 'the good one' --tag paper\n" +
			"drolab label latest --tag=-paper --archive",
		Args:              console.OneOrMore("a run", "drolab label latest --tag paper"),
		ValidArgsFunction: tr.CompleteRuns,
		RunE: func(c *cobra.Command, args []string) error {
			change := func(l *record.Label) {
				if c.Flags().Changed("note") {
					l.Note = strings.TrimSpace(note)
				}
				l.EditTags(tags)
				l.Archived = (l.Archived || archive) && !back
			}
			if text := append([]string{note}, tags...); !utf8.ValidString(strings.Join(text, " ")) {
				return fmt.Errorf("%q: a note and tags must be UTF-8", text)
			}
			return console.TryAll(args, func(id string) error {
				r, err := tr.Find(id)
				if err == nil && c.Flags().NFlag() > 0 {
					err = r.Relabel(change)
				}
				if err == nil {
					r, err = tr.Find(r.Meta.ID)
				}
				if err == nil {
					tr.PrintLine("%s: %s", r.Meta.ID, cmp.Or(r.Label().String(), "no label"))
				}
				return err
			})
		},
	}
	f := c.Flags()
	f.StringVar(&note, "note", "", "one line of text; '' removes it")
	f.StringSliceVar(&tags, "tag", nil, "a word to add, or -WORD to remove it")
	f.BoolVar(&archive, "archive", false, "archive the run")
	f.BoolVar(&back, "unarchive", false, "bring the run back from the archive")
	c.MarkFlagsMutuallyExclusive("archive", "unarchive")
	return c
}

func deleteCommand(tr *Trainer) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "delete RUN...", Short: "Delete runs for good, with their checkpoints",
		Long: `Delete runs for good: curves, checkpoints and figures. The command asks first, unless --yes is
given. It refuses a live run: stop it first.`,
		Example:           "drolab delete latest",
		Args:              console.OneOrMore("some runs", "drolab delete latest"),
		ValidArgsFunction: tr.CompleteRuns,
		RunE: func(_ *cobra.Command, args []string) error {
			runs, err := findAll(args, tr.Find)
			if err != nil {
				return err
			}
			if !yes {
				if err := confirm(tr, runs); err != nil {
					return err
				}
			}
			return console.TryAll(runs, func(r *record.Run) error {
				err := record.Delete(filepath.Dir(r.Dir), r.Meta.ID)
				if err == nil {
					tr.PrintLine("run %s is deleted", r.Meta.ID)
				}
				return err
			})
		},
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

// confirm asks the user to confirm that the runs are deleted, and fails without a yes. If nobody
// can be asked, the runs stay.
func confirm(tr *Trainer, runs []*record.Run) error {
	for _, r := range runs {
		fmt.Fprintf(tr.Stderr, "  %s  %s\n", console.Clean(r.Meta.ID),
			console.OneLine(console.StatusLine(r)))
	}
	fmt.Fprintf(tr.Stderr, "Delete %s for good? Type yes: ", kit.Plural(len(runs), "run"))
	if tr.Stdin == nil {
		return errors.New("no terminal to ask on: use --yes to delete without asking")
	}
	answer, _ := bufio.NewReader(tr.Stdin).ReadString('\n') // no answer is not a yes
	if strings.ToLower(strings.TrimSpace(answer)) != "yes" {
		return errors.New("nothing deleted: the answer was not yes (--yes skips the question)")
	}
	return nil
}
