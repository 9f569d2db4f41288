package panel

import (
	"slices"
	"strings"

	"drolab/runner"
	"drolab/runner/measure"
	"drolab/tui/lab"
	"drolab/tui/plot"
)

// Board is the state of the panels over the watched runs. The page owns it. Runs is part of it
// because nearly everything that is drawn depends on the run under the cursor. What the user chose
// (style, smoothing, axis, views) outlives a set of runs, and what was fitted to the runs does not:
// see Reset.
type Board struct {
	*lab.Lab
	Runs       *Runs
	quantities map[string]measure.Measure // all measures that Panels show over the steps
	BuiltIn    func() []Panel             // returns the panels of every run; tests add theirs
	Panels     []Panel                    // the panels for the methods of the watched runs
	Validates  bool                       // whether some run has a validation split
	Val        bool                       // whether that split is shown, and not the test split
	smooth     int                        // index into smoothings
	style      style
	orders     map[string][]int // the places of each list measure, as drawn last

	// The axes are kept from frame to frame, so that they stay still. X, ZoomX and Cross are in the
	// unit of Axis, not in steps, so a change of Axis has to drop all three of them.
	Axis     xAxis
	X        plot.Range        // from 0 to the planned end, or further
	ZoomX    plot.Range        // the part of x that is shown; zero is all
	scales   map[string]*yAxis // by quantity; one that no panel shows any more stays
	portrait portraitAxes      // of (λ, η)
	Cross    plot.Cross        // the crosshair, in the unit of Axis
	Picked   int               // the run that is picked at the crosshair
	Eye      *Gallery          // the samples that the adversary weighs most
	frame    plot.Frame        // the frame to draw into, kept for its memory

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
		scales:  map[string]*yAxis{},
	}
}

// CurrentView returns the view that a panel shows now.
func (b *Board) CurrentView(p int) *View {
	v := b.chosenView(p)
	if b.Val && v.val != nil {
		return v.val
	}
	return v
}

// chosenView returns the chosen view of a panel, whatever the split. Keys change this view, and a
// heading asks it whether there is another split.
func (b *Board) chosenView(p int) *View { return &b.Panels[p].Views[b.Panels[p].View] }

// lineRows returns the runs of each line on a chart; hidden runs have none. By time seeds are
// apart, because they have clocks of their own, and runs whose logs have no times are left out.
// Whatever has a line on a chart goes by lineRows;
// tables and bars go by Rows.
func (b *Board) lineRows() [][]int {
	if b.Axis == byTime {
		untimed := func(row []int) bool { return !b.Runs.Tracks[row[0]].Timed() }
		return slices.DeleteFunc(b.Runs.visibleRows(b.Runs.singles()), untimed)
	}
	return b.Runs.visibleRows(b.Runs.Rows())
}

// front returns the run that is drawn last, over the others: the one picked at the crosshair, or
// the one under the cursor. A picked run that is not there any more is passed over.
func (b *Board) front() int {
	if b.Cross.On && b.Picked < len(b.Runs.Tracks) {
		return b.Picked
	}
	return b.Runs.Cursor
}

// NextStyle takes the next style of curves, and returns its name.
func (b *Board) NextStyle() string {
	b.style = (b.style + 1) % style(len(styleNames()))
	return styleNames()[b.style]
}

// Furnish makes panels and axes for the methods of the watched runs. The user's choices stay. It
// must come before Prepare, which keeps the curves of these panels, and both must come before a
// run's first event. Values for which there was no curve are lost until the log is read again.
func (b *Board) Furnish() {
	runs, before := metas(b.Runs.Tracks), b.Panels
	b.Panels = panels(b.BuiltIn(), b.Runs.Methods(), runs...)
	b.dropAbsentViews()
	for i := range b.Panels {
		p := &b.Panels[i]
		same := func(o Panel) bool { return o.Title == p.Title }
		if at := slices.IndexFunc(before, same); at >= 0 {
			p.View = min(before[at].View, len(p.Views)-1)
		}
	}
	b.Validates = slices.ContainsFunc(runs, lab.Validates)
	b.Val = b.Val && b.Validates
	b.skipEmptyViews()
	b.begunFirst()
	b.quantities = quantities(b.Panels)
	for _, q := range b.quantities {
		b.scale(&q)
	}
}

// FurnishOwn adds a panel, behind the others, for each of the programs' own values that has none,
// and reports whether there was such a value. A log tells of these values as it is read.
func (b *Board) FurnishOwn() (more bool) {
	for _, m := range b.Runs.Own() {
		if _, there := b.quantities[m.Name]; there {
			continue
		}
		more = true
		b.scale(&m)
		b.quantities[m.Name] = m
		b.Panels = append(b.Panels,
			Panel{Title: m.Title, Views: []View{{Curves: []string{m.Name}}}})
		for _, t := range b.Runs.Tracks {
			t.Keep(m.Name).Fresh = true
		}
	}
	if more {
		b.begunFirst()
	}
	return more
}

