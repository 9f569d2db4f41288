package run

import (
	"fmt"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	cells "drolab/tui/cell"
	"drolab/tui/cli/console"
	"drolab/tui/kit"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// panel shows runs on stderr: on a terminal as a block of one line per run, which is redrawn in
// place; elsewhere as a log.
type panel struct {
	out           *cells.Writer
	screen, ascii bool
	width, height int // of the screen, in cells
	drawn         int // lines of the block that are on the screen
	runs          []*live
	news          []string // lines to print once that concern no single run
	theme         *kit.Theme
}

func (p *panel) resize(width, height int) { p.width, p.height = width, height }

// read adds the events that the runs have recorded since the last call. Events that cannot be read
// now may be readable at the next call; if not, the report at the end says so.
func (p *panel) read() {
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
			}
		}
	}
}

// show writes the news and, on a terminal, the block.
func (p *panel) show(last bool) {
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
	if p.screen {
		for _, line := range p.block(last) {
			b.WriteString(ansi.Truncate(console.Clean(line), max(1, p.width-1), "") + "\n")
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
func (p *panel) block(last bool) []string {
	room := max(1, p.height-2)
	if last || len(p.runs) <= room {
		return lines(p.runs, p.line)
	}
	var busy, rest []*live
	for _, l := range p.runs {
		if l.Status == runner.Running || l.Status == runner.Paused {
			busy = append(busy, l)
		} else {
			rest = append(rest, l)
		}
	}
	shown := append(busy, rest...)[:room-1]
	return append(lines(shown, p.line), "… "+tally(p.runs))
}

func lines(runs []*live, line func(*live) string) []string {
	var list []string
	for _, l := range runs {
		list = append(list, line(l))
	}
	return list
}

// tally counts the runs by status.
func tally(runs []*live) string {
	counts := map[runner.Status]int{}
	for _, l := range runs {
		counts[l.Status]++
	}
	return console.Tally(counts, runner.Queued, runner.Running, runner.Paused, runner.Done,
		runner.Stopped, runner.Failed)
}

// part is a piece of a run's line. On a narrow screen the parts of the highest rank are dropped
// first.
type part struct {
	text  string
	rank  int
	style kit.Style
}

// barRank is the rank of the bar. A screen too narrow for both the bar and the epoch shows the
// epoch.
const barRank = 2

// fit returns what fits in all lines: the parts up to a rank, and a bar of some cells, 0 for no
// bar. All lines share these values, so that their parts form columns.
func (p *panel) fit() (rank, bar int) {
	widest := func(rank int) (n int) {
		for _, l := range p.runs {
			n = max(n, total(l.parts(p), rank))
		}
		return n
	}
	rank = 9
	least := console.BarLeast + gap
	for ; rank > 0; rank-- {
		with := 0
		if rank >= barRank {
			with = least
		}
		if widest(rank)+with <= p.width-1 {
			break
		}
	}
	if rank < barRank {
		return rank, 0
	}
	return rank, min(console.BarMost, p.width-1-widest(rank)-gap)
}

// gap is the number of blanks between two parts.
const gap = 2

// total returns the width of the parts up to a rank, in cells.
func total(parts []part, rank int) int {
	n := -gap
	for _, x := range parts {
		if x.rank <= rank {
			n += lipgloss.Width(x.text) + gap
		}
	}
	return n
}

func (p *panel) line(l *live) string {
	rank, bar := p.fit()
	t, series := p.look(), kit.Style{}
	if i := slices.Index(dro.Algorithms(), l.meta.Spec.Algorithm()); i >= 0 {
		series = t.Series[i%kit.Colors]
	}
	var words []string
	for i, x := range l.parts(p) {
		if x.rank > rank {
			continue
		}
		if i == 0 {
			x.style = series
		}
		words = append(words, x.style.Paint(x.text))
		if i == 0 && bar > 0 {
			words = append(words,
				series.Paint(console.Bar(l.Step, l.meta.Steps, bar, p.ascii)))
		}
	}
	return strings.Join(words, strings.Repeat(" ", gap))
}

// look returns the theme of the panel; without a theme nothing has a colour.
func (p *panel) look() *kit.Theme {
	if p.theme == nil {
		p.theme = kit.NewTheme(0, true, p.ascii)
		p.theme.Bare()
	}
	return p.theme
}

func (p *panel) nameWidth() int {
	n := 0
	for _, l := range p.runs {
		n = max(n, lipgloss.Width(l.name()))
	}
	return n
}

// parts returns the parts of a run's line, each of a fixed width, so that columns do not move.
func (l *live) parts(p *panel) []part {
	var step runner.StepEvent
	if l.Last != nil {
		step = *l.Last
	}
	var mean, worst measure.Number
	if l.Eval != nil {
		mean, worst = l.Eval.Of("test_accuracy"), l.Eval.Of(l.meta.Fit("worst_class_accuracy"))
	}
	left := "–"
	if d, ok := l.Remaining(); ok {
		left = kit.Clock(d)
	}
	name, nameWidth, t := l.name(), p.nameWidth(), p.look()
	state := t.Dim
	switch l.Status {
	case runner.Running:
		state = t.Accent
	case runner.Done:
		state = t.Good
	case runner.Failed:
		state = t.Bad
	}
	return []part{
		{name + strings.Repeat(" ", max(0, nameWidth-lipgloss.Width(name))), 0, t.Text},
		{fmt.Sprintf("%-7s", l.Status), 4, state},
		{fmt.Sprintf("epoch %5.1f/%d", step.Epoch, l.meta.Spec.Epochs), 1, t.Text},
		{fmt.Sprintf("worst %6s", console.Percent(worst)), 3, t.Title},
		{fmt.Sprintf("ETA %-7s", left), 5, t.Text},
		{fmt.Sprintf("mean %7s", console.Percent(mean)), 6, t.Text},
		{fmt.Sprintf("loss %-6s", console.Short(step.Of("loss"))), 7, t.Text},
		{fmt.Sprintf("%7s images/s", console.Whole(step.ImagesPerSecond)), 8, t.Dim},
		{fmt.Sprintf("λ %-6s", console.Short(step.Of("lambda"))), 9, t.Text},
	}
}
