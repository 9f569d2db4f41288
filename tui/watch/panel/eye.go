package panel

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/tui/cell"
	"drolab/tui/kit"
)

// heaviest is the form of the samples that weigh most at the last evaluation of the run under the
// cursor. They are pictures if the run's data are at hand and have some, else a row for each
// sample.
type heaviest struct{}

func (heaviest) draw(b *Board, _ int, _ *View, iw, ih int) ([]string, string) {
	e := b.eyeEval()
	if e == nil || len(e.Heaviest) == 0 {
		return nil, ""
	}
	list := e.Heaviest
	first, problem := b.Eye.Sample(b.Runs.Run().ID, list[0].Index)
	if first != nil && first.Picture != nil {
		if lines := b.pictures(list, iw, ih); lines != nil {
			return lines, problem
		}
	}
	return b.heavyRows(list, iw, ih), problem
}

func (heaviest) note(b *Board, _ *View) string {
	note := b.Runs.Run().Label + " · training split"
	if e := b.eyeEval(); e != nil {
		note += atEpoch(e.Epoch)
	}
	return note
}

// eyeEval returns the evaluation whose samples are shown: the one that the gallery shows, or the
// last one if it shows none or a replay went back to before it.
func (b *Board) eyeEval() *runner.EvalEvent {
	t := b.Runs.Run()
	if e := b.Eye.Evaluation(t.ID); e != nil && t.Eval != nil && e.Step <= t.Eval.Step {
		return e
	}
	return t.Eval
}

// ShowsSamples reports whether the view shows single samples.
func (v *View) ShowsSamples() bool { return v.As == heaviest{} }

// EyeAt returns the index of the panel that shows single samples; -1 for none.
func (b *Board) EyeAt() int {
	return slices.IndexFunc(b.Panels, func(p Panel) bool { return p.Views[p.View].ShowsSamples() })
}

// pictures draws as many of the heaviest samples as there is room for, in frames whose colour shows
// their ratio; nil if there is not even room for one. A sample keeps its place, so that only
// changes are seen, and sent.
func (b *Board) pictures(list []runner.Heavy, iw, ih int) []string {
	size := 0 // the longer side of a picture, in pixels
	const least, enough = 8, 6
	named := b.captionCells()
	if ih == stripSize/2+2 && iw >= 3*leastSlot {
		return b.strip(list, iw, ih)
	}
	for next := least; next <= 32 && (next+1)/2+2 <= ih; next += 2 {
		if size == 0 || iw/(max(next, named)+3) >= enough {
			size = next
		}
	}
	if size == 0 {
		return nil
	}
	wide := min(max(size, named), iw-2)
	tw, th := wide+2, (size+1)/2+2
	across := max(1, (iw+1)/(tw+1))
	var blocks []kit.Block
	for k, s := range b.Eye.fillSlots(list, across*(ih/th), true) {
		x, y := k%across*(tw+1), k/across*th
		caption := page.Factor(s.Ratio) + " " + b.placeName(measure.PerClass, s.Label)
		blocks = append(blocks, kit.Block{Rect: kit.Area(x, y, tw, th),
			Lines: b.Theme.Frame(b.thumbnail(s, size), wide, (size+1)/2, s.Part, caption)})
	}
	return kit.Compose(iw, ih, blocks)
}

// captionCells returns the width of a picture's caption with the longest name of a class.
func (b *Board) captionCells() (cells int) {
	for _, class := range b.Runs.Run().Meta.Places(measure.PerClass) {
		cells = max(cells, cell.Width(page.Factor(1.23)+" "+b.Theme.Greek(class)))
	}
	return cells
}

// thumbnail returns the lines of a sample's picture; nil where it is not there.
func (b *Board) thumbnail(s slot, size int) []string {
	got, _ := b.Eye.Sample(b.Runs.Run().ID, s.Index)
	if got == nil || got.Picture == nil {
		return nil
	}
	full := kit.Pixels(*got.Picture.Within(kit.RealSide, kit.RealSide))
	if lines := b.Theme.Real(full, size, (size+1)/2); lines != nil {
		return lines
	}
	return b.Theme.Thumbnail(kit.Pixels(*got.Picture.Within(size, size)), size, (size+1)/2)
}

