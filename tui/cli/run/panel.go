package run

import (
	"fmt"
	"slices"
	"strings"

	"drolab/runner"
	"drolab/runner/measure"
	cells "drolab/tui/cell"
	"drolab/tui/cli/console"
	"drolab/tui/kit"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// panel shows runs on stderr: on a terminal as a block of lines, one a run,
// that is drawn over itself; elsewhere as a log.
type panel struct {
	out           *cells.Writer
	screen, ascii bool
	width, height int // of the screen, in cells
	drawn         int // lines of the block that stand on the screen
	runs          []*live
	news          []string // of no run alone: lines to print once
}

func (p *panel) resize(width, height int) { p.width, p.height = width, height }

// look takes in what the runs have recorded since the last look. What cannot
// be read now may be at the next look; the report at the end says so if not.
func (p *panel) look() {
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

// block returns a line for each run. Where they do not fit the screen, the
// runs in progress come first and the rest is counted.
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

// part is a piece of a run's line; where the screen is narrow, those of the
// highest rank go first.
type part struct {
	text string
	rank int
}

// barRank is where the bar stands in that order: a screen too narrow for the
// bar and the epoch shows the epoch.
const barRank = 2

func (p *panel) line(l *live) string {
	parts := l.parts(p.nameWidth())
	withBar := true
	for total(parts, withBar) > p.width-1 && len(parts) > 1 {
		lowest := slices.MaxFunc(parts, func(a, b part) int { return a.rank - b.rank })
		if withBar && lowest.rank <= barRank {
			withBar = false
			continue
		}
		parts = slices.DeleteFunc(parts, func(x part) bool { return x.rank == lowest.rank })
	}
	var words []string
	for i, x := range parts {
		words = append(words, x.text)
		if i == 0 && withBar {
			room := p.width - 1 - total(parts, true) + console.BarLeast
			words = append(words, console.Bar(l.Step, l.meta.Steps,
				min(console.BarMost, max(console.BarLeast, room)), p.ascii))
		}
	}
	return strings.Join(words, "  ")
}

// total is the width of a line, with the smallest bar if there is one.
func total(parts []part, withBar bool) int {
	n := 0
	if withBar {
		n = console.BarLeast + 2
	}
	for _, x := range parts {
		n += lipgloss.Width(x.text) + 2
	}
	return n - 2
}

func (p *panel) nameWidth() int {
	n := 0
	for _, l := range p.runs {
		n = max(n, lipgloss.Width(l.name()))
	}
	return n
}

// parts lists the figures, each in a fixed width, so that columns stand still.
func (l *live) parts(nameWidth int) []part {
	var step runner.StepEvent
	if l.Last != nil {
		step = *l.Last
	}
	var accuracy measure.Number
	if l.Eval != nil {
		accuracy = l.Eval.Of("test_accuracy")
	}
	left := "–"
	if d, ok := l.Remaining(); ok {
		left = kit.Clock(d)
	}
	name := l.name()
	return []part{
		{name + strings.Repeat(" ", max(0, nameWidth-lipgloss.Width(name))), 0},
		{fmt.Sprintf("%-7s", l.Status), 3},
		{fmt.Sprintf("epoch %5.1f/%d", step.Epoch, l.meta.Spec.Epochs), 1},
		{fmt.Sprintf("loss %-6s", console.Short(step.Of("loss"))), 4},
		{fmt.Sprintf("test %7s", console.Percent(accuracy)), 5},
		{fmt.Sprintf("λ %-6s", console.Short(step.Of("lambda"))), 8},
		{fmt.Sprintf("%7s images/s", console.Whole(step.ImagesPerSecond)), 7},
		{fmt.Sprintf("ETA %-7s", left), 6},
	}
}
