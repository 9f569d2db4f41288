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
	"drolab/runner/lists"
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

// Progress reads the state of a sweep, again and again. It reads a finished run only once. It
// belongs to one goroutine.
type Progress struct {
	*Folder
	done map[int]State
	// present has the names of the folder's entries while States looks at all runs, so that none of
	// ten thousand runs that have not begun is looked for.
	present map[string]bool
	names   []string // names of the last Result
	// Live has the runs that have not ended, as found by States.
	Live []*record.Run
}

// NewProgress returns a Progress of the folder.
func NewProgress(f *Folder) *Progress { return &Progress{Folder: f, done: map[int]State{}} }

// States returns the state of each run, by index.
func (l *Progress) States() ([]State, error) {
	stages, err := l.stages()
	if err != nil {
		return nil, err
	}
	if l.present, err = names(l.Dir, l.ownPath()); err != nil {
		return nil, err
	}
	defer func() { l.present = nil }()
	l.Live = nil
	list := make([]State, len(l.List.Runs))
	for i := range list {
		list[i] = l.State(i)
		stages.markState(i, &list[i])
	}
	return list, nil
}

// State returns the state of run i, without regard to rungs.
func (l *Progress) State(i int) State {
	if s, ok := l.done[i]; ok {
		return s
	}
	id := l.List.Runs[i].ID
	if l.present != nil && !l.present[id] && !l.present[refusedPrefix+id] {
		return State{Status: Missing}
	}
	r, err := l.Find(i)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if why := l.refusalCause(i); why != "" {
			return State{Status: runner.Failed, Cause: "could not begin: " + strings.TrimSpace(why)}
		}
		return State{Status: Missing}
	case err != nil:
		return State{Status: runner.Failed, Cause: "cannot be read: " + err.Error(), Damage: err}
	}
	return l.stateOf(i, r)
}

// AddFinished takes the finished runs from a list of the folder's runs, such as a catalogue has at
// hand: none of these is read again.
func (l *Progress) AddFinished(runs []*record.Run) {
	at := make(map[string]int, len(l.List.Runs))
	for i := range l.List.Runs {
		at[l.List.Runs[i].ID] = i
	}
	for _, r := range runs {
		if i, ours := at[r.Meta.ID]; ours && r.Status() == runner.Done {
			l.stateOf(i, r)
		}
	}
}

// stateOf returns the state of run i, and remembers it if the run is done.
func (l *Progress) stateOf(i int, r *record.Run) State {
	s := State{r.Status(), r.Summary().Cause, l.result(r), r.PassedOver()}
	if s.Damage != nil {
		s.Cause = strings.TrimPrefix(s.Cause+"; "+s.Damage.Error(), "; ")
	}
	switch {
	case s.Status == runner.Done:
		l.done[i] = s
	case l.present != nil && !s.Status.Ended():
		l.Live = append(l.Live, r)
	}
	return s
}

// names returns the names of the entries of folders.
func names(dirs ...string) (map[string]bool, error) {
	all := map[string]bool{}
	for _, dir := range dirs {
		list, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // a dry run makes no sweep
			return nil, err
		}
		for _, entry := range list {
			all[entry.Name()] = true
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

// Complete reports whether nothing is left to do: every run is done, dropped or failed.
func Complete(states []State) bool {
	return !slices.ContainsFunc(states, func(s State) bool {
		return s.Status != runner.Done && s.Status != Dropped && s.Status != runner.Failed
	})
}

// Grown reports whether the folder's list is another than the list that l has read: somebody has
// added runs.
func (l *Progress) Grown() bool {
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
	loss   measure.Number   // val_loss at that step, for ties
}

// testMeasures are the measures of the test split in a table, as they are called where parts are
// classes.
var testMeasures = []string{"worst_class_accuracy", "test_accuracy", "test_loss", "robust_risk"}

// result takes the figures that a sweep needs from a record.
func (l *Progress) result(r *record.Run) *Result {
	sum, meta := r.Summary(), &r.Meta
	by, _ := meta.Selector()
	names := append([]string{by.Name}, lists.Map(testMeasures, meta.MeasureFor)...)
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
	results := &sum.Results
	if sum.Selected != nil {
		results = &sum.Selected.Results
	}
	s.values, s.loss = lists.Map(names, results.Named), results.Named("val_loss")
	return s
}

// selector returns the measure that the run is chosen by; ok is false without one.
func (r *Result) selector() (m measure.Measure, ok bool) { return measure.FindMeasure(r.names[0]) }

// validation returns the value of that measure (NaN without one), and whether more of it is better.
func (r *Result) validation() (value float64, better dro.Sense) {
	m, ok := r.selector()
	if !ok {
		return math.NaN(), better
	}
	return r.values[0].Float(), m.Better
}
