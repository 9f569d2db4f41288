package sweep

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/record"
)

// Statuses of the runs of a sweep, besides those that any run has.
const (
	Missing runner.Status = "missing" // it has not begun
	Dropped runner.Status = "dropped" // a rung has ended it: others were better by validation
	Waiting runner.Status = "waiting" // it has reached a rung, and others have not
)

// State is the state of a run of the list.
type State struct {
	Status runner.Status
	// Cause says why the run failed, could not begin, or waits.
	Cause  string
	Result *Result // nil: there is no run
	// Damage is the damage of the run's files; nil: all were read. The figures lack the damaged
	// parts.
	Damage error
}

// Steps returns the steps done and planned; 0 of 0 before the run has begun.
func (s *State) Steps() (done, planned int64) {
	if s.Result == nil {
		return 0, 0
	}
	return s.Result.Steps, s.Result.Planned
}

// Look reads the state of a sweep, again and again. It reads a finished run only once. It belongs
// to one goroutine.
type Look struct {
	*Folder
	done map[int]State
	// there has the names of the folder's entries while States looks at all runs, so that none of
	// ten thousand runs that have not begun is looked for.
	there map[string]bool
	names []string // names of the last Result
	// Live has the runs that have not ended, as found by States.
	Live []*record.Run
}

// NewLook returns a Look of the folder.
func NewLook(f *Folder) *Look { return &Look{Folder: f, done: map[int]State{}} }

// States returns the state of each run, by index.
func (l *Look) States() ([]State, error) {
	stages, err := l.stages()
	if err != nil {
		return nil, err
	}
	if l.there, err = names(l.Dir, l.own()); err != nil {
		return nil, err
	}
	defer func() { l.there = nil }()
	l.Live = nil
	list := make([]State, len(l.List.Runs))
	for i := range list {
		list[i] = l.State(i)
		stages.mark(i, &list[i])
	}
	return list, nil
}

// State returns the state of run i, without regard to rungs.
func (l *Look) State(i int) State {
	if s, ok := l.done[i]; ok {
		return s
	}
	id := l.List.Runs[i].ID
	if l.there != nil && !l.there[id] && !l.there[refusedPrefix+id] {
		return State{Status: Missing}
	}
	r, err := l.Find(i)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if why := l.refused(i); why != "" {
			return State{Status: runner.Failed, Cause: "could not begin: " + strings.TrimSpace(why)}
		}
		return State{Status: Missing}
	case err != nil:
		return State{Status: runner.Failed, Cause: "cannot be read: " + err.Error(), Damage: err}
	}
	return l.take(i, r)
}

// Known takes the finished runs from a list of the folder's runs, such as a catalogue has at hand:
// none of these is read again.
func (l *Look) Known(runs []*record.Run) {
	at := make(map[string]int, len(l.List.Runs))
	for i := range l.List.Runs {
		at[l.List.Runs[i].ID] = i
	}
	for _, r := range runs {
		if i, ours := at[r.Meta.ID]; ours && r.Status() == runner.Done {
			l.take(i, r)
		}
	}
}

// take returns the state of run i, and remembers it if the run is done.
func (l *Look) take(i int, r *record.Run) State {
	s := State{r.Status(), r.Summary().Cause, l.result(r), r.PassedOver()}
	if s.Damage != nil {
		s.Cause = strings.TrimPrefix(s.Cause+"; "+s.Damage.Error(), "; ")
	}
	switch {
	case s.Status == runner.Done:
		l.done[i] = s
	case l.there != nil && !s.Status.Ended():
		l.Live = append(l.Live, r)
	}
	return s
}

// names returns the names of the entries of folders.
func names(dirs ...string) (map[string]bool, error) {
	all := map[string]bool{}
	for _, dir := range dirs {
		d, err := os.Open(dir)
		if errors.Is(err, fs.ErrNotExist) { // the sweep is not made, as in a dry run
			continue
		}
		if err != nil {
			return nil, err
		}
		list, err := d.Readdirnames(-1)
		d.Close()
		if err != nil {
			return nil, err
		}
		for _, name := range list {
			all[name] = true
		}
	}
	return all, nil
}

// Count counts the runs in each state.
func Count(states []State) map[runner.Status]int {
	n := map[runner.Status]int{}
	for _, s := range states {
		n[s.Status]++
	}
	return n
}

// Over reports whether nothing is left to do: every run is done, dropped or failed.
func Over(states []State) bool {
	return !slices.ContainsFunc(states, func(s State) bool {
		return s.Status != runner.Done && s.Status != Dropped && s.Status != runner.Failed
	})
}

// Grown reports whether the folder's list is another than the list that l has read: somebody has
// added runs.
func (l *Look) Grown() bool {
	info, err := os.Stat(filepath.Join(l.Dir, listName))
	return err == nil && !(os.SameFile(info, l.read) && info.ModTime().Equal(l.read.ModTime()))
}

// Result has the figures of a run that a sweep needs, as they are so far. It has a hundredth of the
// record's size, because a look at ten thousand runs keeps ten thousand of them.
type Result struct {
	Epochs         float64 // done
	Steps, Planned int64
	perEpoch       int64          // steps of an epoch
	seconds        measure.Number // spent in training steps
	// names has the measure that the run is chosen by ("" for none), then the measures of the test
	// split, by their names for the run's data. Runs with equal names share them.
	names  []string
	values []measure.Number // of names, at the step that the run has chosen
}

// measured are the measures of the test split in a table, as they are called where parts are
// classes.
var measured = []string{"worst_class_accuracy", "test_accuracy", "test_loss", "robust_risk"}

// result takes the figures that a sweep needs from a record.
func (l *Look) result(r *record.Run) *Result {
	sum, meta := r.Summary(), &r.Meta
	by, _ := meta.Selector()
	names := []string{by.Name}
	for _, name := range measured {
		names = append(names, meta.Fit(name))
	}
	if !slices.Equal(names, l.names) {
		l.names = names
	}
	s := &Result{
		Epochs:   sum.Epochs,
		Steps:    sum.Steps,
		Planned:  meta.Steps,
		perEpoch: meta.StepsPerEpoch,
		names:    l.names,
	}
	if v := sum.ImagesPerSecond; v.Applies() && v.Float() > 0 {
		s.seconds = measure.Num(float64(sum.Steps) * float64(meta.Spec.Batch) / v.Float())
	}
	for _, name := range names {
		if sum.Selected != nil {
			s.values = append(s.values, sum.Selected.Of(name))
		} else {
			s.values = append(s.values, sum.Of(name))
		}
	}
	return s
}

// by returns the measure that the run is chosen by; ok is false without one.
func (r *Result) by() (m measure.Measure, ok bool) { return measure.FindMeasure(r.names[0]) }

// validation returns the value of that measure (NaN without one), and whether more of it is better.
func (r *Result) validation() (value float64, better dro.Sense) {
	m, ok := r.by()
	if !ok {
		return math.NaN(), better
	}
	return r.values[0].Float(), m.Better
}
