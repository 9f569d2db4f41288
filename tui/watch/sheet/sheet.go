// Package sheet makes of what a panel of Watch shows the rows of a file: one row an observation, in
// long form, which tools for data take as it is.
//
// Zoom, scale and axis do not matter, since they are how it is looked at. The file of exact logged
// values is the run's log. Which formats there are is package export's.
package sheet

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"drolab/runner/export"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/tui/cell"
	"drolab/tui/plot"
	"drolab/tui/watch/panel"
	"drolab/tui/watch/track"
)

// exported is a copy of what is kept of a quantity of a run.
type exported struct {
	who        []string // run, method, seed
	quantity   string
	smoothing  string        // by name; "" for the values as logged
	epochSteps float64       // steps of an epoch, at least 1
	buckets    []plot.Bucket // of one step each or, far back in a long run, of several
}

// whose is what each row says of a run. It is a new slice each time, for the caller to append to.
func whose(t *track.Track) []string {
	return []string{t.ID, string(t.Meta.Spec.Algorithm()), strconv.FormatUint(t.Meta.Spec.Seed, 10)}
}

// Of is what a panel shows, and how many rows it has. Curves are copies: the command that writes
// the file goes through them.
func Of(w *panel.Board, p int) (s *export.Sheet, rows int) {
	s, rows = made(w, w.Shows(p))
	s.Rows = cleaned(s.Rows)
	return s, rows
}

func made(w *panel.Board, v *panel.View) (*export.Sheet, int) {
	switch {
	case v.Films():
		return ofFilm(w, v)
	case v.Gazes():
		return ofEye(w.Run())
	case v.Bars != "":
		return ofBars(w, v)
	}
	if v.Lists() {
		return ofSettings(w)
	}
	// Curves of runs that are hidden are not shown, and so not exported. Those of steps go with
	// what they are logged as and, where they are smoothed, with that as well: a reader can
	// smooth anew, and can check what was seen.
	var curves []exported
	n := 0
	add := func(c exported, of *plot.Series) {
		c.buckets = of.Buckets()
		curves, n = append(curves, c), n+len(c.buckets)
	}
	for _, q := range v.Measures() {
		for _, t := range w.Tracks {
			if t.Hidden {
				continue
			}
			c := exported{who: whose(t), quantity: q,
				epochSteps: float64(max(1, t.Meta.StepsPerEpoch))}
			add(c, t.Curves[q].Raw)
			if smooth := t.Curves[q].Smooth; smooth != nil {
				c.smoothing = w.Smoothing()
				add(c, smooth)
			}
		}
	}
	// Rows are made one by one as they are written: dozens of runs have hundreds of thousands.
	rows := func(yield func([]string) bool) {
		for i := range curves {
			for j := range curves[i].buckets {
				if !yield(curves[i].row(&curves[i].buckets[j])) {
					return
				}
			}
		}
	}
	head := []string{"run", "method", "seed", "quantity",
		"smoothing", "step", "epoch", "value", "least", "greatest", "points"}
	return &export.Sheet{Name: strings.Join(v.Measures(), "-"), Head: head, Rows: rows}, n
}

// ofBars is the figures by class or group of the run under the cursor and of the one
// that it is compared with, or of all runs where the view has them.
func ofBars(w *panel.Board, v *panel.View) (*export.Sheet, int) {
	of, runs := v.Of(w.Run().Meta), []*track.Track{w.Run()}
	if v.As != nil {
		hidden := func(t *track.Track) bool { return t.Hidden }
		runs = slices.DeleteFunc(slices.Clone(w.Tracks), hidden)
	} else if r := w.Compared(of); r != nil {
		runs = append(runs, r)
	}
	var rows [][]string
	for _, t := range runs {
		// Empty, not 0, where a record does not say how much there was to train on.
		counts := t.Meta.Counts(of.Axis).Train
		for i, value := range t.Places(of) {
			count := ""
			if i < len(counts) {
				count = strconv.Itoa(counts[i])
			}
			rows = append(rows, append(whose(t),
				strconv.FormatInt(t.Eval.Step, 10), page.Exact(t.Eval.Epoch),
				panel.PlaceName(t.Meta, of.Axis, i), count, page.Exact(value.Float())))
		}
	}
	head := []string{"run", "method", "seed", "step", "epoch", panel.AxisName(of.Axis),
		"training_images", of.Title}
	return &export.Sheet{Name: of.Name, Head: head, Rows: slices.Values(rows)}, len(rows)
}

