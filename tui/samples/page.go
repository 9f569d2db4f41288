package samples

import (
	"cmp"
	"slices"

	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/certificate"
	"drolab/runner/inspect"
	"drolab/runner/record"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// Page is the Samples page.
//
//	lab.Samples -> ask -> job (percentMsg ...) -> pickedMsg -> arrange (part, order) -> view
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
	job     *job // the job under way; nil for none
	percent int  // how far the job is

	steps []int64       // the run's checkpoints, ascending
	pick  *inspect.Pick // nil before the first answer
	err   error         // why there is no pick

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
	orders // the number of orders
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

// Absent reports whether no run was asked for. The page then has no tab.
func (p *Page) Absent() bool { return p.run == nil }

// Seek does nothing, because the page shows only what was asked for.
func (*Page) Seek() tea.Cmd { return nil }

// Update implements the interface's page.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case lab.Samples:
		return p.open(msg.Run)
	case percentMsg:
		if msg.of == p.job {
			p.percent = msg.percent
		}
		return msg.of.next
	case pickedMsg:
		if msg.of == p.job { // otherwise the job was given up
			p.take(msg)
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
	p.run, p.step, p.split, p.part, p.rho = r, -1, runner.SplitTest, 0, -1
	return p.ask()
}

// ask starts an evaluation in the background.
func (p *Page) ask() tea.Cmd {
	p.stop()
	p.pick, p.err, p.percent, p.shown, p.zoomed = nil, nil, 0, nil, false
	p.job = &job{source: p.Source, evaluate: p.Evaluate, question: inspect.Question{Run: p.run,
		Step: p.step, Split: p.split, Means: p.means(),
		Inspection: certificate.Inspection{Threads: max(1, p.Config.Cores)}}}
	return p.job.start()
}

// means returns the data and programs that the user may use. A viewer may start no program.
func (p *Page) means() certificate.Means {
	m := certificate.Means{DataDir: p.Config.DataDir}
	if !p.Config.ReadOnly {
		m.Programs = bridge.Approvals(p.Config.ProgramsDir)
	}
	return m
}

// stop gives up the job under way.
func (p *Page) stop() {
	if p.job != nil {
		p.job.cancel()
		p.job = nil
	}
}

// take takes in the result of the job.
func (p *Page) take(msg pickedMsg) {
	p.job.cancel()
	p.job, p.run, p.steps, p.pick, p.err = nil, msg.run, msg.steps, msg.pick, msg.err
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
			return cmp.Compare(a.Group, b.Group)
		case byRow:
			return cmp.Compare(a.Row, b.Row)
		}
		return 0
	})
}

// current returns the sample under the cursor; nil if no sample is listed.
func (p *Page) current() *inspect.Sample {
	if p.at >= len(p.shown) {
		return nil
	}
	return &p.pick.Samples[p.shown[p.at]]
}
