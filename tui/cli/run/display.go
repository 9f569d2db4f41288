package run

import (
	"fmt"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/lists"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/tui/cell"
	"drolab/tui/cli/console"
	"drolab/tui/kit"
	"drolab/tui/lab"

	"github.com/charmbracelet/x/ansi"
)

// display shows runs on stderr: on a terminal as a block of one line per run, which is redrawn in
// place; elsewhere as a log.
type display struct {
	out           *cell.Writer
	screen, ascii bool
	width, height int // of the screen, in cells
	drawn         int // lines of the block that are on the screen
	runs          []*followedRun
	news          []string // lines to print once that concern no single run
	theme         *kit.Theme
}

// read adds the events that the runs have recorded since the last call. Events that cannot be read
// now may be readable at the next call; if not, the report at the end says so.
func (p *display) read() {
	for _, l := range p.runs {
		for {
			events, err := l.tail.Read()
			if err != nil || len(events) == 0 {
				break
			}
			for _, e := range events {
				l.add(e)
				if _, isEval := e.(*runner.EvalEvent); isEval && !p.screen {
					l.news = append(l.news, l.evalLine())
				}
				if fit, is := e.(*runner.RefitEvent); is && fit.Fit <= 0 && !p.screen {
					l.news = append(l.news, l.name()+": "+fit.Text())
				}
			}
		}
	}
}

// show writes the news and, on a terminal, the block.
func (p *display) show(last bool) {
	var b strings.Builder
	over := p.drawn
	for _, l := range p.runs {
		p.news, l.news = append(p.news, l.news...), nil
	}
	for _, line := range p.news {
		if p.screen { // wrap between words, before the terminal wraps
			line = strings.Join(kit.Wrap(line, max(1, p.width-1)), "\n  ")
		}
		b.WriteString(line + "\n")
	}
	p.news, p.drawn = nil, 0
	if p.screen && len(p.runs) > 0 {
		for _, line := range p.block(last) {
			b.WriteString(ansi.Truncate(cell.Clean(line), max(1, p.width-1), "") + "\n")
			p.drawn++
		}
	}
	if last {
		p.drawn = 0
	}
	if over > 0 {
		p.out.Over(over, b.String())
		return
	}
	p.out.Write([]byte(b.String()))
}

// block returns a line for each run. If the lines do not fit the screen, runs in progress come
// first, and a last line counts all runs by status.
func (p *display) block(last bool) []string {
	room := max(1, p.height-2)
	if last || len(p.runs) <= room {
		return p.lines(p.runs)
	}
	var busy, rest []*followedRun
	for _, l := range p.runs {
		if l.Status == runner.Running || l.Status == runner.Paused {
			busy = append(busy, l)
		} else {
			rest = append(rest, l)
		}
	}
	return append(p.lines(append(busy, rest...))[:room-1], "… "+countStatuses(p.runs))
}

// gap is the number of blanks between two columns of the block.
const gap = 2

// lines returns a line for each of the runs, in columns. The bar takes the room that is left.
func (p *display) lines(runs []*followedRun) []string {
	lines := p.draw(runs, console.BarLeast)
	left := max(0, p.width-1-cell.Width(lines[0]))
	return p.draw(runs, min(console.BarMost, console.BarLeast+left))
}

// draw draws the columns that have room beside a bar of some cells.
func (p *display) draw(runs []*followedRun, bar int) (lines []string) {
	var columns page.Fields[[]part]
	for k, x := range runs[0].parts(p, bar) {
		columns = append(columns, page.Field[[]part]{
			Column: page.Column{Words: true, Spare: x.spare},
			Cell:   func(row []part) string { return row[k].text }})
	}
	rows := lists.Map(runs, func(l *followedRun) []part { return l.parts(p, bar) })
	theme := *p.theme
	theme.ASCII = false // texts stay as they are
	grid := theme.Grid(columns.Table(rows, nil), p.width-1+gap, gap)
	for i, row := range rows {
		paint := func(k int, text string) string { return row[k].style.Paint(text) }
		lines = append(lines, grid.Line(i, paint)[gap:])
	}
	return lines
}

// countStatuses counts the runs by status.
func countStatuses(runs []*followedRun) string {
	counts := map[runner.Status]int{}
	for _, l := range runs {
		counts[l.Status]++
	}
	return strings.Join(lab.Counts(counts, runner.Queued, runner.Running, runner.Paused,
		runner.Done, runner.Stopped, runner.Failed), ", ")
}

// part is a piece of a run's line. On a narrow screen the pieces that can be spared most are left
// out. One that is too narrow for both the bar and the epoch shows the epoch.
type part struct {
	text  string
	spare int
	style kit.Style
}

// parts returns the parts of a run's line, each of a fixed width, so that columns do not move.
func (l *followedRun) parts(p *display, bar int) []part {
	var step runner.StepEvent
	if l.Last != nil {
		step = *l.Last
	}
	var mean, worst measure.Number
	if l.Eval != nil {
		mean = l.Eval.Named("test_accuracy")
		worst = l.Eval.Named(l.meta.MeasureFor("worst_class_accuracy"))
	}
	left := "–"
	if d, ok := l.Remaining(); ok {
		left = kit.Duration(d)
	}
	epoch := fmt.Sprintf("epoch %5.1f/%d", step.Epoch, l.meta.Spec.Epochs)
	if fit := l.Refitting(); fit != nil {
		epoch = fmt.Sprintf("%-*s", len(epoch), fit.Brief())
	}
	t := p.theme
	series := t.Line(kit.MethodNumber(dro.Place(l.meta.Spec.Algorithm())))
	_, state := lab.State(t, l.Status)
	return []part{
		{l.name(), 0, series},
		{console.Bar(l.Step, l.meta.Steps, bar, p.ascii), 2, series},
		{fmt.Sprintf("%-7s", l.Status), 4, state},
		{epoch, 1, t.Text},
		{fmt.Sprintf("worst %6s", console.Percent(worst)), 3, t.Title},
		{fmt.Sprintf("ETA %-7s", left), 5, t.Text},
		{fmt.Sprintf("mean %7s", console.Percent(mean)), 6, t.Text},
		{fmt.Sprintf("batch loss %-6s", console.Short(step.Named("loss"))), 7, t.Text},
		{fmt.Sprintf("%7s samples/s now", console.Whole(step.ImagesPerSecond)), 8, t.Dim},
		{fmt.Sprintf("λ %-6s", console.Short(step.Named("lambda"))), 9, t.Text},
	}
}
