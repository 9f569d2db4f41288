package film

import (
	"fmt"
	"math"
	"strings"

	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/tui/cell"
	"drolab/tui/kit"
)

// The least size of the page on which the film is drawn, and the rows of the caption and of the
// line below the scene.
const leastWidth, leastHeight, head, foot = 78, 20, 3, 1

// View implements the interface's page.
func (p *Page) View(w, h int) []string {
	switch {
	case w < leastWidth || h < leastHeight:
		return kit.Fill(p.Theme.Hang(" ", p.Theme.Title,
			"The film needs a screen of 80 columns and 24 rows", w-1), w, h)
	case p.err != nil:
		return p.Theme.Empty("Film", p.Theme.ErrorLines(p.err, w-4), w, h)
	case p.recording == nil:
		return kit.Compose(w, h, []kit.Block{p.title(kit.Area(0, 0, w, h-foot)),
			{Rect: kit.Area(0, h-foot, w, foot), Lines: []string{kit.Left(
				p.Theme.Dim.Paint(" The recorded runs are read …"), w)}}})
	}
	at, part := place(p.at)
	c := chapters()[at]
	// The figures of a moment are those of the evaluation after the last whole epoch.
	epoch := math.Floor(part*p.recording.epochs + 1e-9)
	body := kit.Area(0, head, w, h-head-foot)
	var blocks []kit.Block
	switch {
	case c.until == titleEnds:
		blocks = []kit.Block{p.title(kit.Area(0, 0, w, h-foot))}
	case p.at >= posterBegins:
		blocks = append(p.poster(body), p.caption(c.says(p.recording, epoch), w))
	default:
		blocks = append(p.scene(body, c, epoch), p.caption(c.says(p.recording, epoch), w))
	}
	note := fmt.Sprintf(" %d/%d %s · epoch %.0f of %.0f ", at+1, len(chapters()), c.title, epoch,
		p.recording.epochs)
	line := p.Theme.Progress(min(1, p.at/length), w-1-cell.Width(note), p.Theme.Accent)
	return kit.Compose(w, h, append(blocks, kit.Block{Rect: kit.Area(0, h-foot, w, foot),
		Lines: []string{" " + line + p.Theme.Dim.Paint(p.Theme.Greek(note))}}))
}

// caption lays out what is said.
func (p *Page) caption(text string, w int) kit.Block {
	return kit.Block{Rect: kit.Area(0, 0, w, head),
		Lines: kit.Fill(p.Theme.Hang(" ", p.Theme.Title, text, w-1), w, head)}
}

// title says what one will see, above pictures of what is learnt.
func (p *Page) title(r kit.Rect) kit.Block {
	t := p.Theme
	return t.Place(r, "Robust training in a minute", "drolab", false, true,
		func(w, h int) (lines []string) {
			centred := func(st kit.Style, text string) {
				lines = append(lines, kit.Blanks((w-cell.Width(text))/2)+st.Paint(text))
			}
			const words = 6 // lines, with the blank ones
			title, promises := promise()
			var pictures []string
			if p.recording != nil {
				pictures = p.row(p.recording.tracks[mainMethod].evals[0], w-4, h-words-2)
			}
			lines = append(lines, kit.Fill(nil, 0, max(0, h-words-len(pictures))/2)...)
			centred(t.Accent, title)
			lines = append(lines, "")
			for _, line := range promises {
				centred(t.Text, line)
			}
			lines = append(lines, "")
			for _, line := range pictures {
				centred(t.Text, line)
			}
			return lines
		})
}

// scene draws the bars, the table of the methods, the weights of the classes and the pictures.
func (p *Page) scene(r kit.Rect, c chapter, epoch float64) []kit.Block {
	list := p.recording.tracks
	left, rows, weights := r.W*11/20, len(list)+2, len(list[baseline].Meta.Classes)+2
	right, method := r.W-left, list[c.shown].method
	place := func(x, y, w, h int, title, note string, draw func(w, h int) []string) kit.Block {
		return p.Theme.Place(kit.Area(r.X+x, r.Y+y, w, h), title, note, false, true, draw)
	}
	above, weigh, gallery := "█ above erm · ░ below erm", "The adversary's weights",
		"Heaviest for the adversary"
	if c.shown == baseline {
		above, weigh, gallery = "", "Weights: all equal", "Hardest images for erm"
	}
	return []kit.Block{
		place(0, 0, left, r.H-rows, method+": accuracy in %", above,
			func(w, h int) []string { return p.bars(c.shown, epoch, w, h) }),
		place(0, r.H-rows, left, rows, "Methods", "worst class    mean",
			func(w, h int) []string { return p.table(epoch, w) }),
		place(left, 0, right, weights, weigh, "█ above its share · ░ below",
			func(w, h int) []string { return p.weights(c.shown, epoch, w, h) }),
		place(left, weights, right, r.H-weights, gallery,
			fmt.Sprintf("epoch %.0f", shownFor(epoch)), func(w, h int) []string {
				return p.gallery(list[c.shown].latest(shownFor(epoch), 1)[0], w, h)
			}),
	}
}