// ofEye is the samples that weigh most, of the run under the cursor.
func ofEye(t *track.Track) (*export.Sheet, int) {
	var rows [][]string
	if t.Eval != nil {
		for _, h := range t.Eval.Heaviest {
			rows = append(rows, append(whose(t), strconv.FormatInt(t.Eval.Step, 10),
				page.Exact(t.Eval.Epoch), strconv.Itoa(h.Index), page.Exact(h.Ratio),
				panel.PlaceName(t.Meta, measure.PerClass, h.Label), strconv.Itoa(h.Group)))
		}
	}
	head := []string{"run", "method", "seed", "step", "epoch", "sample", "ratio", "class", "group"}
	return &export.Sheet{Name: "heaviest", Head: head, Rows: slices.Values(rows)}, len(rows)
}

// ofFilm is what the two maps of a film are of: the quantity is a column, so both are in one
// file and can be joined by step and class.
func ofFilm(w *panel.Board, v *panel.View) (*export.Sheet, int) {
	t := w.Run()
	of := v.Of(t.Meta)
	var rows [][]string
	for _, name := range []string{of.Name, t.Meta.Fit(v.Beside)} {
		t.Films[name].Each(func(step float64, place int, value float64) {
			rows = append(rows, append(whose(t), name, page.Exact(step), page.Exact(t.Epochs(step)),
				panel.PlaceName(t.Meta, of.Axis, place), page.Exact(value)))
		})
	}
	head := []string{"run", "method", "seed", "quantity", "step", "epoch",
		panel.AxisName(of.Axis), "value"}
	return &export.Sheet{Name: "film-" + of.Name, Head: head, Rows: slices.Values(rows)}, len(rows)
}

// ofSettings is the settings of the run under the cursor.
func ofSettings(w *panel.Board) (*export.Sheet, int) {
	var rows [][]string
	for _, s := range w.Settings() {
		rows = append(rows, append(whose(w.Run()), s.Key, s.Value))
	}
	head := []string{"run", "method", "seed", "setting", "value"}
	return &export.Sheet{Name: "settings", Head: head, Rows: slices.Values(rows)}, len(rows)
}

// row is one observation: a point or, of a long run, some points together. The value is their mean,
// the step is the last of them, and points is how many there are, so that a mean can be told from
// a point. A value that was not finite counts as a point and is NaN where it is alone.
func (c *exported) row(b *plot.Bucket) []string {
	value, least, greatest := "NaN", "NaN", "NaN"
	if b.N > 0 {
		value, least, greatest = page.Exact(b.Mean), page.Exact(b.Min), page.Exact(b.Max)
	}
	// who is shared by all rows of the run: without its capacity cut, they would overwrite each
	// other.
	return append(c.who[:len(c.who):len(c.who)], c.quantity, c.smoothing,
		page.Exact(b.X1), page.Exact(b.X1/c.epochSteps),
		value, least, greatest, strconv.FormatUint(uint64(b.N+b.Bad), 10))
}

// cleaned are rows that a terminal may show: people look at such files with cat, and a run's name
// or a class's may come from somebody else's folder with control sequences in it.
func cleaned(rows iter.Seq[[]string]) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for row := range rows {
			for i := range row {
				row[i] = cell.Clean(row[i])
			}
			if !yield(row) {
				return
			}
		}
	}
}
