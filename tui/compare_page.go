package tui

import (
	"slices"
	"time"

	"drolab/runner/compare"
	"drolab/runner/record"
	"drolab/tui/plot"

	tea "charm.land/bubbletea/v2"
)

// comparePane is the Compare page: the paper's Table 1 over runs and seeds,
// what makes the comparison unfair, and curves.
//
//	compareMsg | enter -> compareRuns (files) -> comparedMsg -> table, notes
//	                                          -> readEvals (logs) -> curvesMsg -> series -> chart
//
// Runs that were chosen hold still; the newest experiment takes in those of its
// runs that end meanwhile.
type comparePane struct {
	*shared
	asked   bool // for runs that were selected
	round   int  // of the last question
	loading bool
	looked  time.Time // for what has ended meanwhile
	live    bool      // some run may end soon

	about  string // the preset that is compared, where nothing was selected
	runs   []*record.Run
	table  *compare.Table
	diffs  []compare.KeyDiff
	logs   []Log
	series [][]*plot.Series // by run, then by curve
	err    error

	part        comparePart
	measure     int // of curves()
	top, column int // first line and first row of the table that are shown
	scroll      int // first line of the notes
	memo        memo
	drawn       canvas // the curves
}

// comparePart is a part of the page; where there is room for one only, it is
// the one that is shown.
type comparePart int

const (
	tablePart comparePart = iota
	curvesPart
	notesPart
	compareParts // how many
)

func newComparePage(s *shared) page { return &comparePane{shared: s} }

func (*comparePane) title() string { return "Compare" }

func (*comparePane) typing() bool { return false }

// enter compares the newest experiment unless runs were chosen.
func (p *comparePane) enter() tea.Cmd {
	if p.asked {
		return nil
	}
	return p.ask(nil)
}

// ask asks for the table of runs; none are the newest experiment's.
func (p *comparePane) ask(ids []string) tea.Cmd {
	p.round++
	p.loading, p.asked = true, len(ids) > 0
	return compareRuns(p.source, ids, p.round)
}

// move scrolls the table, or the notes where they have the focus.
func (p *comparePane) move(by int) {
	lay := p.layout(p.body.w, p.body.h)
	box := boxed(p.body.h)
	if p.part == notesPart {
		w, h := inside(box, lay.notes.w, lay.notes.h)
		p.scroll = min(max(0, p.scroll+by), max(0, len(p.noteLines(w))-h))
		return
	}
	_, h := inside(box, lay.table.w, lay.table.h)
	p.top = min(max(0, p.top+by), max(0, len(p.tableRows())-(h-headRows)))
}

func (p *comparePane) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case compareMsg:
		return p.ask(msg.ids)
	case comparedMsg:
		if msg.round != p.round {
			break
		}
		p.live = msg.live
		if p.loading || !sameRuns(msg.runs, p.runs) {
			p.round++ // what is still read for the curves is of another table
			return p.take(msg)
		}
	case curvesMsg:
		if msg.round == p.round {
			return p.grow(msg)
		}
	case tickMsg:
		return p.tick(time.Time(msg))
	case wheelMsg:
		switch {
		case p.table == nil:
		case msg.down:
			p.move(1)
		default:
			p.move(-1)
		}
	case clickMsg:
		p.part = p.layout(p.body.w, p.body.h).at(msg.x, msg.y, p.part)
	}
	return nil
}

// tick looks whether runs of the newest experiment have ended, or of a newer one.
func (p *comparePane) tick(now time.Time) tea.Cmd {
	if p.loading || p.asked || now.Sub(p.looked) < lookAfter(p.live) {
		return nil
	}
	p.looked = now
	return compareRuns(p.source, nil, p.round)
}

func sameRuns(a, b []*record.Run) bool {
	return slices.EqualFunc(a, b, func(x, y *record.Run) bool { return x.Meta.ID == y.Meta.ID })
}

// take shows a new table and starts to read the curves.
func (p *comparePane) take(msg comparedMsg) tea.Cmd {
	p.loading, p.err = false, msg.err
	p.about, p.runs, p.table, p.diffs, p.logs = msg.preset, msg.runs, msg.table, msg.diffs, msg.logs
	p.top, p.column, p.scroll, p.series = 0, 0, 0, nil
	var cmds []tea.Cmd
	for i := range p.logs {
		list := make([]*plot.Series, len(curves()))
		for c, curve := range curves() {
			list[c] = plot.NewSeries(curve.title)
		}
		p.series = append(p.series, list)
		cmds = append(cmds, p.readOn(i))
	}
	return tea.Batch(cmds...)
}

// grow appends what was read to the curves of a run and goes on reading.
func (p *comparePane) grow(msg curvesMsg) tea.Cmd {
	resumed := false
	for _, e := range msg.evals {
		for c, curve := range curves() {
			s := p.series[msg.run][c]
			switch {
			case e == nil:
			case resumed:
				s.Rewind(e.Epoch)
			default:
				s.Append(e.Epoch, curve.of(e).Float())
			}
		}
		resumed = e == nil
	}
	if msg.err != nil {
		return complain(msg.err)
	}
	if msg.end {
		return nil
	}
	return p.readOn(msg.run)
}

func (p *comparePane) readOn(run int) tea.Cmd {
	return readEvals(p.logs[run], run, p.runs[run].Meta.StepsPerEpoch, p.round)
}