// begunFirst puts the panels that have something to show before the others, and so their curves,
// where all runs are logs of other programs: such a log may have few of drolab's measures, or none.
func (b *Board) begunFirst() {
	other := func(t *Track) bool { return t.Meta.Imported == nil || t.Meta.Predicted() }
	if len(b.Runs.Tracks) == 0 || slices.ContainsFunc(b.Runs.Tracks, other) {
		return
	}
	for i := range b.Panels {
		v := b.chosenView(i)
		v.begunFirst(b.Runs.Tracks)
		if v.val != nil {
			v.val.begunFirst(b.Runs.Tracks)
		}
	}
	begun := func(p Panel) bool { return b.hasBegun(&p) }
	empty := func(p Panel) bool { return !b.hasBegun(&p) }
	b.Panels = slices.Concat(slices.DeleteFunc(slices.Clone(b.Panels), empty),
		slices.DeleteFunc(slices.Clone(b.Panels), begun))
}

// begunFirst puts a curve that has begun before one that has not, also in the name of the view:
// where there is room for one curve alone, it is the first.
func (v *View) begunFirst(tracks []*Track) {
	begun := func(name string) bool {
		return slices.ContainsFunc(tracks, func(t *Track) bool { return t.has(name) })
	}
	if len(v.Curves) == 2 && !begun(v.Curves[0]) && begun(v.Curves[1]) {
		v.Curves = []string{v.Curves[1], v.Curves[0]}
		if first, second, both := strings.Cut(v.Name, " and "); both {
			v.Name = second + " and " + first
		}
	}
}

// hasBegun reports whether some run has a value that the chosen view of a panel shows.
func (b *Board) hasBegun(p *Panel) bool {
	v := &p.Views[p.View]
	return v.Bars != "" && b.inSummary(v) ||
		slices.ContainsFunc(v.Curves, func(name string) bool {
			return slices.ContainsFunc(b.Runs.Tracks, func(t *Track) bool { return t.has(name) })
		})
}

// has reports whether the run has had a value of a measure.
func (t *Track) has(name string) bool {
	last := t.read().Last
	return t.Run.Summary().Named(name).Applies() ||
		last != nil && last.Named(name).Applies() ||
		t.Eval != nil && t.Eval.Named(name).Applies()
}

// Prepare makes a run keep the curves and films that panels show, from its first event on.
func (b *Board) Prepare(t *Track) {
	t.Collect(b.quantities, filmMeasures(b.Panels, t.Meta), Buckets(len(b.Runs.Tracks)))
	t.smoothWith(smoothings()[b.smooth].make)
}

// Reset forgets what was fitted to other runs. An axis that began with their range would depend on
// what was watched before. Fit must follow.
func (b *Board) Reset() {
	b.X, b.ZoomX, b.portrait = plot.Range{}, plot.Range{}, portraitAxes{}
	b.Cross, b.Picked, b.orders = plot.Cross{}, 0, map[string][]int{}
	for _, y := range b.scales {
		y.span = plot.Range{}
	}
	b.Refit()
}

// allPredicted reports whether the predictions of all watched runs come from another program. Such
// a run has an evaluation, but no steps. A panel shows what the evaluation has, or says that there
// is nothing.
func (b *Board) allPredicted() bool {
	others := func(t *Track) bool { return !t.Meta.Predicted() }
	return len(b.Runs.Tracks) > 0 && !slices.ContainsFunc(b.Runs.Tracks, others)
}

// inSummary reports whether every measure that a view shows is in the summary of some run.
func (b *Board) inSummary(v *View) bool {
	for _, name := range v.Curves {
		has := func(t *Track) bool { return t.Run.Summary().Named(name).Applies() }
		if !slices.ContainsFunc(b.Runs.Tracks, has) {
			return false
		}
	}
	for _, name := range []string{v.Bars, v.Beside} {
		has := func(t *Track) bool {
			list := t.Run.Summary().ByGroup.Named(v.Named(name, t.Meta))
			return slices.ContainsFunc(list, measure.Number.Applies)
		}
		if name != "" && !slices.ContainsFunc(b.Runs.Tracks, has) {
			return false
		}
	}
	return !v.Phase && !v.ShowsSamples()
}

// dropAbsentViews removes views of measures that no run has, such as those that drolab learnt after
// the runs were recorded. Only views of the last panel and of rates of groups are removed: the
// others belong to the table. Nothing is removed while a run is not done, because it may still get
// the measure.
func (b *Board) dropAbsentViews() {
	going := func(t *Track) bool { return t.Run.Summary().Status != runner.Done }
	if len(b.Runs.Tracks) == 0 || slices.ContainsFunc(b.Runs.Tracks, going) {
		return
	}
	for i := range b.Panels {
		p, rest := &b.Panels[i], i == len(b.Panels)-1
		views := slices.DeleteFunc(slices.Clone(p.Views), func(v View) bool {
			return (rest && !b.ofStep(&v) || isRate(v.Bars)) && !b.inSummary(&v)
		})
		if len(views) > 0 {
			p.Views = views
		}
	}
}

// ofStep reports whether a view draws a measure of steps, which no evaluation has.
func (b *Board) ofStep(v *View) bool {
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

// skipEmptyViews turns panels of imported predictions that have nothing to show to a view that has
// something.
func (b *Board) skipEmptyViews() {
	if !b.allPredicted() {
		return
	}
	for i := range b.Panels {
		p := &b.Panels[i]
		had := func(v View) bool { return b.inSummary(&v) }
		if k := slices.IndexFunc(p.Views, had); k >= 0 && !b.inSummary(&p.Views[p.View]) {
			p.View = k
		}
	}
}
