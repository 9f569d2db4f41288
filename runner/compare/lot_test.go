package compare

import (
	"math"
	"math/rand/v2"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// lot is a set of made-up runs with the figures that they were made from. The sentences are checked
// against the figures, not against the evaluations.
type lot struct {
	runs    []StoryRun
	names   []string
	figures []map[float64]figure // by epoch
}

// figure holds the results of a run at an epoch, in percent.
type figure struct {
	worst, mean, risk float64
	part              string
}

// parts returns the classes of every made-up run. The last has too few samples to be the worst.
func parts() []string { return []string{"disc", "ring", "star", "rare"} }

// add makes a run with evaluations at epochs 1 to n. Its class accuracies are lift percentage
// points above the usual ones; NaN makes the run diverge.
func (l *lot) add(random *rand.Rand, s spec.Spec, status runner.Status, n int, lift float64) {
	m := &runner.Meta{Spec: s, StepsPerEpoch: 10, Steps: 10 * int64(s.Epochs),
		Created: time.Unix(int64(len(l.runs)), 0), Checksum: "one"}
	m.Classes, m.ClassCounts.Test = parts(), []int{100, 100, 100, 1}
	r, figures := StoryRun{Meta: m, Status: status}, map[float64]figure{}
	m.Spec.MinGroup = 10
	for epoch := 1.0; epoch <= float64(n); epoch++ {
		e := &runner.EvalEvent{Head: runner.Head{Step: int64(10 * epoch)}, Epoch: epoch}
		values, f := make([]measure.Number, 4), figure{worst: 100, risk: 1 + random.Float64()}
		for i := range values {
			v := .45 + .15*random.Float64() + lift/100
			if i == len(l.runs)%3 { // the worst class of all evaluations
				v -= .15
			}
			values[i] = measure.Num(v)
			if f.mean += 25 * v; i < 3 && 100*v < f.worst {
				f.worst, f.part = 100*v, parts()[i]
			}
		}
		values[3] = measure.Num(0)
		loss := 2 - lift/100 + .01*epoch
		e.ByGroup.Set("class_accuracy", values)
		e.Set("worst_class_accuracy", measure.Num(f.worst/100))
		e.Set("test_accuracy", measure.Num(f.mean/100))
		e.Set("robust_risk", measure.Num(f.risk))
		e.Set("test_loss", measure.Num(loss))
		e.Set("train_loss", measure.Num(1/epoch))
		r.Evals, figures[epoch] = append(r.Evals, e), f
	}
	l.runs, l.figures = append(l.runs, r), append(l.figures, figures)
	l.names = storyNames(l.runs)
}

// shape is a state of runs from which a lot is made, with every preset's methods.
type shape struct {
	name   string
	seeds  int
	change func(i int, s *spec.Spec, status *runner.Status, epochs *int, lift *float64) bool
}

// shapes returns every shape that a result can have.
func shapes() []shape {
	keep := func(int, *spec.Spec, *runner.Status, *int, *float64) bool { return true }
	method := func(s *spec.Spec) dro.Algorithm { return s.Algorithm() }
	return []shape{
		{"one seed", 1, keep},
		{"two seeds", 2, keep},
		{"four seeds", 4, keep},
		{"four seeds, far apart", 4,
			func(_ int, s *spec.Spec, _ *runner.Status, _ *int, lift *float64) bool {
				if method(s) != dro.ERM {
					*lift = 40
				}
				return true
			}},
		{"lower", 1, func(_ int, s *spec.Spec, _ *runner.Status, _ *int, lift *float64) bool {
			if method(s) != dro.ERM {
				*lift = -25
			}
			return true
		}},
		{"one rival", 1, func(_ int, s *spec.Spec, _ *runner.Status, _ *int, lift *float64) bool {
			if method(s) == dro.PGD {
				*lift = -25
			}
			return method(s) == dro.PGD || method(s) == dro.ERM
		}},
		{"a run that diverged", 1,
			func(i int, _ *spec.Spec, _ *runner.Status, _ *int, lift *float64) bool {
				if i == 1 {
					*lift = math.NaN()
				}
				return true
			}},
		{"a run that failed", 2,
			func(i int, _ *spec.Spec, status *runner.Status, _ *int, _ *float64) bool {
				if i == 0 {
					*status = runner.Failed
				}
				return true
			}},
		{"without baseline", 1,
			func(_ int, s *spec.Spec, _ *runner.Status, _ *int, _ *float64) bool {
				return method(s) != dro.ERM
			}},
		{"while they go on", 1,
			func(i int, _ *spec.Spec, status *runner.Status, epochs *int, _ *float64) bool {
				*status, *epochs = runner.Running, 3+i
				return true
			}},
		{"at their end", 1,
			func(_ int, s *spec.Spec, _ *runner.Status, epochs *int, _ *float64) bool {
				s.Epochs = *epochs
				return true
			}},
		{"four seeds at their end", 4,
			func(_ int, s *spec.Spec, _ *runner.Status, epochs *int, _ *float64) bool {
				s.Epochs = *epochs
				return true
			}},
		{"a replay at its start", 1,
			func(i int, _ *spec.Spec, status *runner.Status, epochs *int, _ *float64) bool {
				*status, *epochs = runner.Running, min(i, 1)
				return true
			}},
		{"before anything", 1,
			func(_ int, _ *spec.Spec, status *runner.Status, epochs *int, _ *float64) bool {
				*status, *epochs = runner.Queued, 0
				return true
			}},
		{"one that was stopped early", 1,
			func(i int, _ *spec.Spec, status *runner.Status, epochs *int, _ *float64) bool {
				if i == 0 {
					*status, *epochs = runner.Stopped, 1
				}
				return true
			}},
		{"a sweep", 1, func(i int, s *spec.Spec, _ *runner.Status, _ *int, _ *float64) bool {
			s.Rho = .1 * float64(i+1)
			return true
		}},
		{"late seeds", 4,
			func(_ int, s *spec.Spec, status *runner.Status, epochs *int, _ *float64) bool {
				if s.Seed > 2 {
					*status, *epochs = runner.Running, 1
				}
				return true
			}},
	}
}
