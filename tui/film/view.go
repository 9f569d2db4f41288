package film

import (
	"fmt"
	"strings"

	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/plot"
)

// The least size of the page on which the film is drawn.
const (
	leastWidth  = 78
	leastHeight = 20
)

// View implements the interface's page.
func (p *Page) View(w, h int) []string {
	t := p.Theme
	if w < leastWidth || h < leastHeight {
		return kit.Fill([]string{"", " " + tooSmall}, w, h)
	}
	if p.problem != nil {
		return t.Empty("Film", t.Wrong(p.problem, w-4), w, h)
	}
	const head, foot = 3, 1
	if p.reel == nil {
		return kit.Fill(p.caption(question, w), w, h)
	}
	at, epoch := place(p.at, p.reel.epochs)
	c := chapters()[at]
	says := question
	if m := p.reel.at(epoch); m.base != nil {
		says = c.says(p.reel, m)
	}
	blocks := []kit.Placed{
		{Rect: kit.Area(0, 0, w, head), Lines: kit.Fill(p.caption(says, w), w, head)},
		{Rect: kit.Area(0, h-foot, w, foot), Lines: []string{p.timeline(at, epoch, w)}},
	}
	body := kit.Area(0, head, w, h-head-foot)
	if p.ended() {
		blocks = append(blocks, p.result(body))
	} else {
		blocks = append(blocks, p.scene(body, c, epoch)...)
	}
	return kit.Compose(w, h, blocks)
}

// at returns the newest moments at an epoch.
func (r *reel) at(epoch float64) pair {
	return pair{r.tracks[baseline].at(epoch), r.tracks[hero].at(epoch)}
}

// caption lays out what is said.
func (p *Page) caption(text string, w int) (lines []string) {
	for _, line := range kit.Wrap(p.Theme.Greek(text), w-3) {
		lines = append(lines, " "+p.Theme.Title.Paint(line))
	}
	return lines
}

// timeline draws where the film is.
func (p *Page) timeline(at int, epoch float64, w int) string {
	t, all := p.Theme, begins(len(chapters()))
	note := fmt.Sprintf(" %d/%d %s · epoch %.0f of %.0f ", at+1, len(chapters()),
		chapters()[at].title, epoch, p.reel.epochs)
	note = t.Greek(note)
	return kit.Left(" "+t.Progress(min(1, p.at/all), max(0, w-cell.Width(note)-2), t.Accent)+
		t.Dim.Paint(note), w)
}

// scene draws the bars, the table of the methods, the pictures and the path of z.
func (p *Page) scene(r kit.Rect, c chapter, epoch float64) []kit.Placed {
	t, list := p.Theme, p.reel.tracks
	left, rows := r.W*9/16, len(list)+2
	right, half := r.W-left, r.H/2+1
	shown, note := list[hero], "shadow: erm"
	if !c.follows {
		shown, note = list[baseline], ""
	}
	title := "Accuracy by class: " + string(shown.run.Meta.Spec.Algorithm())
	return []kit.Placed{
		t.Place(kit.Area(r.X, r.Y, left, r.H-rows), title, note, false, true,
			func(w, h int) []string { return p.bars(shown, c.follows, epoch, w, h) }),
		t.Place(kit.Area(r.X+left, r.Y, right, half), "The adversary stares at", "training images",
			false, true, func(w, h int) []string { return p.gallery(epoch, w, h) }),
		t.Place(kit.Area(r.X, r.Y+r.H-rows, left, rows), "Methods", "worst class      mean",
			false, true, func(w, h int) []string { return p.table(epoch, w) }),
		t.Place(kit.Area(r.X+left, r.Y+half, right, r.H-half), "The adversary's λ and η",
			"sfk-auto", false, true, func(w, h int) []string { return p.phase(epoch, w, h) }),
	}
}

// bars draws a bar for each class. With a shadow, the part in which the method differs from the
// baseline is drawn apart: what it gained, or what it lost.
func (p *Page) bars(shown track, shadow bool, epoch float64, w, h int) (lines []string) {
	t, r := p.Theme, p.reel
	n := len(shown.run.Meta.Classes)
	thick := max(1, h/n)
	const name, value = 11, 8
	room := w - name - value - 1
	full, gained, lost := "█", "▓", "░"
	if t.ASCII {
		full, gained, lost = "#", "+", "-"
	}
	cells := func(v float64) int { return int(v*float64(room) + .5) }
	for i := range n {
		own := shown.accuracy(i, epoch)
		base := own
		if shadow {
			base = r.tracks[baseline].accuracy(i, epoch)
		}
		st, label := t.Line(shown.number), t.Text
		if i == r.weak {
			label = t.Accent
		}
		bar := st.Paint(strings.Repeat(full, cells(min(own, base)))) +
			st.Paint(strings.Repeat(gained, cells(own)-cells(min(own, base)))) +
			t.Dim.Paint(strings.Repeat(lost, cells(max(own, base))-cells(own)))
		bar = kit.Left(bar, room)
		number := ""
		if m := shown.at(epoch); m != nil {
			number = percent(m.classes[i])
		}
		for row := range max(1, thick-1) {
			head, end := kit.Blanks(name), kit.Blanks(value)
			if row == (max(1, thick-1)-1)/2 {
				head = label.Paint(kit.Left(" "+cell.Cut(r.name(i), name-2), name))
				end = kit.Right(number, value)
			}
			lines = append(lines, head+bar+end)
		}
		if thick > 1 {
			lines = append(lines, "")
		}
	}
	return lines
}

