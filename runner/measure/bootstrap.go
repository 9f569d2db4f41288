package measure

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"sync"

	"drolab/runner/lists"
)

// Bootstrap returns the 95 % interval of each measure of the test split: the quantiles over
// resamples of its samples, drawn with replacement (Efron, Tibshirani 1993, §13.3). A measure that
// does not apply to half of the resamples has no interval. Nor has a measure that needs more than
// MostScores scores, since it would take too long. The numbers are the same on any number of
// threads.
func (e *Evaluation) Bootstrap(rows []Measure, draws, threads int, seed uint64) []Interval {
	from, threshold := e.Test.byConfidence(), e.threshold()
	values := make([][]Number, draws)
	var wait sync.WaitGroup
	for t := range max(1, threads) {
		wait.Go(func() {
			again, times := *e, make([]int, len(from.Labels))
			again.Threshold = threshold
			for d := t; d < draws; d += max(1, threads) {
				again.Test = from.resampled(times, rand.New(rand.NewPCG(seed, uint64(d))))
				for _, m := range rows {
					values[d] = append(values[d], m.Value(&again))
				}
			}
		})
	}
	wait.Wait()
	intervals := make([]Interval, len(rows))
	for k := range rows {
		var list []float64
		for _, v := range values {
			if v[k].Applies() {
				list = append(list, v[k].value)
			}
		}
		slices.Sort(list)
		if len(list) > 0 && 2*len(list) >= draws {
			intervals[k] = Interval{quantile(list, .025), quantile(list, .975)}
		}
	}
	return intervals
}

// quantile returns the quantile of a sorted list, interpolated between its values.
func quantile(list []float64, q float64) Number {
	at := q * float64(len(list)-1)
	i := min(int(at), len(list)-2)
	if i < 0 {
		return Num(list[0])
	}
	return Num(list[i] + (at-float64(i))*(list[i+1]-list[i]))
}

// byConfidence returns the pass in the order of its scores of the first class, if confidences are
// known. Resamples in that order need no sorting.
func (p *Pass) byConfidence() *Pass {
	order := make([]int, len(p.Labels))
	for i := range order {
		order[i] = i
	}
	if p.Confidences != nil {
		slices.SortStableFunc(order, func(i, j int) int {
			return cmp.Compare(p.score(i, 0), p.score(j, 0))
		})
	}
	return p.pick(order)
}

// resampled returns a resample of the same size, drawn with replacement and in the order of the
// pass. It counts in times how often each sample is drawn.
func (p *Pass) resampled(times []int, rng *rand.Rand) *Pass {
	clear(times)
	for range times {
		times[rng.IntN(len(times))]++
	}
	drawn := make([]int, 0, len(times))
	for i, n := range times {
		for range n {
			drawn = append(drawn, i)
		}
	}
	return p.pick(drawn)
}

// pick returns a pass of the samples with the indices in of.
func (p *Pass) pick(of []int) *Pass {
	q := &Pass{Losses: lists.At(p.Losses, of), Correct: lists.At(p.Correct, of),
		Confidences: lists.At(p.Confidences, of), Predictions: lists.At(p.Predictions, of),
		Labels: lists.At(p.Labels, of), Groups: lists.At(p.Groups, of),
		Members: lists.At(p.Members, of)}
	if n := len(p.Probabilities); n > 0 && n <= MostScores {
		classes := n / len(p.Labels)
		for _, i := range of {
			q.Probabilities = append(q.Probabilities, p.Probabilities[i*classes:][:classes]...)
		}
	}
	return q
}
