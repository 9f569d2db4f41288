package panel

import (
	"slices"

	"drolab/runner"
	"drolab/runner/measure"
	"drolab/tui/lab"
	"drolab/tui/plot"
)

// Board is the state of the panels over the watched runs. The page owns and embeds it. Runs is part
// of it because nearly everything that is drawn depends on the run under the cursor. What the user
// chose (style, smoothing, axis, views) outlives a set of runs, and what was fitted to the runs
// does not: see Reset.
type Board struct {
	*lab.Lab
	*Runs
	quantities map[string]measure.Measure // all measures that Panels show over the steps
	BuiltIn    func() []Panel             // returns the panels of every run; tests add theirs
	Panels     []Panel                    // the panels for the methods of the watched runs
	Validates  bool                       // whether some run has a validation split
	Val        bool                       // whether that split is shown, and not the test split
	smooth     int                        // index into smoothings
	style      style
	axes
	orders map[string][]int // the places of each list measure, in the order last drawn
	Cross  plot.Cross       // the crosshair, in the unit of Axis
	Picked int              // the run that is picked at the crosshair
	Eye    *Gallery         // the samples that the adversary weighs most
	frame  plot.Frame       // the frame to draw into, kept for its memory

	Machine Machine
}

// New returns a board without runs.
func New(s *lab.Lab) *Board {
	return &Board{
		Lab:     s,
		Runs:    &Runs{Baseline: -1},
		BuiltIn: BuiltIn,
		orders:  map[string][]int{},
		Eye:     &Gallery{Config: &s.Config},
		axes:    axes{scales: map[string]*yAxis{}},
	}
}

// CurrentView returns the view that a panel shows now.
func (w *Board) CurrentView(p int) *View {
	v := w.chosenView(p)
	if w.Val && v.val != nil {
		return v.val
	}
	return v
}

// chosenView returns the chosen view of a panel, whatever the split. Keys change this view, and a
// heading asks it whether there is another split.
func (w *Board) chosenView(p int) *View { return &w.Panels[p].Views[w.Panels[p].View] }

// lineRows returns the runs of each line on a chart; hidden runs have none. By time seeds are
// apart, because they have clocks of their own. Whatever has a line on a chart goes by lineRows;
// tables and bars go by Rows.
func (w *Board) lineRows() [][]int {
	if w.Axis == byTime {
		return w.visibleRows(w.singles())
	}
	return w.visibleRows(w.Rows())
}

// front returns the run that is drawn last, over the others: the one picked at the crosshair, or
// the one under the cursor. A picked run that is not there any more is passed over.
func (w *Board) front() int {
	if w.Cross.On && w.Picked < len(w.Tracks) {
		return w.Picked
	}
	return w.Cursor
}

// NextStyle takes the next style of curves, and returns its name.
func (w *Board) NextStyle() string {
	w.style = (w.style + 1) % style(len(styleNames()))
	return styleNames()[w.style]
}

// Furnish makes panels and axes for the methods of the watched runs. The user's choices stay. It
// must come before Prepare, which keeps the curves of these panels, and both must come before a
// run's first event. Values for which there was no curve are lost until the log is read again.
func (w *Board) Furnish() {
	runs, before := metas(w.Tracks), w.Panels
	w.Panels = panels(w.BuiltIn(), w.Methods(), runs...)
	w.dropAbsentViews()
	for i := range min(len(before), len(w.Panels)) {
		w.Panels[i].View = min(before[i].View, len(w.Panels[i].Views)-1)
	}
	w.Validates = slices.ContainsFunc(runs, lab.Validates)
	w.Val = w.Val && w.Validates
	w.skipEmptyViews()
	w.quantities = quantities(w.Panels)
	for _, q := range w.quantities {
		w.scale(&q)
	}
}

