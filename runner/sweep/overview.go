package sweep

import (
	"encoding/json"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

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
	ID            string
	Seed          uint64
	Status        runner.Status
	Cause         string
	Value         measure.Number // value of By at the step that the run has chosen
	Epochs, Whole float64        // epochs done, and epochs of the whole run
	Begun         bool
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
func (l *Look) Overview(states []State) (*Overview, error) {
	o := &Overview{Counts: Count(states), Troubles: l.List.Troubles(states)}
	for _, settings := range l.List.byMethod() {
		first := len(o.Points)
		for i := range settings {
			o.Points = append(o.Points, l.point(&settings[i], states, o))
		}
		ranked := l.rank(settings, func(i int, _ *State) bool {
			return states[i].Status == runner.Done
		})
		if len(ranked) > 0 {
			at := slices.IndexFunc(settings, func(s setting) bool {
				return s.Setting == ranked[0].Setting
			})
			o.Points[first+at].Chosen = true
		}
	}
	return o, l.extent(o, states)
}

func (l *Look) point(s *setting, states []State, o *Overview) Point {
	r := &l.List.Runs[s.runs[0]]
	p := Point{Algorithm: s.Algorithm, Label: l.List.Label(r), Values: r.Values, Runs: s.runs,
		Status: runner.Done}
	sum, n := 0.0, 0
	for _, i := range s.runs {
		state := &states[i]
		one := Seed{
			ID:     l.List.Runs[i].ID,
			Seed:   l.List.Runs[i].Seed,
			Status: state.Status,
			Cause:  state.Cause,
			Whole:  l.epochs(i),
		}
		if r := state.Result; r != nil {
			one.Begun, one.Epochs = true, r.Epochs
			value, _ := r.validation()
			if one.Value = measure.NumIf(!math.IsNaN(value), value); one.Value.Applies() {
				sum, n = sum+value, n+1
			}
			if by, ok := r.by(); ok {
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
func (l *Look) epochs(i int) float64 {
	n := l.List.Base.Epochs
	if v, ok := l.List.Runs[i].Values["epochs"]; ok {
		json.Unmarshal(v, &n) // Parse has assigned it before
	}
	return float64(n)
}

// extent counts epochs. A rung that has not decided yet contributes its share of them, whichever
// runs these will be.
func (l *Look) extent(o *Overview, states []State) error {
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
		switch until := h.until(stages.last); {
		case !stages.member(i):
			o.Planned += done
		case until > 0:
			o.Planned += max(done, min(float64(until), whole))
		default:
			o.Planned += whole
		}
	}
	for n := stages.last + 1; n <= len(h.Epochs); n++ {
		end := float64(l.List.Base.Epochs)
		if h.until(n) > 0 {
			end = float64(h.until(n))
		}
		o.Planned += float64(l.List.places(n)) * max(0, end-float64(h.Epochs[n-1]))
	}
	return nil
}

// Pace estimates how long a sweep still takes, from its progress while it was looked at, over the
// last ten minutes at most. The zero Pace knows nothing.
type Pace struct{ marks []paceMark }

type paceMark struct {
	at   time.Time
	done float64
}

// Add records how many epochs are done.
func (p *Pace) Add(now time.Time, done float64) {
	const window, most = 10 * time.Minute, 300
	p.marks = append(p.marks, paceMark{now, done})
	for len(p.marks) > most || now.Sub(p.marks[0].at) > window && len(p.marks) > 2 {
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
	took, came := last.at.Sub(first.at).Seconds(), last.done-first.done
	if took <= 0 || came <= 0 {
		return 0, false
	}
	seconds := took / came * max(0, planned-last.done)
	if seconds > 1e9 { // no time.Duration, and of no use to anybody
		return 0, false
	}
	return time.Duration(seconds * float64(time.Second)), true
}

// Under lists the folders of sweeps in a runs folder: the runs folder itself if it is a sweep's,
// otherwise the sweeps' folders in it, the last changed first.
func Under(dir string) (dirs []string) {
	if Is(dir) {
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

// Is reports whether a folder is a sweep's.
func Is(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, listName))
	return err == nil
}
