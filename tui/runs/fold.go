package runs

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"drolab/dro"
	"drolab/runner/compare"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/tui/kit"
	"drolab/tui/lab"
)

// Folded, runs that differ in nothing but the seed share a line, which the newest
// of them stands for.

// fold keeps one run of each configuration, and remembers the others with it.
func (p *Page) fold(list []*record.Run) (kept []*record.Run) {
	p.seeds = map[string][]*record.Run{}
	first := map[string]string{} // the run that stands for a configuration
	for _, r := range list {
		key := r.Configuration()
		id, there := first[key]
		if !there {
			id = r.Meta.ID
			first[key] = id
			kept = append(kept, r)
		}
		p.seeds[id] = append(p.seeds[id], r)
	}
	return kept
}

// lineOf are the runs of a line.
func (p *Page) lineOf(r *record.Run) line {
	if list := p.seeds[r.Meta.ID]; p.folded && len(list) > 0 {
		return list
	}
	return line{r}
}

// together tells whether some line is of several runs.
func (p *Page) together() bool { return p.folded && p.several }

func (p *Page) noFold() string {
	if why := p.none(); why != "" {
		return why
	}
	return kit.Unless(p.several, noSeedsAlike)
}

// toggleFold puts seeds together, or apart again.
func (p *Page) toggleFold() {
	p.folded = !p.folded
	p.furnish()
	p.arrange()
}

// line is the runs that share one: at least one.
type line []*record.Run

// seeds has a run of each seed, the newest: two runs of one seed are one sample of it.
func (l line) seeds() (list line) {
	seen := map[uint64]bool{}
	for _, r := range l {
		if seed := r.Meta.Spec.Seed; !seen[seed] {
			seen[seed] = true
			list = append(list, r)
		}
	}
	return list
}

// seedText is the seed of a line, or of how many seeds it is.
func (l line) seedText() string {
	seed, n := l[0].Meta.Spec.Seed, len(l.seeds())
	switch {
	case len(l) == 1:
		return fmt.Sprint(seed)
	case n == 1:
		return fmt.Sprintf("%d× s%d", len(l), seed)
	}
	return fmt.Sprintf("n=%d", n)
}

// mean is that of a measure over the seeds that it applies to.
func (l line) mean(of func(*record.Run) measure.Number) measure.Number {
	if l = l.seeds(); len(l) == 1 {
		return of(l[0])
	}
	mean, _ := l.moments(of)
	return measure.NumIf(!math.IsNaN(mean), mean)
}

// moments are mean and standard deviation over the seeds; NaN where a measure applies to none,
// or to one.
func (l line) moments(of func(*record.Run) measure.Number) (mean, deviation float64) {
	var values []float64
	for _, r := range l.seeds() {
		if v := of(r); v.Applies() {
			values = append(values, v.Float())
		}
	}
	if len(values) == 0 {
		return math.NaN(), math.NaN()
	}
	return compare.MeanStd(values)
}

// spread is a measure's mean, with its standard deviation where there are several.
func (l line) spread(of func(*record.Run) measure.Number, m lab.Measure) string {
	text := lab.Write(m, l.mean(of))
	if _, d := l.moments(of); len(l) > 1 && !math.IsNaN(d) {
		if m.Scale == dro.Percent {
			return text + "±" + lab.Write(m, measure.Num(d))
		}
		text += "±" + deviation(d)
	}
	return text
}

const deviationCells = 5

// deviation writes one in as many cells at most: ".0215", "1.203", "2e-7", "3e+6".
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

// same is what the runs agree in, or how often the most frequent of it is there.
func (l line) same(of func(*record.Run) string) string {
	counts := map[string]int{}
	most := of(l[0])
	for _, r := range l {
		text := of(r)
		if counts[text]++; counts[text] > counts[most] {
			most = text
		}
	}
	if len(counts) == 1 {
		return most
	}
	return fmt.Sprintf("%d/%d %s", counts[most], len(l), most)
}
