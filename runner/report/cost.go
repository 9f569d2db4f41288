package report

import (
	"math"
	"slices"
	"time"

	"drolab/runner/measure"
)

// Cost is the time that the training of an arm took. The runs shared their machine with others, so
// only ratios between runs made at the same time mean something. Of imported runs there are the
// minutes alone, and only where their logs have times.
type Cost struct {
	Arm     string         `json:"arm"`
	Seeds   int            `json:"seeds"`
	Step    measure.Number `json:"seconds_per_step"`     // mean over seeds
	StepStd measure.Number `json:"seconds_per_step_std"` // divisor n−1
	Minutes measure.Number `json:"minutes"`              // of the whole training, mean over seeds
	// Ratio is the logarithm of the time of a step divided by the baseline's.
	Ratio Difference `json:"log_ratio_to_base"`
}

func (p *Problem) costs() {
	base := p.base()
	for _, a := range p.arms {
		imported := a.runs[0].Meta.Imported != nil
		if imported && slices.ContainsFunc(a.runs, func(r *loggedRun) bool { return !r.timed }) {
			continue
		}
		step := a.mean(func(r *loggedRun) measure.Number { // without evaluations
			if imported {
				return measure.Number{}
			}
			speed := r.Summary().ImagesPerSecond.Float()
			return measure.Num(float64(r.Meta.Spec.Batch) / speed)
		})
		minutes := a.mean(func(r *loggedRun) measure.Number { return measure.Num(r.seconds / 60) })
		c := Cost{
			Arm:     a.label,
			Seeds:   len(a.runs),
			Step:    step.Mean,
			StepStd: step.Std,
			Minutes: minutes.Mean,
			Ratio:   emptyDifference(),
		}
		if base != nil && a != base && !imported {
			c.Ratio = differenceOf(a, base, stepTime, 0)
		}
		p.Costs = append(p.Costs, c)
	}
}

// tick is the timing of some steps of a run, equally many at every tick: when the last of them
// ended, and how long one took without evaluations.
type tick struct {
	end     time.Time
	seconds float64 // of one step
}

// stepTime compares the logarithms of a step's time in two runs, over the time in which both
// trained, so that other work of the machine slowed both. It does not apply to runs that did not
// train side by side for most of the longer training.
func stepTime(a, b *loggedRun) (x, y float64) {
	const most = 0.7
	if len(a.ticks) == 0 || len(b.ticks) == 0 {
		return math.NaN(), math.NaN()
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
	if to.Sub(from).Seconds() < most*long.Seconds() {
		return math.NaN(), math.NaN()
	}
	return math.Log(a.pace(from, to)), math.Log(b.pace(from, to))
}

// trained returns the times of a run's first and last tick, between which it trained.
func (r *loggedRun) trained() (from, to time.Time) {
	return r.ticks[0].end, r.ticks[len(r.ticks)-1].end
}

// pace returns the median time of a step between two times, in seconds, or NaN without a step. A
// step during which the process was held does not move the median, as it would move a mean.
func (r *loggedRun) pace(from, to time.Time) float64 {
	var seconds []float64
	for _, t := range r.ticks {
		if !t.end.Before(from) && !t.end.After(to) {
			seconds = append(seconds, t.seconds)
		}
	}
	if len(seconds) == 0 {
		return math.NaN()
	}
	slices.Sort(seconds)
	return (seconds[(len(seconds)-1)/2] + seconds[len(seconds)/2]) / 2
}
