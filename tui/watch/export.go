package watch

import (
	"iter"
	"strconv"
	"strings"
	"time"

	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/plot"
	"drolab/tui/watch/panel"

	tea "charm.land/bubbletea/v2"
)

// The content of a panel becomes the rows of a file: one row for each observation, in long form,
// which data tools read without conversion. Zoom, scale and axis do not matter, because they are
// only ways to look at the content. The exact logged values are in the run's log. Package page has
// the formats.

// exportDir returns the folder of exports, and where that is: beside the runs or, in a read-only
// view, the working folder. A read-only view leaves nothing in a folder that may be somebody
// else's.
func (w *Page) exportDir() (dir, place string) {
	if w.Config.ReadOnly {
		return ".", "into the working folder"
	}
	return w.Config.RunsDir, "beside the runs"
}

// exportAs writes what the focused panel shows to exportDir in a format, and says where. The table
// is made here, of copies, and the command that writes it may take as long as the disk does while
// the tracks grow.
func (w *Page) exportAs(f page.Format) tea.Cmd {
	s, rows := tableOf(w.Board, w.screen.focus)
	dir, _ := w.exportDir()
	cells := min(kit.FormWidth, w.Body.W-4)
	return w.Opening(func() tea.Msg {
		path, err := f.WriteFile(dir, s, time.Now())
		if err != nil {
			return kit.Notice{Text: "export: " + cell.OneLine(err.Error()), Bad: true}
		}
		lines := append([]string{kit.Plural(rows, "row") + ", one observation each, in", ""},
			kit.Wrap(path, cells)...)
		return kit.Open{Overlay: &kit.Overlay{Title: "Exported", Lines: lines}}
	})
}

// copy copies the figure at the crosshair or, without one, what the focused panel shows, if that is
// not more than terminals take.
func (w *Page) copy() tea.Cmd {
	if v := w.Board.CurrentView(w.screen.focus); w.Board.Cross.On && len(v.Curves) > 0 {
		return kit.Copy(w.Board.ReadAt(v), "the figure")
	}
	const most = 64 << 10
	var b strings.Builder
	s, rows := tableOf(w.Board, w.screen.focus)
	if err := s.CSV(&b); err != nil || b.Len() > most {
		return kit.Notify("Too much for a clipboard: e writes it to a file")
	}
	return kit.Copy(b.String(), kit.Plural(rows, "row"))
}

// chooseExport asks for the format. The first of them is what e writes without a question.
func (w *Page) chooseExport() tea.Cmd {
	var lines []string
	var choices []kit.Answer
	for i, f := range page.Formats() {
		key := strconv.Itoa(i + 1)
		lines = append(lines, key+"  "+f.Name+": "+f.Doc)
		choice := kit.Answer{Keys: []string{key}, Name: f.Name,
			Act: func() tea.Cmd { return w.exportAs(f) }}
		choices = append(choices, choice)
	}
	return w.Question("Export as", lines, choices...)
}

// exportedCurve is a copy of the curve of one quantity of a run.
type exportedCurve struct {
	runCells   []string // run, method, seed
	quantity   string
	smoothing  string        // by name; "" for the values as logged
	epochSteps float64       // steps of an epoch, at least 1
	buckets    []plot.Bucket // of one step each or, far back in a long run, of several
}

// runCells returns the first cells of each row of a run: its ID, its method and its seed. It is a
// new slice each time, for the caller to append to.
func runCells(t *panel.Track) []string {
	return []string{t.ID, string(t.Meta.Spec.Algorithm()), strconv.FormatUint(t.Meta.Spec.Seed, 10)}
}

// tableOf returns what panel p shows, and the number of its rows. Curves are copies, because the
// command that writes the file goes through them.
func tableOf(b *panel.Board, p int) (t *page.Table, rows int) {
	switch v := b.CurrentView(p); {
	case v.Films():
		t = filmTable(b, v)
	case v.ShowsSamples():
		t = eyeTable(b.Runs.Run())
	case v.Bars != "":
		t = barsTable(b, v)
	case v.Lists():
		t = listTable(b, p)
	default:
		t, rows = curvesTable(b, v)
	}
	rows += len(t.Rows)
	t.Each = cleanRows(t.All())
	return t, rows
}

// newTable returns a table of that name, with the columns that every row of a run has and some
// more.
func newTable(name string, heads ...string) *page.Table {
	t := page.New("run", "method", "seed")
	t.Name = name
	t.Head(heads...)
	return t
}

