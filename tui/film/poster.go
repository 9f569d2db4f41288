package film

import (
	"fmt"
	"math"

	"drolab/tui/cell"
	"drolab/tui/kit"
)

// poster draws the end of the film: the worst class over all seeds in large digits, all methods
// with their intervals, and what the adversary weighs.
func (p *Page) poster(r kit.Rect) []kit.Block {
	const around = 4 // rows of the large figures beside the digits: a frame, words and a blank
	list := p.recording.tracks
	rho := fmt.Sprintf("radius ρ %g", list[mainMethod].Meta.Spec.Rho)
	size := (r.W/3 - 3) / kit.DigitCells("+00.0", 1)
	top := kit.DigitLines(size) + around
	rows, weights := 2*len(list)+4, len(list[baseline].Meta.Classes)+2
	if r.H < top+rows {
		top = r.H - rows
	}
	left, low := r.W*11/20, r.H-top
	place := func(x, y, w, h int, title, note string, draw func(w, h int) []string) kit.Block {
		return p.Theme.Place(kit.Area(r.X+x, r.Y+y, w, h), title, p.Theme.Greek(note), false, true,
			draw)
	}
	drawWeights := func(w, h int) []string {
		return p.weights(mainMethod, p.recording.epochs, w, h)
	}
	blocks := []kit.Block{
		place(0, 0, r.W, top, fmt.Sprintf("Worst class: test accuracy in %%, mean of %d seeds",
			len(list[baseline].seeds)), rho,
			func(w, h int) []string { return p.largeFigures(size, w, h) }),
	}
	if low < rows+weights {
		return append(blocks,
			place(0, top, left, low, "All methods", "95 % intervals", p.outcomeLines),
			place(left, top, r.W-left, low, "The adversary's weights", "", drawWeights))
	}
	last := list[mainMethod].latest(p.recording.epochs, 1)[0]
	return append(blocks,
		place(0, top, left, rows, "All methods", "95 % intervals against erm", p.outcomeLines),
		place(0, top+rows, left, low-rows, "The adversary's weights", "sfk-auto, seed 1",
			drawWeights),
		place(left, top, r.W-left, low, "Heaviest for the adversary", "sfk-auto, seed 1",
			func(w, h int) []string { return p.gallery(last, w, h) }))
}

// largeFigures draws the worst class of the baseline, that of the best method, and the difference.
func (p *Page) largeFigures(size, w, h int) []string {
	t, at := p.Theme, p.recording.best()
	base, own := p.recording.outcomes[baseline], p.recording.outcomes[at]
	name := func(at int) string {
		k := p.recording.tracks[at]
		return t.Mark(k.number) + " " + k.method
	}
	inks := []kit.Style{t.Line(p.recording.tracks[baseline].number),
		t.Line(p.recording.tracks[at].number), t.Better}
	numbers := []string{fmt.Sprintf("%.1f", base.worst), fmt.Sprintf("%.1f", own.worst),
		fmt.Sprintf("%+.1f", own.byWorst.mean)}
	points := "points, 95 % interval " + own.byWorst.interval()
	if cell.Width(points) > w/len(numbers)-1 {
		points = "points " + own.byWorst.interval()
	}
	words := []string{name(baseline), name(at), points}
	var blocks []kit.Block
	for i, r := range kit.Tile(kit.Area(1, 0, w-1, h), len(numbers), 1) {
		lines := append(t.Digits(numbers[i], size, inks[i]), words[i])
		if h > kit.DigitLines(size)+1 {
			lines = append([]string{""}, lines...)
		}
		blocks = append(blocks, kit.Block{Rect: r, Lines: kit.Fill(lines, r.W, h)})
	}
	return kit.Compose(w, h, blocks)
}

// outcomeLines lists the worst class and the mean accuracy of all methods, with their differences
// from the baseline.
func (p *Page) outcomeLines(w, h int) (lines []string) {
	t := p.Theme
	add := func(title string, of func(outcome) (float64, difference)) {
		lines = append(lines, t.Dim.Paint(" "+title))
		for _, at := range p.recording.inOrder() {
			k := p.recording.tracks[at]
			v, by := of(p.recording.outcomes[at])
			name := t.Line(k.number).Paint(t.Mark(k.number) + " " + k.method)
			text := "baseline"
			if at != baseline {
				st := t.Text
				if math.Abs(by.mean) > by.half {
					st = p.ofSign(by.mean)
				}
				text = st.Paint(by.text()) + " " + by.interval()
			}
			lines = append(lines, kit.Left(" "+kit.Left(name, 11)+
				kit.Right(fmt.Sprintf("%.1f", v), 5)+"  "+text, w))
		}
	}
	add("worst class, %", func(o outcome) (float64, difference) { return o.worst, o.byWorst })
	add("mean accuracy, %", func(o outcome) (float64, difference) { return o.mean, o.byMean })
	return lines
}
