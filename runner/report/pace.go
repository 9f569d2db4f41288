package report

import (
	"math"
	"slices"
	"time"

	"drolab/runner"
)

// tick is some steps of a run, as many as at every other tick: when the last of them
// was done, and how long one took, evaluations not counted.
type tick struct {
	at      time.Time
	step    int64   // the last
	seconds float64 // of one
}

// tick notes a step event.
func (r *ran) tick(e *runner.StepEvent) {
	if speed := e.ImagesPerSecond.Float(); speed > 0 {
		r.ticks = append(r.ticks, tick{e.Time, e.Step, float64(r.Meta.Spec.Batch) / speed})
	}
}

// stepTime is the logarithm of a step's time in two runs, in the time that both
// trained: what the machine did besides it then did to both. It does not apply to
// runs that were not made side by side, for most of either.
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

// trained is when a run began and ended to train.
func (r *ran) trained() (from, to time.Time) { return r.ticks[0].at, r.ticks[len(r.ticks)-1].at }

// pace is the median of the times of a step between two times, in seconds; NaN for no
// step. One during which the process was held does not move it, as it would a mean.
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
