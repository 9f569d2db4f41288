package samples

import (
	"cmp"
	"slices"

	"drolab/runner"
	"drolab/runner/certificate"
	"drolab/runner/record"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// Page is the Samples page.
//
//	lab.Samples -> startJob -> job -> pickedMsg -> arrange (part, order) -> view
//	kit.Tick -> progressMsg, while the job is further than what is shown
//
// Only the newest job counts: another question gives up the job before it. The run, its folder and
// its data are only read.
type Page struct {
	*lab.Lab
	// Evaluate evaluates the samples.
	Evaluate Evaluate

	run     *record.Run // the run that was asked for; nil before the first
	step    int64       // the checkpoint that was asked for; below 0 the newest
	split   string
	job     *job  // the job under way; nil for none
	percent int64 // how far the job is, as shown

	steps []int64           // the run's checkpoints, ascending
	pick  *certificate.Pick // nil before the first answer
	err   error             // why there is no pick

	part  int // the filter, an index of the pick's parts
	rho   int // the radius, an index of the pick's radii
	order order
	shown []int // the listed samples, indices of the pick's samples
	at    int   // the cursor, an index of shown

	listed bool // the list is shown, even if there is room for pictures
	zoomed bool // the sample under the cursor fills the page
}

// order is the order of the samples of a part. Samples that are equal in it are sorted by weight.
type order int

const (
	byWeight order = iota
	byClasses
	byGroup
	byRow
	orderCount // the number of orders
)

func (o order) String() string {
	return [...]string{"heaviest first", "by label, prediction", "by group", "by row"}[o]
}

// New returns the page.
func New(s *lab.Lab) *Page { return &Page{Lab: s, Evaluate: evaluate} }

// Title implements the interface's page.
func (*Page) Title() string { return "Samples" }

// Typing implements the interface's page.
func (*Page) Typing() bool { return false }

// Init implements the interface's page.
func (*Page) Init() tea.Cmd { return nil }

// Held returns the run that was asked for.
func (p *Page) Held() []*record.Run {
	if p.run == nil {
		return nil
	}
	return []*record.Run{p.run}
}

// Absent reports whether no run was asked for. The page then has no tab.
func (p *Page) Absent() bool { return p.run == nil }

// Seek does nothing, because the page shows only what was asked for.
func (*Page) Seek() tea.Cmd { return nil }

// Update implements the interface's page.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case lab.Samples:
		return p.open(msg.Run)
	case kit.Tick:
		if p.job != nil && p.job.percent.Load() != p.percent {
			return kit.Send(progressMsg{})
		}
	case progressMsg:
		if p.job != nil {
			p.percent = p.job.percent.Load()
		}
	case pickedMsg:
		if msg.job == p.job { // otherwise the job was given up
			p.showPick(msg)
		}
	case lab.Gone:
		if p.run != nil && msg.Has(p.run) {
			p.stop()
			p.run, p.pick, p.err, p.shown = nil, nil, nil, nil
		}
	case kit.Wheel:
		p.move(msg.By())
	case kit.Click:
		p.click(msg)
	}
	return nil
}

// open turns to the test split of a run. If the page shows that run already, it stays as it is.
func (p *Page) open(r *record.Run) tea.Cmd {
	if p.run != nil && r.Dir == p.run.Dir && p.err == nil {
		return nil
	}
	p.run, p.split = r, runner.SplitTest
	p.step, p.rho = -1, -1 // the newest checkpoint, and the run's own radius
	p.part = 0
	return p.startJob()
}

// startJob starts an evaluation in the background.
func (p *Page) startJob() tea.Cmd {
	p.stop()
	p.pick, p.err = nil, nil
	p.percent, p.shown = 0, nil
	p.zoomed = false
	means := certificate.Means{DataDir: p.Config.DataDir}
	if !p.Config.ReadOnly { // a viewer may start no program
		means.Programs = p.Config.Programs
	}
	p.job = &job{source: p.Source, evaluate: p.Evaluate, question: certificate.ViewOf{Run: p.run,
		Step: p.step, Split: p.split, Means: means,
		Inspection: certificate.Inspection{Threads: max(1, p.Config.Cores)}}}
	return p.job.start(p.Config.UntilLeft())
}

// stop gives up the job under way.
func (p *Page) stop() {
	if p.job != nil {
		p.job.cancel()
		p.job = nil
	}
}

