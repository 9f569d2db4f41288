package panel

import (
	"maps"
	"slices"
	"strconv"

	"drolab/dro"
	"drolab/runner/measure"
	"drolab/tui/kit"
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
	quantities map[string]lab.Measure // all measures that Panels show over the steps
	Standing   func() []Panel         // returns the panels of every run; tests add theirs
	Panels     []Panel                // the panels for the methods of the watched runs
	Validates  bool                   // whether some run has a validation split
	Val        bool                   // whether that split is shown, and not the test split
	smooth     int                    // index into smoothings
	style      style
	axes
	orders map[string][]int // the places of each list measure, in the order last drawn
	Cross  plot.Cross       // the crosshair, in the unit of Axis
	Picked int              // the run that is picked at the crosshair
	Eye    *Gallery         // the samples that the adversary weighs most
	frame  plot.Frame       // the frame to draw into, kept for its memory

	Machine Machine
}

// axes are kept from frame to frame, so that they stay still. X, ZoomX and Cross are in the unit
// of Axis, not in steps, so a change of Axis has to drop all three of them.
type axes struct {
	Axis   axis
	X      plot.Range           // from 0 to the planned end, or further
	ZoomX  plot.Range           // the part of x that is shown; zero is all
	scales map[string]*vertical // by quantity; one that no panel shows any more stays
	phaseX plot.Range           // of λ
	phaseY plot.Range           // of η
}

// vertical is the axis of a quantity: one for all panels that show it.
type vertical struct {
	span plot.Range // the range in view; zero before there was any
	kind plot.ScaleKind
}

// axis is the kind of the horizontal axis. Time is seconds of training, without pauses and without
// what a resume took back.
type axis int

const (
	bySteps axis = iota
	byEpochs
	byTime
)

func axisNames() []string { return []string{"step", "epoch", "time"} }

func (a axis) String() string { return axisNames()[a] }

// smoothing is one way to smooth the noisy curves; make is nil for none. It makes a filter for
// each curve, since a filter has memory.
type smoothing struct {
	name string
	make func() plot.Smoother
}

// smoothings returns the ways to smooth, the paper's first: the mean of five points. The names
// stand in notes and in exported files.
func smoothings() []smoothing {
	ema := func(beta float64) func() plot.Smoother {
		return func() plot.Smoother { return &plot.EMA{Beta: beta} }
	}
	return []smoothing{{"mean of 5", func() plot.Smoother { return &plot.Window{} }},
		{"EMA .9", ema(.9)}, {"EMA .99", ema(.99)}, {"raw", nil}}
}

// New returns a board without runs.
func New(s *lab.Lab) *Board {
	return &Board{
		Lab:      s,
		Runs:     &Runs{Baseline: -1},
		Standing: Standing,
		orders:   map[string][]int{},
		Eye:      &Gallery{Config: &s.Config},
		axes:     axes{scales: map[string]*vertical{}},
	}
}

// Shows returns the view that a panel shows now.
func (w *Board) Shows(p int) *View {
	v := w.chosen(p)
	if w.Val && v.val != nil {
		return v.val
	}
	return v
}

// chosen returns the chosen view of a panel, whatever the split. Keys change this view, and a
// heading asks it whether there is another split.
func (w *Board) chosen(p int) *View { return &w.Panels[p].Views[w.Panels[p].View] }

// Fit fits the axes to what the runs have now, also those out of view: the history of an axis must
// not depend on what is in view. The page calls it after every key and every new event.
func (w *Board) Fit() { w.FitThese(slices.Collect(maps.Keys(w.quantities))) }

