package film

import (
	"fmt"
	"strings"

	"drolab/runner/page"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/plot"
)

// The least size of the page on which the film is drawn.
const leastWidth, leastHeight = 78, 20

// View implements the interface's page.
func (p *Page) View(w, h int) []string {
	const head, foot = 3, 1
	switch {
	case w < leastWidth || h < leastHeight:
		return p.caption("The film needs a screen of 80 columns and 24 rows", w, h)
	case p.err != nil:
		return p.Theme.Empty("Film", p.Theme.ErrorLines(p.err, w-4), w, h)
	case p.recording == nil:
		return p.caption(question, w, h)
	}
	at, part := place(p.at)
	c, epoch := chapters()[at], part*p.recording.epochs
	body := kit.Area(0, head, w, h-head-foot)
	blocks := []kit.Block{p.result(body)}
	if !p.ended() {
		blocks = p.scene(body, c, epoch)
	}
	note := fmt.Sprintf(" %d/%d %s · epoch %.0f of %.0f ", at+1, len(chapters()), c.title, epoch,
		p.recording.epochs)
	line := p.Theme.Progress(min(1, p.at/length), w-1-cell.Width(note), p.Theme.Accent)
	return kit.Compose(w, h, append(blocks,
		kit.Block{Rect: kit.Area(0, 0, w, head),
			Lines: p.caption(c.says(p.recording, epoch), w, head)},
		kit.Block{Rect: kit.Area(0, h-foot, w, foot),
			Lines: []string{" " + line + p.Theme.Dim.Paint(p.Theme.Greek(note))}}))
}

// caption lays out what is said.
func (p *Page) caption(text string, w, h int) []string {
	return kit.Fill(p.Theme.Hang(" ", p.Theme.Title, text, w-1), w, h)
}

// scene draws the bars, the table of the methods, the pictures and the path of z.
func (p *Page) scene(r kit.Rect, c chapter, epoch float64) []kit.Block {
	list := p.recording.tracks
	left, rows := r.W*9/16, len(list)+2
	right, note := r.W-left, "shadow: "+list[baseline].method
	if c.shown == baseline {
		note = ""
	}
	side := min(mostSide, r.H/2*2-4)
	high := (r.H/2-1)/(side/2+1)*(side/2+1) + 2
	place := func(x, y, w, h int, title, note string, draw func(w, h int) []string) kit.Block {
		return p.Theme.Place(kit.Area(r.X+x, r.Y+y, w, h), title, note, false, true, draw)
	}
	return []kit.Block{
		place(0, 0, left, r.H-rows, "Accuracy: "+list[c.shown].method, note,
			func(w, h int) []string { return p.bars(list[c.shown], epoch, w, h) }),
		place(0, r.H-rows, left, rows, "Methods", "worst class      mean",
			func(w, h int) []string { return p.table(epoch, w) }),
		place(left, 0, right, high, "Heaviest for the adversary", "",
			func(w, h int) []string { return p.gallery(side, epoch, w, h) }),
		place(left, high, right, r.H-high, "The adversary's λ and η", list[mainMethod].method,
			func(w, h int) []string { return p.phase(epoch, w, h) }),
	}
}