// table draws the worst class and the mean of the methods, below the words of the title.
func (p *Page) table(epoch float64, w int) (lines []string) {
	t := p.Theme
	for _, k := range p.reel.tracks {
		worst, mean := "–", "–"
		if m := k.at(epoch); m != nil {
			worst, mean = percent(m.worst), percent(m.mean)
		}
		name := t.Line(k.number).Paint(t.Mark(k.number) + " " + string(k.run.Meta.Spec.Algorithm()))
		figures := fmt.Sprintf("%11s%10s  ", worst, mean)
		lines = append(lines, kit.Spread(" "+name, t.Greek(figures), w))
	}
	return lines
}

// mostPictures is the number of pictures that are drawn at most.
const mostPictures = 8

// gallery draws the pictures that weigh most, each with its ratio and its class.
func (p *Page) gallery(epoch float64, w, h int) []string {
	m := p.reel.tracks[hero].at(float64(int(epoch/held) * held))
	if m == nil {
		m = p.reel.tracks[hero].at(epoch)
	}
	switch {
	case m == nil:
		return nil
	case p.reel.pictures == nil:
		return p.heaviest(m, h)
	}
	side := 2 * max(1, min(h-1, 16)) // pixels and cells
	n := min(max(1, (w+1)/(side+1)), mostPictures, len(m.heaviest))
	var blocks []kit.Placed
	for i, s := range m.heaviest[:n] {
		picture := kit.Pixels(*p.reel.pictures[s.Index].Within(side, side))
		lines := kit.Fill(p.Theme.Thumbnail(picture, side, side/2), side, side/2)
		caption := fmt.Sprintf("%.1f× %s", s.Ratio, p.reel.name(s.Label))
		lines = append(lines, kit.Left(p.Theme.Greek(caption), side))
		blocks = append(blocks, kit.Placed{Rect: kit.Area(i*(side+1), 0, side, h), Lines: lines})
	}
	return kit.Compose(w, h, blocks)
}

// heaviest lists these samples where they are not drawn.
func (p *Page) heaviest(m *moment, h int) (lines []string) {
	for _, s := range m.heaviest[:min(h, len(m.heaviest))] {
		lines = append(lines, p.Theme.Greek(fmt.Sprintf(" %.1f× %s, sample %d", s.Ratio,
			p.reel.name(s.Label), s.Index)))
	}
	return lines
}

// phase draws the path of (λ, η) so far, on axes that hold all of it.
func (p *Page) phase(epoch float64, w, h int) []string {
	k := &p.reel.tracks[hero]
	x, y := k.path(p.reel.epochs).Ranges()
	fit := func(r plot.Range) plot.Range { return plot.Range{}.Fit(r, plot.Scale{}) }
	ph := plot.Phase{X: fit(x), Y: fit(y), Charset: p.Theme.Charset(true),
		XName: p.Theme.Greek("λ"), YName: p.Theme.Greek("η"),
		Trails: []plot.Trail{{Path: k.path(epoch), Number: k.number}}}
	ph.DrawTo(&p.frame, w, h)
	return p.Theme.Rows(&p.frame)
}

// result draws the end of the film: the worst class over all seeds in large digits.
func (p *Page) result(r kit.Rect) kit.Placed {
	t, at := p.Theme, p.reel.best()
	title := fmt.Sprintf("Worst class, test accuracy, mean of %d seeds",
		p.reel.seeds[baseline].seeds)
	return t.Place(r, title, "", false, true, func(w, h int) []string {
		var blocks []kit.Placed
		for i, k := range []int{baseline, at} {
			number := p.reel.tracks[k].number
			worst := fmt.Sprintf("%.1f", p.reel.seeds[k].worst)
			digits := t.Line(number).PaintAll(large(worst, t.ASCII))
			lines := append(digits, "", t.Mark(number)+" "+string(methods()[k])+", in %")
			blocks = append(blocks, kit.Placed{Rect: kit.Area(3+i*w/2, 1, w/2-3, h-1),
				Lines: kit.Fill(lines, w/2-3, h-1)})
		}
		return kit.Compose(w, h, blocks)
	})
}

// large writes a number in digits of five rows and five columns.
func large(text string, ascii bool) []string {
	lines := make([]string, 5)
	for _, c := range text {
		for row, dots := range strings.Fields(glyphs[c]) {
			for _, dot := range dots {
				lines[row] += map[rune]string{'#': "██", '.': "  "}[dot]
			}
			lines[row] += "  "
		}
	}
	if ascii {
		for i := range lines {
			lines[i] = strings.ReplaceAll(lines[i], "█", "#")
		}
	}
	return lines
}

// glyphs are the large digits.
var glyphs = map[rune]string{
	'0': "### #.# #.# #.# ###", '1': ".#. ##. .#. .#. ###", '2': "### ..# ### #.. ###",
	'3': "### ..# ### ..# ###", '4': "#.# #.# ### ..# ..#", '5': "### #.. ### ..# ###",
	'6': "### #.. ### #.# ###", '7': "### ..# ..# ..# ..#", '8': "### #.# ### #.# ###",
	'9': "### #.# ### ..# ###", '.': ". . . . #",
}

const tooSmall = "The film needs a screen of 80 columns and 24 rows"