// FitThese is Fit for some quantities, which a replay calls many times a second. The horizontal
// axis comes first, because a vertical one is fitted to the part in view.
func (w *Board) FitThese(names []string) {
	last, planned := 0.0, 0.0
	for _, t := range w.Tracks {
		switch w.Axis {
		case bySteps:
			last, planned = max(last, float64(t.Step)), max(planned, float64(t.Meta.Steps))
		case byEpochs:
			last = max(last, t.Epochs(float64(t.Step)))
			planned = max(planned, float64(t.Meta.Spec.Epochs))
		case byTime:
			last = max(last, t.Seconds)
		}
	}
	// By time nothing is planned: how long a run will take is a guess, and an axis that follows
	// the guess would never stand still.
	if x := plot.GrowX(planned, last); x != w.X {
		w.X = x
		w.Refit()
	}
	if len(w.Tracks) == 0 {
		return
	}
	for _, q := range names {
		w.fitY(q)
	}
	w.sort()
	// The portrait shows the best point as well, which may lie far off the paths.
	x, y := plot.EmptyRange(), plot.EmptyRange()
	for _, t := range w.Tracks {
		px, py := t.Path.Ranges()
		x, y = x.Add(px.Lo).Add(px.Hi), y.Add(py.Lo).Add(py.Hi)
		if l, h, ok := t.Best(); ok && t.Path.Len() > 0 {
			x, y = x.Add(l), y.Add(h)
		}
	}
	w.phaseX, w.phaseY = w.phaseX.Fit(x, plot.Scale{}), w.phaseY.Fit(y, plot.Scale{})
}

// Refit marks all axes to be fitted again, because the part in view has changed. All code that
// changes what is in view (zoom, axis, hidden runs, seeds) must call it: fitY leaves an axis alone
// where no curve is fresh.
func (w *Board) Refit() {
	for _, t := range w.Tracks {
		for _, c := range t.Curves {
			c.Fresh = true
		}
	}
}

// xAt returns the place of a run's step on the horizontal axis.
func (w *Board) xAt(t *Track, step float64) float64 {
	if f := w.mapX(t); f != nil {
		return f(step)
	}
	return step
}

// mapX returns the map from a run's steps to the horizontal axis; nil is the identity, so that a
// chart by steps calls nothing for each point. The map must not decrease, because charts search in
// it.
func (w *Board) mapX(t *Track) func(float64) float64 {
	switch w.Axis {
	case byEpochs:
		return t.Epochs
	case byTime:
		return t.Elapsed.At
	}
	return nil
}

// Lined returns the runs of each line on a chart; hidden runs have none. By time seeds are apart,
// because they have clocks of their own. Whatever has a line on a chart goes by Lined; tables and
// bars go by Rows.
func (w *Board) Lined() [][]int {
	if w.Axis == byTime {
		return w.visible(w.singles())
	}
	return w.visible(w.Rows())
}

// front returns the run that is drawn last, over the others: the one picked at the crosshair, or
// the one under the cursor. A picked run that is not there any more is passed over.
func (w *Board) front() int {
	if w.Cross.On && w.Picked < len(w.Tracks) {
		return w.Picked
	}
	return w.At
}

// Line adds the line of a row to a chart, or the band of several runs. series returns what is drawn
// of a run, nil for nothing. A band maps x by its first run alone, which is right for steps and
// epochs of runs that differ in seed; by time Lined takes them apart. mapX is false where x is no
// step.
func (w *Board) Line(c *plot.Chart, row []int, series func(*Track) *plot.Series, mapX bool) {
	first := w.Tracks[row[0]]
	var f func(float64) float64
	if mapX {
		f = w.mapX(first)
	}
	l := plot.Line{Name: w.Theme.Greek(first.Short), Briefs: first.Briefs, Half: lab.Half95,
		Number: first.Number, Back: !slices.Contains(row, w.front()), MapX: f,
		Glyph: w.Theme.Glyph(first.Number)}
	for _, t := range w.Of(row) {
		if s := series(t); s != nil {
			l.Seeds = append(l.Seeds, s)
		}
	}
	c.Lines = append(c.Lines, l)
}

// NextScale takes the next scale of the curves that a panel shows. The range before is forgotten:
// it was fitted to the other scale.
func (w *Board) NextScale(p int) {
	for _, q := range w.Shows(p).Curves {
		w.scales[q].kind = (w.scales[q].kind + 1) % (plot.Symlog + 1)
		w.scales[q].span = plot.Range{}
	}
	w.Refit()
}

// SmoothBy takes the next smoothing, or the one before, and returns its name.
func (w *Board) SmoothBy(by int) string {
	all := smoothings()
	w.smooth = (w.smooth + len(all) + by) % len(all)
	w.smoothAll()
	return w.Smoothing()
}

func (w *Board) smoothAll() {
	for _, t := range w.Tracks {
		t.SmoothWith(smoothings()[w.smooth].make)
	}
}

