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
// One job counts at a time: another question gives up the one before. The run, its
// folder and its data are only read.
type Page struct {
	*lab.Lab
	// Evaluate is how samples are looked at.
	Evaluate Evaluate

	run     *record.Run // that was asked for; nil before one was
	step    int64       // of the checkpoint that was asked for; below 0 the newest
	split   string
	job     *job // under way; nil
	percent int  // of it

	steps []int64       // of the run's checkpoints, ascending
	pick  *inspect.Pick // nil before the first
	err   error         // why there is none

	part  int // of the pick
	rho   int // a place of its radii
	order order
	shown []int // places of its samples
	at    int   // the cursor, a place of shown

	listed bool // the list, though there is room for pictures
	zoomed bool // the sample under the cursor on the whole page
}

// order is what the samples of a part are sorted by; those that are alike by weight.
type order int

const (
	byWeight order = iota
	byClasses
	byGroup
	byRow
	orders // how many
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

// Absent tells that no run was asked for: the page has no tab then.
func (p *Page) Absent() bool { return p.run == nil }

// Seek looks for nothing: what there is was asked for.
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
		if msg.of == p.job { // not of a job that was given up
			p.take(msg)
		}
	case kit.Wheel:
		p.move(msg.By())
	case kit.Click:
		p.click(msg)
	}
	return nil
}

// open turns to a run, whose test split it shows. What is shown of it already stays.
func (p *Page) open(r *record.Run) tea.Cmd {
	if p.run != nil && r.Dir == p.run.Dir && p.err == nil {
		return nil
	}
	p.run, p.step, p.split, p.part, p.rho = r, -1, runner.SplitTest, 0, -1
	return p.ask()
}

// ask evaluates in the background.
func (p *Page) ask() tea.Cmd {
	p.stop()
	p.pick, p.err, p.percent, p.shown, p.zoomed = nil, nil, 0, nil, false
	p.job = &job{source: p.Source, evaluate: p.Evaluate, question: inspect.Question{Run: p.run,
		Step: p.step, Split: p.split, Means: p.means(),
		Inspection: certificate.Inspection{Threads: max(1, p.Config.Cores)}}}
	return p.job.start()
}

// means are those of who looks: a viewer starts nothing.
func (p *Page) means() certificate.Means {
	m := certificate.Means{DataDir: p.Config.DataDir}
	if !p.Config.ReadOnly {
		m.Programs = bridge.Approvals(p.Config.ProgramsDir)
	}
	return m
}

// stop gives up what is under way.
func (p *Page) stop() {
	if p.job != nil {
		p.job.cancel()
		p.job = nil
	}
}

// take takes in what came of the job.
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

// arrange lists the samples of the part in their order.
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

// current is the sample under the cursor; nil where none is shown.
func (p *Page) current() *inspect.Sample {
	if p.at >= len(p.shown) {
		return nil
	}
	return &p.pick.Samples[p.shown[p.at]]
}
