package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/spec"
)

// Successive halving (Jamieson, Talwalkar 2016, arXiv 1502.07943), by whole settings and for each
// method by itself: the sweep compares methods, so it drops none. Stage s has the runs that the
// rung before it kept. For a run it ends at Halving.Epochs[s], where the run stops with a
// checkpoint. The last stage ends at the end of the run. A run that is kept thus gets the same
// result as a run that was never stopped.

// rung is the decision at the end of a stage. The first process to get there writes it, once, and
// all others read it.
type rung struct {
	Epochs int   `json:"epochs"`
	Kept   []int `json:"kept"` // indices of runs, ascending
	// Values has, by setting, the mean over seeds of the validation measure. A setting whose runs
	// had not all got there has none.
	Values map[int]float64 `json:"values"`
}

const rungPrefix = "rung-"

func (f *Folder) rungPath(n int) string {
	return f.ownPath(fmt.Sprintf("%s%d.json", rungPrefix, n))
}

// rung reads the decision of rung n ≥ 1, nil if there is none yet.
func (f *Folder) rung(n int) (*rung, error) {
	var r rung
	there, err := f.readIfThere(f.rungPath(n), &r)
	if !there {
		return nil, err
	}
	unknown := func(i int) bool { return i < 0 || i >= len(f.List.Runs) }
	if slices.ContainsFunc(r.Kept, unknown) {
		return nil, fmt.Errorf("%s keeps runs that the list has not", f.rungPath(n))
	}
	return &r, nil
}

// stages says how far the rungs have come.
type stages struct {
	halving Halving
	last    int          // the present stage
	members map[int]bool // nil: every run
}

func (f *Folder) stages() (*stages, error) {
	s := &stages{halving: f.List.Halving}
	for n := range f.List.Halving.Epochs {
		r, err := f.rung(n + 1)
		if err != nil {
			return nil, err
		}
		if r == nil {
			break
		}
		s.last, s.members = n+1, map[int]bool{}
		for _, i := range r.Kept {
			s.members[i] = true
		}
	}
	return s, nil
}

func (s *stages) isMember(i int) bool { return s.members == nil || s.members[i] }

// stageEnd returns the epoch at which a stage ends; 0 is the end of the runs themselves.
func (h *Halving) stageEnd(stage int) int {
	if stage < len(h.Epochs) {
		return h.Epochs[stage]
	}
	return 0
}

// markState changes a state to Dropped or Waiting where the rungs say so.
func (s *stages) markState(i int, state *State) {
	switch {
	case !s.isMember(i) && state.Status != runner.Done:
		state.Status, state.Cause = Dropped, "others were better by validation"
	case state.Status == runner.Stopped && state.hasTrained(s.halving.stageEnd(s.last)):
		state.Status, state.Cause = Waiting, "for the others to reach its rung"
	}
}

// hasTrained reports whether a run has trained so many epochs; 0 means all of its own epochs.
func (s *State) hasTrained(epochs int) bool {
	if s.Result == nil || epochs == 0 || s.Status == runner.Done {
		return s.Status == runner.Done
	}
	return s.Result.Steps >= int64(epochs)*s.Result.perEpoch
}

// keptSettings returns how many settings of a method, out of settings, go on after rung n.
func (h *Halving) keptSettings(settings, n int) int {
	for range n {
		settings = max(1, int(math.Ceil(h.Keep*float64(settings))))
	}
	return settings
}

// mostKept returns the number of runs that rung n keeps at most.
func (l *List) mostKept(n int) (places int) {
	for _, settings := range l.byMethod() {
		most := 0
		for _, s := range settings {
			most = max(most, len(s.runs))
		}
		places += l.Halving.keptSettings(len(settings), n) * most
	}
	return places
}

// decide ends stage n−1: it writes what rung n keeps, unless another process has, and returns what
// is written.
func (l *Progress) decide(n int) (*rung, error) {
	if r, err := l.rung(n); r != nil || err != nil {
		return r, err
	}
	before, err := l.stages()
	if err != nil {
		return nil, err
	}
	if before.last != n-1 {
		return nil, fmt.Errorf("rung %d: rung %d has not decided yet", n, before.last+1)
	}
	r := &rung{Epochs: l.List.Halving.Epochs[n-1], Values: map[int]float64{}}
	for _, settings := range l.List.byMethod() {
		ranked := l.rank(settings, func(i int, s *State) bool {
			return before.isMember(i) && s.hasTrained(r.Epochs)
		})
		for _, c := range ranked {
			r.Values[c.Setting] = c.value
		}
		for _, c := range ranked[:min(len(ranked), l.List.Halving.keptSettings(len(settings), n))] {
			r.Kept = append(r.Kept, c.runs...)
		}
	}
	slices.Sort(r.Kept)
	if err := l.files.Add(l.rungPath(n), r); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return l.rung(n)
}

// settingRuns holds the runs of one setting.
type settingRuns struct {
	Setting   int
	Algorithm dro.Algorithm
	runs      []int
	value     float64 // mean over seeds of the validation measure; NaN if a seed has none
	loss      float64 // mean over seeds of val_loss, for ties; +Inf if a seed has none
}

// byMethod returns the settings of each method, in the order of the list.
func (l *List) byMethod() (methods [][]settingRuns) {
	at, of := map[int][2]int{}, map[dro.Algorithm]int{}
	for i, r := range l.Runs {
		m, ok := of[r.Algorithm]
		if !ok {
			m = len(methods)
			of[r.Algorithm], methods = m, append(methods, nil)
		}
		place, ok := at[r.Setting]
		if !ok {
			place = [2]int{m, len(methods[m])}
			at[r.Setting] = place
			methods[m] = append(methods[m], settingRuns{Setting: r.Setting, Algorithm: r.Algorithm})
		}
		s := &methods[place[0]][place[1]]
		s.runs = append(s.runs, i)
	}
	return methods
}

// rank returns the settings whose runs all fit, best first by validation. Equal ones are in the
// order of the list or, by the rule of newer sweeps, those with the lower validation loss first. It
// looks at no test split.
func (l *Progress) rank(
	settings []settingRuns, fits func(i int, s *State) bool,
) (ranked []settingRuns) {
	higher := false
	for _, s := range settings {
		sum, losses := 0.0, 0.0
		for _, i := range s.runs {
			state := l.State(i)
			if !fits(i, &state) {
				sum = math.NaN()
				break
			}
			value, better := state.Result.validation()
			sum, higher = sum+value, better == dro.Higher
			losses += state.Result.loss.Float()
		}
		s.value, s.loss = sum/float64(len(s.runs)), losses/float64(len(s.runs))
		if !spec.AllFinite(s.loss) {
			s.loss = math.Inf(1)
		}
		if spec.AllFinite(s.value) {
			ranked = append(ranked, s)
		}
	}
	slices.SortStableFunc(ranked, func(a, b settingRuns) int {
		order := cmp.Compare(a.value, b.value)
		if higher {
			order = -order
		}
		if order == 0 && l.List.Ties == runner.TiesByLoss {
			order = cmp.Compare(a.loss, b.loss)
		}
		return order
	})
	return ranked
}