// FurnishOwn adds a panel, behind the others, for each of the programs' own values that has none,
// and reports whether there was such a value. A log tells of these values as it is read.
func (w *Board) FurnishOwn() (more bool) {
	for _, m := range w.Own() {
		if _, there := w.quantities[m.Name]; there {
			continue
		}
		more = true
		w.scale(&m)
		w.quantities[m.Name] = m
		w.Panels = append(w.Panels,
			Panel{Title: m.Title, Views: []View{{Curves: []string{m.Name}}}})
		for _, t := range w.Tracks {
			t.Keep(m.Name).Fresh = true
		}
	}
	return more
}

// Prepare makes a run keep the curves and films that panels show, from its first event on.
func (w *Board) Prepare(t *Track) {
	t.Collect(w.quantities, filmMeasures(w.Panels, t.Meta), Buckets(len(w.Tracks)))
	t.smoothWith(smoothings()[w.smooth].make)
}

// Reset forgets what was fitted to other runs. An axis that began with their range would depend on
// what was watched before. Fit must follow.
func (w *Board) Reset() {
	w.X, w.ZoomX, w.phaseX, w.phaseY = plot.Range{}, plot.Range{}, plot.Range{}, plot.Range{}
	w.Cross, w.Picked, w.orders = plot.Cross{}, 0, map[string][]int{}
	for _, y := range w.scales {
		y.span = plot.Range{}
	}
	w.Refit()
}

// allImported reports whether the predictions of all watched runs come from another program. Such a
// run has an evaluation, but no steps. A panel shows what the evaluation has, or says that there is
// nothing.
func (w *Board) allImported() bool {
	trained := func(t *Track) bool { return t.Meta.Imported == nil }
	return len(w.Tracks) > 0 && !slices.ContainsFunc(w.Tracks, trained)
}

// inSummary reports whether every measure that a view shows is in the summary of some run.
func (w *Board) inSummary(v *View) bool {
	for _, name := range v.Curves {
		has := func(t *Track) bool { return t.Run.Summary().Named(name).Applies() }
		if !slices.ContainsFunc(w.Tracks, has) {
			return false
		}
	}
	for _, name := range []string{v.Bars, v.Beside} {
		has := func(t *Track) bool {
			list := t.Run.Summary().ByGroup.Named(v.Named(name, t.Meta))
			return slices.ContainsFunc(list, measure.Number.Applies)
		}
		if name != "" && !slices.ContainsFunc(w.Tracks, has) {
			return false
		}
	}
	return !v.Phase && !v.ShowsSamples()
}

// dropAbsentViews removes views of measures that no run has, such as those that drolab learnt after
// the runs were recorded. Only views of the last panel and of rates of groups are removed: the
// others belong to the table. Nothing is removed while a run is not done, because it may still get
// the measure.
func (w *Board) dropAbsentViews() {
	going := func(t *Track) bool { return t.Run.Summary().Status != runner.Done }
	if len(w.Tracks) == 0 || slices.ContainsFunc(w.Tracks, going) {
		return
	}
	for i := range w.Panels {
		p, rest := &w.Panels[i], i == len(w.Panels)-1
		views := slices.DeleteFunc(slices.Clone(p.Views), func(v View) bool {
			return (rest && !w.ofStep(&v) || isRate(v.Bars)) && !w.inSummary(&v)
		})
		if len(views) > 0 {
			p.Views = views
		}
	}
}

// ofStep reports whether a view draws a measure of steps, which no evaluation has.
func (w *Board) ofStep(v *View) bool {
	return slices.ContainsFunc(v.Curves, func(name string) bool {
		m, _ := measure.FindMeasure(name)
		return m.OfStep()
	})
}

// isRate reports whether bars are rates of groups.
func isRate(bars string) bool {
	return slices.ContainsFunc(measure.Decisions(), func(m measure.Measure) bool {
		return m.Name == bars
	})
}

// skipEmptyViews turns panels of imported runs that have nothing to show to a view that has
// something.
func (w *Board) skipEmptyViews() {
	if !w.allImported() {
		return
	}
	for i := range w.Panels {
		p := &w.Panels[i]
		had := func(v View) bool { return w.inSummary(&v) }
		if k := slices.IndexFunc(p.Views, had); k >= 0 && !w.inSummary(&p.Views[p.View]) {
			p.View = k
		}
	}
}