// bars draws the accuracy of each class, beside that of the baseline.
func (p *Page) bars(shown int, epoch float64, w, h int) []string {
	const figures = 13
	t, k := p.Theme, p.recording.tracks[shown]
	return p.classes(w, h, figures, func(i, room int) (bar, text string) {
		of := ofClass(classAccuracy, i)
		base, own := p.recording.tracks[baseline].mean(epoch, of), k.mean(epoch, of)
		common, more, less := against(own, base, 1, room)
		bar = t.Line(k.number).Paint(common) + t.Better.Paint(more) + t.Worse.Paint(less)
		text = kit.Right(page.Points().Text(measure.NumUnlessNaN(own)), 6)
		if shown != baseline {
			text += p.ofSign(own - base).Paint(kit.Right(signed(100*(own-base)), 7))
		}
		return bar, text
	})
}

// weights draws what each class weighs for the adversary, beside its share, which is 1.
func (p *Page) weights(shown int, epoch float64, w, h int) []string {
	const figures = 7
	t := p.Theme
	return p.classes(w, h, figures, func(i, room int) (bar, text string) {
		v := p.recording.weight(shown, epoch, i)
		common, more, less := against(v, 1, p.recording.heaviest, room)
		bar = t.Line(p.recording.tracks[shown].number).Paint(common) + t.Accent.Paint(more) +
			t.Dim.Paint(less)
		return bar, kit.Right(t.Greek(fmt.Sprintf("×%.2f", v)), figures-1)
	})
}

// against returns the parts of a bar of a value: what it has in common with another value, what it
// has more, and what it lacks.
func against(own, base, most float64, room int) (common, more, less string) {
	cells := func(v float64) int { return int(v/most*float64(room) + .5) }
	a, b := cells(own), cells(base)
	return strings.Repeat("▓", min(a, b)), strings.Repeat("█", max(0, a-b)),
		strings.Repeat("░", max(0, b-a))
}

// classes draws a bar for each class, between its name and its figures. The bars are equally thick.
// With blanks between them they fill the height.
func (p *Page) classes(
	w, h, figures int, draw func(class, room int) (bar, text string),
) []string {
	const name = 10
	t, n, room := p.Theme, len(p.recording.tracks[baseline].Meta.Classes), w-name-figures
	thick, high := max(1, h/n-1), n
	if h >= 2*n {
		high = h
	}
	lines := kit.Fill(nil, w, high)
	for i := range n {
		label := t.Text
		if i == p.recording.weak {
			label = t.Accent
		}
		bar, text := draw(i, room)
		for row := range thick {
			line := kit.Blanks(name) + bar
			if row == (thick-1)/2 {
				line = label.Paint(kit.Left(" "+p.recording.name(i), name)) +
					kit.Left(bar, room) + kit.Left(text, figures)
			}
			lines[kit.Share(high, i, n)+row] = line
		}
	}
	return lines
}

// table draws the worst class and the mean of the methods, below the words of the title.
func (p *Page) table(epoch float64, w int) (lines []string) {
	t, best, least := p.Theme, 0.0, 1.0
	for _, k := range p.recording.tracks {
		_, v := k.worst(epoch)
		best, least = max(best, v), min(least, v)
	}
	for _, at := range p.recording.inOrder() {
		k := p.recording.tracks[at]
		name := t.Line(k.number).Paint(t.Mark(k.number) + " " + k.method)
		_, worst := k.worst(epoch)
		first := kit.Right(percent(worst), 9) + " "
		if worst == best && best > least {
			first = t.BestStyle().Paint(kit.Right(percent(worst), 9) + t.Best)
		}
		lines = append(lines, kit.Justify(" "+name,
			first+kit.Right(percent(k.mean(epoch, accuracy)), 8)+" ", w))
	}
	return lines
}