// bars draws a bar for each class. The part in which the run differs from the baseline is drawn
// apart: what it gained, or what it lost.
func (p *Page) bars(shown *track, epoch float64, w, h int) (lines []string) {
	const name, value = 11, 8
	t, n, room := p.Theme, len(shown.Meta.Classes), w-name-value-1
	thick := max(1, h/n-1)
	for i := range n {
		of := ofClass(classAccuracy, i)
		own := int(shown.meanBetween(epoch, of)*float64(room) + .5)
		base := int(p.recording.tracks[baseline].meanBetween(epoch, of)*float64(room) + .5)
		label := t.Text
		if i == p.recording.weak {
			label = t.Accent
		}
		bar := t.Line(shown.number).Paint(strings.Repeat("█", max(0, min(own, base)))+
			strings.Repeat("▓", max(0, own-base))) +
			t.Dim.Paint(strings.Repeat("░", max(0, base-own)))
		for row := range max(1, h/n) {
			line := kit.Blanks(name) + bar
			switch {
			case row == (thick-1)/2:
				line = label.Paint(kit.Left(" "+cell.Cut(p.recording.name(i), name-2), name)) +
					kit.Left(bar, room) + kit.Right(percent(shown.mean(epoch, of)), value)
			case row >= thick:
				line = ""
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// table draws the worst class and the mean of the methods, below the words of the title.
func (p *Page) table(epoch float64, w int) (lines []string) {
	t := p.Theme
	for _, k := range p.recording.inOrder() {
		name := t.Line(k.number).Paint(t.Mark(k.number) + " " + k.method)
		_, worst := k.worst(epoch)
		figures := fmt.Sprintf("%11s%10s  ", percent(worst), percent(k.mean(epoch, accuracy)))
		lines = append(lines, kit.Justify(" "+name, t.Greek(figures), w))
	}
	return lines
}

// The greatest number of pictures, and their greatest side in pixels and cells.
const mostPictures, mostSide = 6, 24

// gallery draws the pictures that weigh most, each with its ratio and its class, or lists them
// where they are not drawn. They stand for some epochs.
func (p *Page) gallery(side int, epoch float64, w, h int) (lines []string) {
	const stand = 4
	wide, high := max(side, p.captionCells()), side/2+1
	across := (w + 1) / (wide + 1)
	var blocks []kit.Block
	e := p.recording.tracks[mainMethod].latest(max(1, float64(int(epoch/stand)*stand)), 1)[0]
	for i, s := range e.Heaviest[:min(len(e.Heaviest), mostPictures)] {
		says := p.Theme.Greek(page.Factor(s.Ratio) + " " + p.recording.name(s.Label))
		lines = append(lines, " "+says)
		if p.recording.pictures != nil && i < across*(h/high) {
			picture := kit.Pixels(*p.recording.pictures[s.Index].Within(side, side))
			drawn := p.Theme.Thumbnail(picture, side, side/2)
			blocks = append(blocks, kit.Block{Lines: append(drawn, kit.Left(says, wide)),
				Rect: kit.Area(i%across*(wide+1), i/across*high, wide, high)})
		}
	}
	if blocks == nil {
		return lines
	}
	return kit.Compose(w, h, blocks)
}

// captionCells returns the width of the words below a picture, with the longest name of a class.
func (p *Page) captionCells() (cells int) {
	for _, class := range p.recording.tracks[baseline].Meta.Classes {
		cells = max(cells, cell.Width(page.Factor(1.23)+" "+p.Theme.Greek(class)))
	}
	return cells
}

// phase draws the path of (λ, η) so far, on axes that hold all of it.
func (p *Page) phase(epoch float64, w, h int) []string {
	k := p.recording.tracks[mainMethod]
	x, y := k.path(p.recording.epochs).Ranges()
	ph := plot.Phase{X: plot.Range{}.Fit(x, plot.Scale{}), Y: plot.Range{}.Fit(y, plot.Scale{}),
		Charset: p.Theme.Charset(true), XName: p.Theme.Greek("λ"), YName: p.Theme.Greek("η"),
		Trails: []plot.Trail{{Path: k.path(epoch), Number: k.number}}}
	ph.DrawTo(&p.frame, w, h)
	return p.Theme.Rows(&p.frame)
}

// result draws the end of the film: the worst class over all seeds in large digits.
func (p *Page) result(r kit.Rect) kit.Block {
	t, n := p.Theme, len(p.recording.tracks[baseline].seeds)
	title := fmt.Sprintf("Worst class, test accuracy, mean of %d seeds", n)
	rho := fmt.Sprintf("radius ρ %g", p.recording.tracks[mainMethod].Meta.Spec.Rho)
	return t.Place(r, title, t.Greek(rho), false, true, func(w, h int) []string {
		var blocks []kit.Block
		size := max(1, min(w/2/largeWide, h/2/largeHigh))
		top := max(1, (h-size*largeHigh)/3)
		for i, at := range []int{baseline, p.recording.best()} {
			k := p.recording.tracks[at]
			digits := t.Line(k.number).PaintAll(largeDigits(fmt.Sprintf("%.1f", k.end()), size))
			blocks = append(blocks, kit.Block{Rect: kit.Area(3+i*w/2, top, w/2-3, h-top),
				Lines: kit.Fill(append(digits, "", t.Mark(k.number)+" "+k.method+", in %"),
					w/2-3, h-top)})
		}
		return kit.Compose(w, h, blocks)
	})
}
