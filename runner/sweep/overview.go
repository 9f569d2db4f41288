package sweep

import (
	"cmp"
	"encoding/json"
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
)

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

func (l *Progress) point(s *settingRuns, states []State, o *Overview) Point {
	r := &l.List.Runs[s.runs[0]]
	p := Point{Algorithm: s.Algorithm, Label: l.List.Label(r), Values: r.Values, Runs: s.runs,
		Status: runner.Done}
	sum, n := 0.0, 0
	for _, i := range s.runs {
		one := Seed{Run: &l.List.Runs[i], State: &states[i], Whole: l.epochs(i)}
		if r := one.Result; r != nil {
			one.Epochs = r.Epochs
			value, _ := r.validation()
			if one.Value = measure.NumUnlessNaN(value); one.Value.Applies() {
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