// curvesTable returns the curves of runs that are not hidden, and the number of their rows. Curves
// of steps are exported as they were logged and, where they are smoothed, smoothed as well: a
// reader can smooth them anew, and can check what the screen showed.
func curvesTable(b *panel.Board, v *panel.View) (t *page.Table, rows int) {
	var curves []exportedCurve
	for _, q := range v.Measures() {
		for _, t := range b.Runs.VisibleRuns() {
			c := exportedCurve{runCells: runCells(t), quantity: q,
				buckets:    t.Curves[q].Raw.Buckets(),
				epochSteps: float64(max(1, t.Meta.StepsPerEpoch))}
			curves = append(curves, c)
			if smooth := t.Curves[q].Smooth; smooth != nil {
				c.smoothing, c.buckets = b.Smoothing(), smooth.Buckets()
				curves = append(curves, c)
			}
		}
	}
	for i := range curves {
		rows += len(curves[i].buckets)
	}
	t = newTable(strings.Join(v.Measures(), "-"), "quantity", "smoothing", "step", "epoch", "value",
		"least", "greatest", "points")
	// Rows are made one by one as they are written: dozens of runs have hundreds of thousands.
	t.Each = func(yield func([]string) bool) {
		for i := range curves {
			for j := range curves[i].buckets {
				if !yield(curves[i].row(&curves[i].buckets[j])) {
					return
				}
			}
		}
	}
	return t, rows
}

// barsTable returns the figures by class or group of the run under the cursor and of the baseline,
// or of all runs that are not hidden where the view shows all. Each is the mean of so many
// evaluations, up to the one whose step and epoch it names.
func barsTable(b *panel.Board, v *panel.View) *page.Table {
	of, runs := v.BarsMeasure(b.Runs.Run().Meta), []*panel.Track{b.Runs.Run()}
	if v.As != nil {
		runs = b.Runs.VisibleRuns()
	} else if r := b.Runs.ComparedRun(of); r != nil {
		runs = append(runs, r)
	}
	out := newTable(of.Name, "step", "epoch", "evaluations", panel.AxisName(of.Axis),
		"training_images", of.Title)
	clock := b.Runs.PanelClock()
	for _, t := range runs {
		evals := t.At(clock)
		// A count is empty, not 0, where a record does not say how much there was to train on.
		counts := t.Meta.Counts(of.Axis).Train
		for i, value := range t.Places(clock, of) {
			e := evals[len(evals)-1]
			out.Add(append(runCells(t),
				strconv.FormatInt(e.Step, 10), page.Exact(e.Epoch), strconv.Itoa(len(evals)),
				panel.PlaceName(t.Meta, of.Axis, i), panel.TextAt(counts, i, strconv.Itoa),
				page.ExactOf(value))...)
		}
	}
	return out
}

// eyeTable returns the samples of the run under the cursor that the adversary weighs most.
func eyeTable(t *panel.Track) *page.Table {
	out := newTable("heaviest", "step", "epoch", "sample", "ratio", "class", "group")
	if t.Eval != nil {
		for _, h := range t.Eval.Heaviest {
			out.Add(append(runCells(t), strconv.FormatInt(t.Eval.Step, 10),
				page.Exact(t.Eval.Epoch), strconv.Itoa(h.Index), page.Exact(h.Ratio),
				panel.PlaceName(t.Meta, measure.PerClass, h.Label), strconv.Itoa(h.Group))...)
		}
	}
	return out
}

// filmTable returns the values of both maps of a film. The quantity is a column, so both are in one
// file and can be joined by step and class.
func filmTable(b *panel.Board, v *panel.View) *page.Table {
	t := b.Runs.Run()
	of := v.BarsMeasure(t.Meta)
	out := newTable("film-"+of.Name, "quantity", "step", "epoch", panel.AxisName(of.Axis), "value")
	for _, name := range []string{of.Name, v.Named(v.Beside, t.Meta)} {
		t.Films[name].Each(func(step float64, place int, value float64) {
			out.Add(append(runCells(t), name, page.Exact(step), page.Exact(t.Epochs(step)),
				panel.PlaceName(t.Meta, of.Axis, place),
				page.ExactOf(measure.NumIf(value == value, value)))...)
		})
	}
	return out
}

// listTable returns what a panel lists of the run under the cursor.
func listTable(b *panel.Board, p int) *page.Table {
	out := newTable(strings.ToLower(b.Panels[p].Title), "setting", "value")
	for _, s := range b.List(b.CurrentView(p)) {
		out.Add(append(runCells(b.Runs.Run()), s.Key, s.Value)...)
	}
	return out
}

// row returns one observation: a point or, in a long run, several points together. The value is
// their mean, the step is that of the last point, and the column points has their number, so that a
// mean can be told from a point. A value that was not finite counts as a point and is NaN where it
// is alone.
func (c *exportedCurve) row(b *plot.Bucket) []string {
	value, least, greatest := "NaN", "NaN", "NaN"
	if b.N > 0 {
		value, least, greatest = page.Exact(b.Mean), page.Exact(b.Min), page.Exact(b.Max)
	}
	// runCells is shared by all rows of the run: without its capacity cut, they would overwrite
	// each other.
	return append(c.runCells[:len(c.runCells):len(c.runCells)], c.quantity, c.smoothing,
		page.Exact(b.X1), page.Exact(b.X1/c.epochSteps),
		value, least, greatest, strconv.FormatUint(uint64(b.N+b.Bad), 10))
}

// cleanRows returns the rows with only what a terminal may show. People look at such files with
// cat, and the name of a run or of a class may come from somebody else's folder with control
// sequences in it.
func cleanRows(rows iter.Seq[[]string]) iter.Seq[[]string] {
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
