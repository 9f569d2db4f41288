package sweep

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/data"
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

// measured are the measures of the test split in a table, as they are called where parts are
// classes.
var measured = []string{"worst_class_accuracy", "test_accuracy", "test_loss", "robust_risk"}

// result takes the figures that a sweep needs from a record.
func (l *Progress) result(r *record.Run) *Result {
	sum, meta := r.Summary(), &r.Meta
	by, _ := meta.Selector()
	names := append([]string{by.Name}, data.Map(measured, meta.MeasureFor)...)
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
	s.values, s.loss = data.Map(names, results.Named), results.Named("val_loss")
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

// Overview is the progress of a sweep, setting by setting. It has no figure of the test split.
type Overview struct {
	By       measure.Measure // of the choice of settings; without a name while no run has begun
	Points   []Point         // by setting
	Counts   map[runner.Status]int
	Troubles []Trouble
	// Done and Planned are the epochs of all runs. Planned includes the epochs of failed runs, but
	// not the epochs that a rung will drop.
	Done, Planned float64
}

// Point is one setting.
type Point struct {
	Algorithm dro.Algorithm
	Label     string                     // the method, and the values that it reads
	Values    map[string]json.RawMessage // of the varying settings that the method reads
	Runs      []int                      // indices in the list, by seed
	Status    runner.Status              // the first in urgency of its runs' statuses
	Value     measure.Number             // mean of By over the seeds that have a value
	Seeds     []Seed                     // one for each of Runs
	Chosen    bool                       // whether it is the best finished setting of its method
}

// Seed is one run of a Point.
type Seed struct {
	*Run
	*State
	Value         measure.Number // value of By at the step that the run has chosen
	Epochs, Whole float64        // epochs done, and epochs of the whole run
}

// Trouble is a run that failed, was lost or put back into a queue, or waits for
// something, and why.
type Trouble struct {
	Run    int
	ID     string
	Label  string
	Seed   uint64
	Status runner.Status
	Cause  string
}

// Troubles lists the runs that are not as they should be, in the order of the list. A person has to
// know of them, or should see that a cluster knows of them.
func (l *List) Troubles(states []State) (list []Trouble) {
	for i, s := range states {
		if s.Cause == "" || s.Status == Dropped || s.Status == Waiting {
			continue
		}
		r := &l.Runs[i]
		list = append(list, Trouble{i, r.ID, l.Label(r), r.Seed, s.Status, s.Cause})
	}
	return list
}

// urgency orders statuses. A setting has the first of them that one of its runs has.
var urgency = []runner.Status{runner.Failed, runner.Running, runner.Paused, runner.Interrupted,
	runner.Stopped, runner.Queued, Waiting, Missing, Dropped, runner.Done}

// Overview makes an overview of the states that States returned.
func (l *Progress) Overview(states []State) (*Overview, error) {
	o := &Overview{Counts: Count(states), Troubles: l.List.Troubles(states)}
	for _, settings := range l.List.byMethod() {
		ranked := l.rank(settings, func(i int, _ *State) bool {
			return states[i].Status == runner.Done
		})
		for i := range settings {
			p := l.point(&settings[i], states, o)
			p.Chosen = len(ranked) > 0 && ranked[0].Setting == settings[i].Setting
			o.Points = append(o.Points, p)
		}
	}
	return o, l.extent(o, states)
}

func (l *Progress) point(s *setting, states []State, o *Overview) Point {
	r := &l.List.Runs[s.runs[0]]
	p := Point{Algorithm: s.Algorithm, Label: l.List.Label(r), Values: r.Values, Runs: s.runs,
		Status: runner.Done}
	sum, n := 0.0, 0
	for _, i := range s.runs {
		one := Seed{Run: &l.List.Runs[i], State: &states[i], Whole: l.epochs(i)}
		if r := one.Result; r != nil {
			one.Epochs = r.Epochs
			value, _ := r.validation()
			if one.Value = measure.Known(value); one.Value.Applies() {
				sum, n = sum+value, n+1
			}
			if by, ok := r.selector(); ok {
				o.By = by
			}
		}
		if slices.Index(urgency, one.Status) < slices.Index(urgency, p.Status) {
			p.Status = one.Status
		}
		p.Seeds = append(p.Seeds, one)
	}
	p.Value = measure.NumIf(n > 0, sum/float64(n))
	return p
}

// epochs returns the number of epochs that run i has in all.
func (l *Progress) epochs(i int) float64 {
	n := l.List.Base.Epochs
	if v, ok := l.List.Runs[i].Values["epochs"]; ok {
		json.Unmarshal(v, &n) // Parse has assigned it before
	}
	return float64(n)
}

// extent counts epochs. A rung that has not decided yet contributes its share of them, whichever
// runs these will be.
func (l *Progress) extent(o *Overview, states []State) error {
	stages, err := l.stages()
	if err != nil {
		return err
	}
	h := &l.List.Halving
	for i := range states {
		done, whole := 0.0, l.epochs(i)
		if r := states[i].Result; r != nil {
			done = r.Epochs
		}
		o.Done += done
		switch until := h.stageEnd(stages.last); {
		case !stages.isMember(i):
			o.Planned += done
		case until > 0:
			o.Planned += max(done, min(float64(until), whole))
		default:
			o.Planned += whole
		}
	}
	for n := stages.last + 1; n <= len(h.Epochs); n++ {
		end := cmp.Or(h.stageEnd(n), l.List.Base.Epochs)
		o.Planned += float64(l.List.mostKept(n) * max(0, end-h.Epochs[n-1]))
	}
	return nil
}

// Pace estimates how long a sweep still takes, from its progress while it was looked at, over the
// last ten minutes at most. The zero Pace knows nothing.
type Pace struct{ marks []paceMark }

type paceMark struct {
	when time.Time
	done float64
}

// Add records how many epochs are done.
func (p *Pace) Add(now time.Time, done float64) {
	const window, most = 10 * time.Minute, 300
	p.marks = append(p.marks, paceMark{now, done})
	for len(p.marks) > most || now.Sub(p.marks[0].when) > window && len(p.marks) > 2 {
		p.marks = slices.Delete(p.marks, 0, 1)
	}
}

// Left returns how long the rest of the planned epochs takes; ok is false while that cannot be
// told.
func (p *Pace) Left(planned float64) (left time.Duration, ok bool) {
	if len(p.marks) < 2 {
		return 0, false
	}
	first, last := p.marks[0], p.marks[len(p.marks)-1]
	took, came := last.when.Sub(first.when).Seconds(), last.done-first.done
	if took <= 0 || came <= 0 {
		return 0, false
	}
	seconds := took / came * max(0, planned-last.done)
	if seconds > 1e9 { // no time.Duration, and of no use to anybody
		return 0, false
	}
	return time.Duration(seconds * float64(time.Second)), true
}

// FindUnder lists the folders of sweeps in a runs folder: the runs folder itself if it is a
// sweep's, otherwise the sweeps' folders in it, the last changed first.
func FindUnder(dir string) (dirs []string) {
	if record.IsSweep(dir) {
		return []string{dir}
	}
	changed := map[string]time.Time{}
	lists, _ := fs.Glob(os.DirFS(dir), "*/"+listName) // the pattern is well formed
	for _, path := range lists {
		one := filepath.Join(dir, filepath.Dir(path))
		if info, err := os.Stat(filepath.Join(one, listName)); err == nil {
			changed[one] = info.ModTime()
			dirs = append(dirs, one)
		}
	}
	slices.SortStableFunc(dirs, func(a, b string) int { return changed[b].Compare(changed[a]) })
	return dirs
}