// The side of the strip's pictures in pixels, and the fewest cells of a picture with its words.
const stripSize, leastSlot = 12, 32

// strip draws a row of the heaviest samples, only a few, each between two lines whose colour shows
// its ratio. The words about a sample stand beside its picture, so that a new ratio does not send
// the picture again.
func (b *Board) strip(list []runner.Heavy, iw, ih int) []string {
	n := min(iw/leastSlot, len(list))
	cells := iw / n
	var blocks []kit.Block
	for k, s := range b.Eye.fillSlots(list, n, false) {
		words := []string{page.Factor(s.Ratio), b.placeName(measure.PerClass, s.Label)}
		if len(b.Runs.Run().Meta.Groups) > 0 {
			words = append(words, b.trainGroupName(s.Group))
		}
		words = append(words, b.Theme.Dim.Paint("sample "+strconv.Itoa(s.Index)))
		for i := range words {
			words[i] = kit.Left(cell.Cut(words[i], cells-stripSize-2), cells-stripSize-1)
		}
		x := k * cells
		blocks = append(blocks, kit.Block{Rect: kit.Area(x, 0, stripSize, ih),
			Lines: b.Theme.Rule(b.thumbnail(s, stripSize), stripSize, stripSize/2, s.Part)})
		x += stripSize + 1
		blocks = append(blocks, kit.Block{Rect: kit.Area(x, 1, (k+1)*cells-x, ih-1), Lines: words})
	}
	return kit.Compose(iw, ih, blocks)
}

// heavyRows lists the samples by number, with their class, their group and their most unusual
// columns where these are known.
func (b *Board) heavyRows(list []runner.Heavy, iw, ih int) []string {
	const short = 46 // cells of a row without columns
	grouped := len(b.Runs.Run().Meta.Groups) > 0
	head := fmt.Sprintf("%7s %8s  %s", "ratio", "sample", kit.Left("class", 14))
	if grouped {
		head += kit.Left("group", 22)
	}
	var rows []string
	told := false
	for k := range list {
		h := &list[k]
		text := fmt.Sprintf("%7s %8s  %s", ratioText(h.Ratio), strconv.Itoa(h.Index),
			kit.Left(cell.Cut(b.placeName(measure.PerClass, h.Label), 13), 14))
		if grouped {
			text += kit.Left(cell.Cut(b.trainGroupName(h.Group), 21), 22)
		}
		if s, _ := b.Eye.Sample(b.Runs.Run().ID, h.Index); s != nil && s.Columns != "" {
			text, told = text+s.Columns, true
		}
		rows = append(rows, text)
	}
	across, cells, high := 1, iw, max(1, ih-1) // high is a column without its head
	if !told {
		across = max(1, min(iw/short, (len(rows)+high-1)/high))
		cells = iw / across
	} else {
		head += "its most unusual columns"
	}
	head = b.Theme.Dim.Paint(kit.Left(cell.Cut(head, cells-1), cells))
	lines := append([]string{strings.Repeat(head, across)}, make([]string, high)...)
	for i, row := range rows[:min(len(rows), across*high)] {
		part := list[i].Ratio / list[0].Ratio
		text := b.Theme.Greek(cell.Cut(row, cells-2))
		lines[1+i%high] += b.Theme.Swatch(part, 1) + kit.Left(text, cells-1)
	}
	return lines
}

// placeName returns the name of a class or group of the run under the cursor.
func (b *Board) placeName(a measure.Axis, i int) string {
	return b.Theme.Greek(cell.OneLine(PlaceName(b.Runs.Run().Meta, a, i)))
}

// trainGroupName returns the name of a group that methods train on.
func (b *Board) trainGroupName(i int) string {
	if names := b.Runs.Run().Meta.TrainGroups; i < len(names) {
		return b.Theme.Greek(cell.OneLine(names[i]))
	}
	return b.placeName(measure.PerGroup, i)
}

// ratioText writes a likelihood ratio with three digits.
func ratioText(ratio float64) string { return fmt.Sprintf("%#.3g", ratio) }