// Smoothing returns the name of the way in which noisy curves are smoothed.
func (w *Board) Smoothing() string { return smoothings()[w.smooth].name }

// NextAxis takes the next horizontal axis, and shows all of it.
func (w *Board) NextAxis() {
	w.Axis = (w.Axis + 1) % axis(len(axisNames()))
	w.newAxis()
}

func (w *Board) newAxis() {
	w.X, w.ZoomX, w.Cross.On = plot.Range{}, plot.Range{}, false
	w.Refit()
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
	w.Panels = panels(w.Standing(), w.Methods(), runs...)
	w.leaveOut()
	for i := range min(len(before), len(w.Panels)) {
		w.Panels[i].View = min(before[i].View, len(w.Panels[i].Views)-1)
	}
	w.Validates = slices.ContainsFunc(runs, lab.Validates)
	w.Val = w.Val && w.Validates
	w.turnToPresent()
	w.quantities = quantities(w.Panels)
	for _, q := range w.quantities {
		w.scale(&q)
	}
}

// scale makes an axis for a quantity that has none. The scale that the user chose for one stays.
func (w *Board) scale(q *lab.Measure) {
	if w.scales[q.Name] == nil {
		w.scales[q.Name] = &vertical{kind: usual(q.Name)}
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
	t.Draw(w.quantities, filmed(w.Panels, t.Meta), Buckets(len(w.Tracks)))
	t.SmoothWith(smoothings()[w.smooth].make)
}

// Reset forgets what was fitted to other runs. An axis that began with their range would depend on
// what was watched before.
func (w *Board) Reset() {
	w.X, w.ZoomX, w.phaseX, w.phaseY = plot.Range{}, plot.Range{}, plot.Range{}, plot.Range{}
	w.Cross, w.Picked, w.orders = plot.Cross{}, 0, map[string][]int{}
	for _, y := range w.scales {
		y.span = plot.Range{}
	}
	w.Refit()
	w.Fit()
}

// Choices returns the user's choices about the board: style, axis, smoothing, scales and views.
func (w *Board) Choices() lab.Choices {
	smooth := kit.Map(smoothings(), func(s smoothing) string { return s.name })
	return lab.Choices{
		lab.OneOf("style", styleNames(), &w.style, func() {}),
		lab.OneOf("axis", axisNames(), &w.Axis, w.newAxis),
		lab.OneOf("smoothing", smooth, &w.smooth, w.smoothAll),
		{Name: "scales", Get: w.chosenScales, Set: w.chooseScales},
		{Name: "views", Get: w.chosenViews, Set: w.chooseViews},
	}
}

// usual returns the scale of a quantity for which the user has chosen none.
func usual(q string) plot.ScaleKind {
	if m, ok := measure.FindMeasure(q); ok && m.Scale == dro.Log {
		return plot.Log10
	}
	return plot.Linear
}

func scaleNames() []string { return []string{"linear", "log", "symlog"} }

// chosenScales returns the quantities whose scale is not the usual one, each followed by its scale.
func (w *Board) chosenScales() (list []string) {
	for _, q := range slices.Sorted(maps.Keys(w.scales)) {
		if kind := w.scales[q].kind; kind != usual(q) {
			list = append(list, q, scaleNames()[kind])
		}
	}
	return list
}

func (w *Board) chooseScales(list []string) {
	for q, y := range w.scales {
		*y = vertical{kind: usual(q)}
	}
	for i := 0; i+1 < len(list); i += 2 {
		if kind := slices.Index(scaleNames(), list[i+1]); kind >= 0 {
			w.scales[list[i]] = &vertical{kind: plot.ScaleKind(kind)}
		}
	}
	w.Refit()
}

// chosenViews returns the panels that show another view than their first, each followed by the
// index of that view.
func (w *Board) chosenViews() (list []string) {
	for _, p := range w.Panels {
		if p.View > 0 {
			list = append(list, p.Title, strconv.Itoa(p.View))
		}
	}
	return list
}

func (w *Board) chooseViews(list []string) {
	for i := range w.Panels {
		p := &w.Panels[i]
		p.View = 0
		for k := 0; k+1 < len(list); k += 2 {
			if view, err := strconv.Atoi(list[k+1]); list[k] == p.Title && err == nil {
				p.View = max(0, min(view, len(p.Views)-1))
			}
		}
	}
}
