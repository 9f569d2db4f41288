package report

import (
	"math"
	"slices"
	"time"

	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/study"

	"gonum.org/v1/gonum/stat"
)

// Cost is the time that the training of an arm took. The runs shared their machine with others, so
// only ratios between runs made at the same time mean something.
type Cost struct {
	Arm     string         `json:"arm"`
	Seeds   int            `json:"seeds"`
	Step    measure.Number `json:"seconds_per_step"`     // mean over seeds
	StepStd measure.Number `json:"seconds_per_step_std"` // divisor n−1
	Minutes measure.Number `json:"minutes"`              // of the whole training, mean over seeds
	// Ratio is the logarithm of the time of a step divided by the baseline's.
	Ratio Difference `json:"log_ratio_to_base"`
}

// perStep returns the seconds that a step takes, without evaluations.
func (r *ran) perStep() float64 {
	speed := r.Summary().ImagesPerSecond.Float()
	return float64(r.Meta.Spec.Batch) / speed
}

func (p *Problem) costs() {
	base := p.base()
	for _, a := range p.arms {
		if imported(a.runs[0].Run) > 0 {
			continue
		}
		var steps, minutes []float64
		for _, r := range a.runs {
			steps, minutes = append(steps, r.perStep()), append(minutes, r.seconds/60)
		}
		mean, std := stat.MeanStdDev(steps, nil)
		c := Cost{
			Arm:     a.label,
			Seeds:   len(a.runs),
			Step:    measure.Num(mean),
			StepStd: measure.NumIf(len(steps) > 1, std),
			Minutes: measure.Num(stat.Mean(minutes, nil)),
			Ratio:   noDifference(),
		}
		if base != nil && a != base {
			c.Ratio = differ(a, base, stepTime, 0)
		}
		p.Costs = append(p.Costs, c)
	}
}

// ClassRow is a class or group with the differences in accuracy to the baseline.
type ClassRow struct {
	Class       string         `json:"class"`
	Train       int            `json:"train"`
	Base        measure.Number `json:"base"` // mean accuracy of the baseline
	Arms        []string       `json:"arms"`
	Differences []Difference   `json:"differences"`
}

// classes compares every arm with the baseline, by class. The tests of the study's arms are one
// family, and the tests of each other arm form a family of their own.
func (p *Problem) classes() {
	base := p.base()
	if base == nil {
		return
	}
	m := &base.runs[0].Meta
	measured := m.Fit("class_accuracy")
	for i, name := range m.Names(m.Main()) {
		row := ClassRow{Class: name}
		if counts := m.Counts(m.Main()).Train; i < len(counts) {
			row.Train = counts[i]
		}
		var own []float64
		for _, r := range base.runs {
			if v := r.Summary().ByGroup.Of(measured); i < len(v) && v[i].Applies() {
				own = append(own, v[i].Float())
			}
		}
		row.Base = measure.NumIf(len(own) > 0, stat.Mean(own, nil))
		for _, a := range p.arms {
			if a != base {
				row.Arms = append(row.Arms, a.label)
				row.Differences = append(row.Differences, differ(a, base, part(measured, i), 0))
			}
		}
		p.Classes = append(p.Classes, row)
	}
	families := map[string][]*Difference{}
	for i := range p.Classes {
		row := &p.Classes[i]
		for j, name := range row.Arms {
			if len(p.own) == 0 || slices.ContainsFunc(p.own, func(a *arm) bool {
				return a.label == name
			}) {
				name = ""
			}
			families[name] = append(families[name], &row.Differences[j])
		}
	}
	for _, list := range families {
		adjust(list, level, study.Holm)
	}
}

// tick is the timing of some steps of a run, equally many at every tick: when the last of them
// ended, and how long one took without evaluations.
type tick struct {
	at      time.Time
	step    int64   // the last step
	seconds float64 // of one step
}

// tick records the timing of a step event.
func (r *ran) tick(e *runner.StepEvent) {
	if speed := e.ImagesPerSecond.Float(); speed > 0 {
		r.ticks = append(r.ticks, tick{e.Time, e.Step, float64(r.Meta.Spec.Batch) / speed})
	}
}

// stepTime compares the logarithms of a step's time in two runs, over the time in which both
// trained, so that other work of the machine slowed both. It does not apply to runs that did not
// train side by side for most of the longer training.
func stepTime(a, b *ran) (x, y float64, ok bool) {
	const most = 0.7
	if len(a.ticks) == 0 || len(b.ticks) == 0 {
		return 0, 0, false
	}
	from, to := a.trained()
	first, last := b.trained()
	long := max(to.Sub(from), last.Sub(first))
	if first.After(from) {
		from = first
	}
	if last.Before(to) {
		to = last
	}
	v, w := a.pace(from, to), b.pace(from, to)
	return math.Log(v), math.Log(w), v > 0 && w > 0 && to.Sub(from).Seconds() >= most*long.Seconds()
}

// trained returns the times of a run's first and last tick, between which it trained.
func (r *ran) trained() (from, to time.Time) { return r.ticks[0].at, r.ticks[len(r.ticks)-1].at }

// pace returns the median time of a step between two times, in seconds, or NaN without a step. A
// step during which the process was held does not move the median, as it would move a mean.
func (r *ran) pace(from, to time.Time) float64 {
	var seconds []float64
	for _, t := range r.ticks {
		if !t.at.Before(from) && !t.at.After(to) {
			seconds = append(seconds, t.seconds)
		}
	}
	if len(seconds) == 0 {
		return math.NaN()
	}
	slices.Sort(seconds)
	return (seconds[(len(seconds)-1)/2] + seconds[len(seconds)/2]) / 2
}