// The greatest number of pictures, and their least and greatest side in pixels and cells.
const mostPictures, leastSide, mostSide = 9, 8, 32

// gallery draws the pictures that weigh most at an evaluation, each with its ratio and its class,
// or lists them where they are not drawn.
func (p *Page) gallery(e *runner.EvalEvent, w, h int) []string {
	list := e.Heaviest[:min(len(e.Heaviest), mostPictures)]
	says := func(s runner.Heavy) string { return p.Theme.Greek(page.Factor(s.Ratio)) }
	if p.recording.pictures == nil || h < leastSide/2 {
		var lines []string
		for _, s := range list {
			lines = append(lines, " "+says(s)+" "+p.recording.name(s.Label))
		}
		return lines
	}
	var blocks []kit.Block
	if h < leastSide { // the words stand beside the pictures
		side := 2 * h
		wide := side + 1 + p.nameCells() + 1 // a blank after each
		for i := range min(len(list), (w+1)/wide) {
			words := []string{says(list[i]), p.recording.name(list[i].Label)}
			blocks = append(blocks,
				kit.Block{Rect: kit.Area(i*wide, 0, side, h), Lines: p.picture(list[i], side)},
				kit.Block{Rect: kit.Area(i*wide+side+1, 0, p.nameCells(), h),
					Lines: kit.Fill(words, p.nameCells(), h)})
		}
		return kit.Compose(w, h, blocks)
	}
	side, across, down := p.tiles(len(list), w, h)
	wide, high := max(side, p.captionCells()), side/2+1
	for i, s := range list[:min(len(list), across*down)] {
		words := says(s) + " " + p.recording.name(s.Label)
		lines := append(kit.Fill(p.picture(s, side), wide, side/2), kit.Left(words, wide))
		blocks = append(blocks, kit.Block{Lines: lines,
			Rect: kit.Area(i%across*(wide+1), i/across*high, wide, high)})
	}
	return kit.Compose(w, h, blocks)
}

// tiles returns the side of pictures, and how many of them are in a row and in a column, so that
// at most n take as much of w by h cells as they can.
func (p *Page) tiles(n, w, h int) (side, across, down int) {
	most := 0
	for s := leastSide; s <= mostSide; s += 2 {
		a, d := (w+1)/(max(s, p.captionCells())+1), h/(s/2+1)
		if area := min(n, a*d) * s * s; area >= most {
			most, side, across, down = area, s, a, d
		}
	}
	return side, across, down
}

// picture draws one of the recorded images.
func (p *Page) picture(s runner.Heavy, side int) []string {
	full := kit.Pixels(*p.recording.pictures[s.Index].Within(kit.RealSide, kit.RealSide))
	if lines := p.Theme.Real(full, side, side/2); lines != nil {
		return lines
	}
	return p.Theme.Thumbnail(kit.Pixels(*p.recording.pictures[s.Index].Within(side, side)), side,
		side/2)
}

// row draws pictures of an evaluation side by side, if there is room for them.
func (p *Page) row(e *runner.EvalEvent, w, h int) []string {
	const most = 6
	side := min(mostSide, 2*h, (w-most+1)/most/2*2)
	if p.recording.pictures == nil || side < leastSide {
		return nil
	}
	var blocks []kit.Block
	for i, s := range e.Heaviest[:min(len(e.Heaviest), most)] {
		blocks = append(blocks, kit.Block{Rect: kit.Area(i*(side+1), 0, side, side/2),
			Lines: p.picture(s, side)})
	}
	return kit.Compose(most*(side+1)-1, side/2, blocks)
}

// nameCells returns the width of the longest name of a class, and captionCells that of the words
// below a picture.
func (p *Page) nameCells() (cells int) {
	for _, class := range p.recording.tracks[baseline].Meta.Classes {
		cells = max(cells, cell.Width(p.Theme.Greek(class)))
	}
	return cells
}

func (p *Page) captionCells() int { return cell.Width(page.Factor(1.23)+" ") + p.nameCells() }

// ofSign returns the style of a difference: better, worse or neither.
func (p *Page) ofSign(v float64) kit.Style {
	switch {
	case v > 0:
		return p.Theme.Better
	case v < 0:
		return p.Theme.Worse
	}
	return p.Theme.Text
}
