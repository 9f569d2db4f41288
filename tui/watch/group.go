package watch

import (
	"slices"

	"drolab/runner"
	"drolab/runner/compare"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/plot"
)

// Runs that differ in seed alone are one thing seen several times: one row, one colour,
// one line with a band, until a key takes them apart. What a band is of does not depend
// on what else is shown.

// seeds groups runs that differ in seed alone, in the order of their first ones.
func seeds(tracks []*track) (groups [][]int) {
	for i, t := range tracks {
		g := slices.IndexFunc(groups, func(of []int) bool {
			return !slices.ContainsFunc(of, func(j int) bool { return !t.another(tracks[j]) })
		})
		if g < 0 {
			groups = append(groups, []int{i})
		} else {
			groups[g] = append(groups[g], i)
		}
	}
	return groups
}

// another tells whether two runs differ in seed, and in nothing else.
func (t *track) another(o *track) bool {
	if t.meta.Spec.Seed == o.meta.Spec.Seed || t.meta.Parent != "" || o.meta.Parent != "" {
		return false
	}
	diffs := compare.Diff([]runner.Spec{t.meta.Spec, o.meta.Spec})
	return len(diffs) == 1 && diffs[0].Key == "seed"
}

// regroup finds what belongs together, and gives each its colour. A name that two of them
// have is none.
func (w *Page) regroup() {
	w.groups = seeds(w.tracks)
	names, runs := map[string]int{}, []*runner.Meta{}
	for _, g := range w.groups {
		names[w.tracks[g[0]].short]++
		runs = append(runs, w.tracks[g[0]].meta)
	}
	numbers := w.Colors.Of(runs)
	if w.Config.Kept != nil { // no folder says which colours others have
		w.Colors = lab.Colors{}
		for n, m := range runs {
			w.Colors[compare.Configuration(m)] = numbers[n]
		}
	}
	for n, number := range numbers {
		for _, i := range w.groups[n] {
			t := w.tracks[i]
			if t.number = number; names[t.short] > 1 {
				t.short = t.label
			}
		}
	}
}

// apart tells whether every run has a row of its own.
func (w *Page) apart() bool { return w.eachSeed || len(w.groups) == len(w.tracks) }

// rows are the runs of each row of the table.
func (w *Page) rows() [][]int {
	if !w.apart() {
		return w.groups
	}
	return w.singles()
}

// lined are the runs of each line: by time seeds are apart, having clocks of their own.
func (w *Page) lined() [][]int {
	if w.axis == byTime {
		return w.singles()
	}
	return w.rows()
}

func (w *Page) singles() [][]int {
	rows := make([][]int, len(w.tracks))
	for i := range rows {
		rows[i] = []int{i}
	}
	return rows
}

// rowAt is the row under the cursor.
func (w *Page) rowAt() int {
	return max(0, slices.IndexFunc(w.rows(), func(g []int) bool { return slices.Contains(g, w.at) }))
}

// of are the runs of a row.
func (w *Page) of(row []int) []*track {
	list := make([]*track, len(row))
	for i, at := range row {
		list[i] = w.tracks[at]
	}
	return list
}

// takeApart shows seeds each on its own, or together again.
func (w *Page) takeApart() {
	w.eachSeed = !w.eachSeed
}

func (w *Page) noSeeds(*track) string {
	return kit.Unless(len(w.groups) < len(w.tracks), "no two runs differ in seed alone")
}

// mean is that of what applies.
func mean(list []runner.Number) runner.Number {
	sum, n := 0.0, 0
	for _, v := range list {
		if v.Applies() {
			sum += v.Float()
			n++
		}
	}
	return runner.NumIf(n > 0, sum/float64(max(1, n)))
}

// front is the run that is drawn last: the one at the crosshair, or under the cursor.
func (w *Page) front() int {
	if w.cross.On && w.picked < len(w.tracks) {
		return w.picked
	}
	return w.at
}

// line adds the line of a row to a chart, or its band: series gives what is drawn of a
// run, nil for nothing.
func (w *Page) line(c *plot.Chart, row []int, series func(*track) *plot.Series, mapX bool) {
	first := w.tracks[row[0]]
	var f func(float64) float64
	if mapX {
		f = w.mapX(first)
	}
	back := !slices.Contains(row, w.front())
	if len(row) == 1 {
		c.Lines = append(c.Lines, plot.Line{Name: w.Theme.Greek(first.short), Series: series(first), Back: back,
			Number: first.number, MapX: f, Glyph: w.Theme.Glyph(int(first.number))})
		return
	}
	b := plot.Band{Name: w.Theme.Greek(first.short), Half: lab.Half95, Number: first.number, Back: back, MapX: f}
	for _, t := range w.of(row) {
		if s := series(t); s != nil {
			b.Seeds = append(b.Seeds, s)
		}
	}
	c.Bands = append(c.Bands, b)
}
