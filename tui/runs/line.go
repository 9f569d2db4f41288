package runs

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/lists"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/tui/lab"
)

// line holds the runs that share a line, at least one.
type line []*record.Run

// seeds groups the runs by seed, and keeps the newest run of each configuration. Two runs of one
// seed are one sample of it, even if they differ in settings.
func (l line) seeds() []line {
	seeds := lists.GroupBy(l, func(r *record.Run) uint64 { return r.Meta.Spec.Seed })
	for i, same := range seeds {
		if len(same) > 1 {
			seeds[i] = lists.DistinctBy(same, (*record.Run).Configuration)
		}
	}
	return seeds
}

// seedText returns the seed of a line, with the number of runs if there are several of it, or its
// number of seeds.
func (l line) seedText() string {
	seed, n := l[0].Meta.Spec.Seed, len(l.seeds())
	switch {
	case len(l) == 1:
		return fmt.Sprint(seed)
	case n == 1:
		return fmt.Sprintf("%d ×%d", seed, len(l))
	}
	return page.N(n)
}

// mean returns the mean of a measure over the seeds to which the measure applies.
func (l line) mean(of func(*record.Run) measure.Number) measure.Number {
	seeds := l.seeds()
	if len(seeds) == 1 && len(seeds[0]) == 1 {
		return of(l[0])
	}
	mean, _ := moments(seeds, of)
	return measure.NumIf(!math.IsNaN(mean), mean)
}

// moments returns the mean and the standard deviation of a measure over the seeds, where a seed
// counts with the mean of its runs. Both are NaN if the measure applies to no seed; with one seed
// the deviation is NaN.
func moments(seeds []line, of func(*record.Run) measure.Number) (mean, deviation float64) {
	var values []float64
	for _, seed := range seeds {
		var same []float64
		for _, r := range seed {
			if v := of(r); v.Applies() {
				same = append(same, v.Float())
			}
		}
		if len(same) > 0 {
			mean, _ := compare.MeanStd(same)
			values = append(values, mean)
		}
	}
	if len(values) == 0 {
		return math.NaN(), math.NaN()
	}
	return compare.MeanStd(values)
}

// spread returns the mean of a measure, with its standard deviation if there are several runs.
func (l line) spread(of func(*record.Run) measure.Number, m measure.Measure) string {
	text := lab.Write(m, l.mean(of))
	if len(l) == 1 {
		return text
	}
	switch _, d := moments(l.seeds(), of); {
	case math.IsNaN(d):
		return text
	case m.Scale == dro.Percent:
		return text + "±" + lab.Write(m, measure.Num(d))
	default:
		return text + "±" + deviation(d)
	}
}

const deviationCells = 5

// deviation writes a standard deviation in at most deviationCells cells: ".0215", "1.203", "2e-7",
// "3e+6".
func deviation(d float64) string {
	if d == 0 {
		return "0"
	}
	for digits := 4; digits >= 0 && d >= 5e-5; digits-- {
		s := strings.TrimPrefix(strconv.FormatFloat(d, 'f', digits, 64), "0")
		if len(s) <= deviationCells {
			return s
		}
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(d, 'e', 0, 64), "e")
	return mantissa + "e" + exponent[:1] + strings.TrimLeft(exponent[1:], "0")
}

// common returns the text that all runs share, or else the most frequent text with its count.
func (l line) common(of func(*record.Run) string) string {
	counts := map[string]int{}
	most := of(l[0])
	for _, r := range l {
		text := of(r)
		counts[text]++
		if counts[text] > counts[most] {
			most = text
		}
	}
	if len(counts) == 1 {
		return most
	}
	return fmt.Sprintf("%d/%d %s", counts[most], len(l), most)
}

// telling returns the run by which the state of a line is told: its sign, its word and its epochs.
// It is a run that goes on if one does, or else one that did not come to its end, and of those in
// the same state the one that is least far.
func (l line) telling() *record.Run {
	order := []runner.Status{runner.Running, runner.Paused, runner.Queued, runner.Failed,
		runner.Interrupted, runner.Stopped, runner.Done}
	return slices.MinFunc(l, func(a, b *record.Run) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Status()), slices.Index(order, b.Status())),
			cmp.Compare(a.Epochs(), b.Epochs()))
	})
}

// stateShare returns how many runs of a line are in the state that is told, as in "2/3 "; "" for
// all of them.
func (l line) stateShare() string {
	state, n := l.telling().Status(), 0
	for _, r := range l {
		if r.Status() == state {
			n++
		}
	}
	if n == len(l) {
		return ""
	}
	return fmt.Sprintf("%d/%d ", n, len(l))
}

// isMixed reports whether a line has runs of several methods.
func (l line) isMixed() bool {
	return slices.ContainsFunc(l, func(r *record.Run) bool {
		return r.Meta.Spec.Algorithm() != l[0].Meta.Spec.Algorithm()
	})
}