// showPick takes in the result of the job.
func (p *Page) showPick(msg pickedMsg) {
	p.job.cancel()
	p.job = nil
	p.run, p.steps = msg.run, msg.steps
	p.pick, p.err = msg.pick, msg.err
	if p.err != nil {
		return
	}
	p.step = p.pick.Step
	if p.rho < 0 || p.rho >= len(p.pick.Radii) {
		p.rho = max(0, slices.Index(p.pick.Radii, p.run.Meta.Spec.Rho))
	}
	p.part = min(p.part, len(p.pick.Parts)-1)
	p.arrange()
}

// arrange lists the samples of the part in the chosen order.
func (p *Page) arrange() {
	p.shown, p.at = slices.Clone(p.pick.Parts[p.part].Samples), 0
	slices.SortStableFunc(p.shown, func(i, j int) int {
		a, b := &p.pick.Samples[i], &p.pick.Samples[j]
		switch p.order {
		case byClasses:
			return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.Prediction, b.Prediction))
		case byGroup:
			return slices.Compare(a.Groups, b.Groups)
		case byRow:
			return cmp.Compare(a.Row, b.Row)
		}
		return 0
	})
}

// current returns the sample under the cursor; nil if no sample is listed.
func (p *Page) current() *certificate.Sample {
	if p.at >= len(p.shown) {
		return nil
	}
	return &p.pick.Samples[p.shown[p.at]]
}

// Keys implements the interface's page.
func (p *Page) Keys() []kit.Key {
	const all = 1 << 20
	return []kit.Key{
		{Keys: kit.On("enter", "z"), Hint: "zoom",
			Help: "zoom the sample to the whole page, and back",
			Why:  p.noCurrent, Act: kit.Just(func() { p.zoomed = !p.zoomed })},
		kit.Move("up", p.noCurrent, p.moveRow, -1, "up", "k"),
		kit.Move("down", p.noCurrent, p.moveRow, 1, "down", "j"),
		kit.Move("previous sample", p.noCurrent, p.move, -1, "left", "h"),
		kit.Move("next sample", p.noCurrent, p.move, 1, "right", "l"),
		kit.Move("a page up", p.noCurrent, p.movePage, -1, "pgup"),
		kit.Move("a page down", p.noCurrent, p.movePage, 1, "pgdown"),
		kit.Move("first", p.noCurrent, p.move, -all, "home", "g"),
		kit.Move("last", p.noCurrent, p.move, all, "end", "G"),
		{Keys: kit.On("esc"), Hint: "cancel", Help: "stop evaluating", Why: p.noCancel,
			Act: kit.Just(p.cancel)},
		kit.Back("go back", p.states),
		{Keys: kit.On("f"), Hint: "filter",
			Help: "only wrong predictions, only one class or group, or all",
			Why:  p.noPick, Act: kit.By(p.nextPart, 1)},
		{Keys: kit.On("F"), Help: "previous filter", Why: p.noPick, Act: kit.By(p.nextPart, -1)},
		{Keys: kit.On("s"), Hint: "sort", Why: p.noCurrent, Act: kit.Just(p.nextOrder),
			Help: "sort by weight, by label and prediction, by group or by row"},
		{Keys: kit.On("+", "="), Hint: "ρ", Help: "the next larger radius of the run",
			Why: p.noRadius(1), Act: kit.By(p.turnRadius, 1)},
		{Keys: kit.On("-"), Help: "the next smaller radius", Why: p.noRadius(-1),
			Act: kit.By(p.turnRadius, -1)},
		{Keys: kit.On("v"), Hint: "view", Help: "thumbnails or a list", Why: p.noThumbs,
			Act: kit.Just(func() { p.listed = !p.listed })},
		{Keys: kit.On("m"), Hint: "split", Help: "the test, the validation or the training split",
			Why: p.noRun, Act: p.nextSplit, Local: true},
		{Keys: kit.On("c"), Hint: "checkpoint", Help: "previous checkpoint, then the newest again",
			Why: p.noStep, Act: p.nextStep, Local: true},
		{Keys: kit.On("r"), Help: "evaluate again, at the newest checkpoint", Why: p.noRun,
			Act: p.renew, Local: true},
		{Keys: kit.On("i"), Hint: "define", Help: "define what is shown",
			Why: p.noPick, Act: p.define},
	}
}

