package runs

import (
	"fmt"
	"math"

	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/record"
	"drolab/tui/kit"
)

// Folded, runs that differ in nothing but the seed share a line, which the newest
// of them stands for.

// fold keeps one run of each configuration, and remembers the others with it.
func (p *Page) fold(list []*record.Run) (kept []*record.Run) {
	p.seeds = map[string][]*record.Run{}
	first := map[string]string{} // the run that stands for a configuration
	for _, r := range list {
		key := p.configurations[r.Meta.ID]
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
	return kit.Unless(p.several, "no two runs differ in the seed alone")
}

// toggleFold puts seeds together, or apart again.
func (p *Page) toggleFold() {
	p.folded = !p.folded
	p.furnish()
	p.arrange()
}

// line is the runs that share one: at least one.
type line []*record.Run

// mean is that of a measure over the runs that it applies to.
func (l line) mean(of func(*record.Run) runner.Number) runner.Number {
	if len(l) == 1 {
		return of(l[0])
	}
	mean, _ := l.moments(of)
	return runner.NumIf(!math.IsNaN(mean), mean)
}

// moments are mean and standard deviation; NaN where a measure applies to no run,
// or to one.
func (l line) moments(of func(*record.Run) runner.Number) (mean, deviation float64) {
	var values []float64
	for _, r := range l {
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
func (l line) spread(of func(*record.Run) runner.Number, write func(runner.Number) string) string {
	text := write(l.mean(of))
	if _, deviation := l.moments(of); len(l) > 1 && !math.IsNaN(deviation) {
		text += "±" + write(runner.Num(deviation))
	}
	return text
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