// noCancel returns the reason why Esc cancels nothing: no evaluation is under way.
func (p *Page) noCancel() string { return kit.Unless(p.job != nil, "No evaluation is running") }

// noPick says why there is nothing to see.
func (p *Page) noPick() string {
	switch why := p.noRun(); {
	case why != "":
		return why
	case p.job != nil:
		return "The samples are being evaluated"
	}
	return kit.Unless(p.pick != nil, "No samples were evaluated. r tries again")
}

func (p *Page) noRun() string {
	return kit.Unless(p.run != nil, "No run chosen. Press P on a run of page 2 or 3")
}

// noSample is said where the filter leaves nothing.
const noSample = "No sample matches"

// noCurrent says why no sample is under the cursor.
func (p *Page) noCurrent() string {
	return cmp.Or(p.noPick(), kit.Unless(p.current() != nil, noSample))
}

func (p *Page) noRadius(by int) func() string {
	return func() string {
		if why := p.noPick(); why != "" {
			return why
		}
		to := p.rho + by
		return kit.Unless(to >= 0 && to < len(p.pick.Radii),
			"The run has no further radius (see risk_radii)")
	}
}

func (p *Page) noThumbs() string {
	if why := p.noCurrent(); why != "" {
		return why
	}
	_, w, h := p.main()
	return kit.Unless(p.layThumbs(w, h).size > 0, "No pictures here, or no room for them")
}

func (p *Page) noStep() string {
	return cmp.Or(p.noRun(), kit.Unless(len(p.steps) > 1, "The run has no other checkpoint"))
}

func (p *Page) move(by int) { p.at = max(0, min(p.at+by, len(p.shown)-1)) }

// moveRow moves by this many lines of the list or of the thumbnails; in the zoom, by samples.
func (p *Page) moveRow(by int) {
	across, _ := p.page()
	if to := p.at + by*across; p.zoomed {
		p.move(by)
	} else if to >= 0 && to < len(p.shown) {
		p.at = to
	}
}

func (p *Page) movePage(by int) {
	across, down := p.page()
	p.move(by * across * max(1, down))
}

// cancel gives up the evaluation under way. The run stays chosen, so that r evaluates it again.
func (p *Page) cancel() {
	p.stop()
	p.err = errCancelled
}

// states returns what Esc undoes: the zoom or, without a zoom, the filter.
func (p *Page) states() []kit.State {
	return []kit.State{
		{Is: p.zoomed, Undo: kit.Just(func() { p.zoomed = false })},
		{Is: p.pick != nil && p.part > 0, Undo: kit.Just(func() {
			p.part = 0
			p.arrange()
		})},
	}
}

func (p *Page) nextPart(by int) {
	n := len(p.pick.Parts)
	p.part = (p.part + n + by) % n
	p.arrange()
}

// nextOrder goes on to the next order. Without groups it skips the order by group.
func (p *Page) nextOrder() {
	p.order = (p.order + 1) % orderCount
	if p.order == byGroup && p.pick.Groups == nil {
		p.order++
	}
	p.arrange()
}

func (p *Page) turnRadius(by int) { p.rho += by }

// nextSplit goes on to the next split that the run has.
func (p *Page) nextSplit() tea.Cmd {
	list := runner.Splits()
	if p.run.Meta.ClassCounts.Val == nil {
		list = slices.DeleteFunc(list, func(s string) bool { return s == runner.SplitVal })
	}
	p.split, p.part = list[(slices.Index(list, p.split)+1)%len(list)], 0
	return p.startJob()
}

// nextStep goes back to the previous checkpoint and, after the first one, to the newest again.
func (p *Page) nextStep() tea.Cmd {
	at, _ := slices.BinarySearch(p.steps, p.step)
	p.step = p.steps[(at+len(p.steps)-1)%len(p.steps)]
	return p.startJob()
}

func (p *Page) renew() tea.Cmd {
	p.step = -1
	return p.startJob()
}

// click puts the cursor on a sample, and zooms the sample if the cursor is there already.
func (p *Page) click(m kit.Click) {
	if p.noPick() != "" || p.zoomed {
		p.zoomed = false
		return
	}
	if at, ok := p.sampleAt(m.X, m.Y); ok {
		p.zoomed, p.at = at == p.at, at
	}
}
