package tui

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"drolab/dro"
	"drolab/tui/plot"
)

// launchLayout is where the parts of the Launch page are; on a narrow screen
// one of presets and settings has no size.
type launchLayout struct{ presets, settings, plan rect }

// layLaunch divides w by h cells, the focus being on the settings or not.
func layLaunch(w, h int, onSettings bool) launchLayout {
	rows := 7 // of the plan, with its box
	switch {
	case !boxed(h):
		rows = 4
	case h >= 34:
		rows = 8
	}
	top := h - rows
	l := launchLayout{plan: rect{0, top, w, rows}}
	switch side := min(max(w/4, 26), 40); {
	case w >= 76:
		l.presets, l.settings = rect{0, 0, side, top}, rect{side, 0, w - side, top}
	case onSettings:
		l.settings = rect{0, 0, w, top}
	default:
		l.presets = rect{0, 0, w, top}
	}
	return l
}

func (l *launch) view(w, h int) []string {
	lay, box := layLaunch(w, h, l.right), boxed(h)
	var blocks []placed
	add := func(r rect, title, note string, focused bool, lines func(w, h int) []string) {
		if r.w > 0 {
			iw, ih := inside(box, r.w, r.h)
			blocks = append(blocks, placed{r, l.theme.panel(title, note, focused, box, lines(iw, ih), r.w, r.h)})
		}
	}
	add(lay.presets, "Presets", "", !l.right, l.viewPresets)
	add(lay.settings, l.preset().Name, l.legend(), l.right, l.viewSettings)
	add(lay.plan, "Start", l.total(), false, l.viewPlan)
	return compose(w, h, blocks)
}

// item is a line of a list and the entry that it belongs to, -1 for none.
type item struct {
	text  string
	entry int
}

func texts(items []item) []string {
	list := make([]string, len(items))
	for i, it := range items {
		list[i] = it.text
	}
	return list
}

func (l *launch) viewPresets(w, h int) []string { return texts(l.presetItems(w, h)) }

// presetItems lists the presets with their purposes; where there is no room
// for all of these, with that of the one under the cursor.
func (l *launch) presetItems(w, h int) []item {
	t := l.theme
	const indent = 3
	docs := make([][]string, len(l.list))
	all := 2*len(l.list) - 1
	for i, p := range l.list {
		docs[i] = wrap(t.greek(Clean(p.Doc)), w-indent-1)
		all += len(docs[i])
	}
	var items []item
	at := 0
	for i := range l.list {
		if all <= h && i > 0 {
			items = append(items, item{"", i})
		}
		if i == l.at {
			at = len(items)
		}
		items = append(items, item{l.presetLine(i, w), i})
		if all <= h || i == l.at {
			for _, doc := range docs[i] {
				items = append(items, item{blanks(indent) + t.dim.paint(doc), i})
			}
		}
	}
	return around(items, at, h, len(docs[l.at]))
}

// around is the part of a list that shows the line at the cursor about the
// middle, and so many more below it.
func around(items []item, at, h, more int) []item {
	from := max(at-(h-1)/2, min(at, at+more-h+1))
	from = max(0, min(from, len(items)-h))
	return items[from:min(len(items), from+max(0, h))]
}

func (l *launch) presetLine(i, w int) string {
	t, p := l.theme, l.list[i]
	note := ""
	if e, ok := l.entries[l.specs[i].Dataset]; ok && !e.Available {
		note = "no data"
	}
	name := "  " + Clean(p.Name)
	if !reflect.DeepEqual(l.specs[i], p.Spec) {
		name += " " + t.changed
	}
	line := spread(" "+name, note+" ", w)
	switch {
	case i == l.at && !l.right:
		return t.selected.paint(left(" "+t.cursor+line[2:], w))
	case i == l.at:
		return t.title.paint(" " + t.cursor + line[2:])
	case note != "":
		return t.dim.paint(line)
	}
	return line
}

// legend explains the marks before the settings.
func (l *launch) legend() string {
	return l.theme.changed + " changed  " + l.theme.given + " from the preset"
}

// Columns of the settings: cursor and mark, name, value, where it comes from.
const (
	markCells = 4
	keyCells  = 17
	narrow    = 50 // below it the leading blank goes, and what comes after the value
)

func (l *launch) viewSettings(w, h int) []string { return texts(l.settingItems(w, h)) }

func (l *launch) settingItems(w, h int) []item {
	var items []item
	at, row := 0, 0
	for i, g := range settingGroups() {
		if i > 0 {
			items = append(items, item{"", -1})
		}
		items = append(items, item{" " + l.theme.title.paint(g.title), -1})
		for _, s := range g.settings {
			if row == l.row {
				at = len(items)
			}
			items = append(items, item{l.settingLine(s.key, row == l.row, w), row})
			row++
		}
	}
	return around(items, at, h, 0)
}

// settingLine is one row: under the cursor it may be a line that is typed.
func (l *launch) settingLine(key string, here bool, w int) string {
	t := l.theme
	mark := " "
	switch {
	case l.edited(key):
		mark = t.accent.paint(t.changed)
	case slices.Contains(l.preset().Overrides, key):
		mark = t.dim.paint(t.given)
	}
	cursor, name := " ", left(key, keyCells)
	if here && l.right {
		cursor, name = t.accent.paint(t.cursor), t.title.paint(name)
	}
	line := " " + cursor + mark + " " + name
	room := w - markCells - keyCells - 1
	if w < narrow {
		line, room = line[1:], w-markCells-keyCells+1
	}
	if here && l.editing {
		return line + l.viewInput(room)
	}
	value := l.value(key, here && l.right)
	if short := width(value); short < valueCells && room > valueCells+12 {
		value = left(value, valueCells)
	}
	if origin := t.greek(l.origin(key)); room-width(value) > 12 {
		value += "  " + t.dim.paint(cut(origin, room-width(value)-2))
	}
	return line + cut(value, room)
}

// valueCells is the least width of a value before what is said about it.
const valueCells = 14

// viewInput draws the typed line with its cursor, and what is wrong with it.
func (l *launch) viewInput(room int) string {
	t := l.theme
	before, under, after := l.line.window(max(8, room-1))
	st := t.text
	if l.problem != nil {
		st = t.bad
	}
	return st.paint(before) + t.caret.paint(under) + st.paint(after)
}

// value is a setting as the page shows it: boxes for methods and seeds.
func (l *launch) value(key string, here bool) string {
	s := l.spec()
	switch key {
	case "algorithms":
		var names []string
		var ticked []bool
		for _, a := range dro.Algorithms() {
			names, ticked = append(names, string(a)), append(ticked, slices.Contains(s.Algorithms, a))
		}
		return l.viewBoxes(names, ticked, here)
	case "seeds":
		if s.Seeds > seedBoxes {
			break
		}
		var names []string
		var ticked []bool
		for i := range seedBoxes {
			names, ticked = append(names, fmt.Sprint(s.Seed+uint64(i))), append(ticked, i < s.Seeds)
		}
		return l.viewBoxes(names, ticked, here)
	}
	return Clean(settingText(s, key))
}

func (l *launch) viewBoxes(names []string, ticked []bool, here bool) string {
	t := l.theme
	// Stand-ins for the circles would read as letters of the names.
	off, on, gap := t.off, t.on, " "
	if t.ascii {
		off, on, gap = "[ ]", "[x]", ""
	}
	list := make([]string, len(names))
	for i, name := range names {
		text, st := off+name, t.dim
		if ticked[i] {
			text, st = on+name, t.text
		}
		if here && i == l.box {
			st = t.caret
		}
		list[i] = st.paint(text)
	}
	return strings.Join(list, gap)
}

// total says what Enter starts.
func (l *launch) total() string {
	s := l.spec()
	return fmt.Sprintf("%s: %s × %s", plural(len(s.Algorithms)*s.Seeds, "run"), plural(len(s.Algorithms), "method"), plural(s.Seeds, "seed"))
}

// time is the estimate in words.
func (l *launch) time() string {
	e := l.plan
	if e.took <= 0 {
		return e.basis
	}
	return fmt.Sprintf("about %s, %s", duration(e.took), e.basis)
}

// dataset says whether the data are there, and how to get them.
func (l *launch) dataset() (text string, there bool) {
	name := l.spec().Dataset
	e, known := l.entries[name]
	switch {
	case !known && l.entries == nil:
		return Clean(name) + ": looking", true
	case !known:
		return Clean(name) + ": a file of your own, read at the start", true
	case !e.Available:
		return l.lacks(e), false
	}
	return e.Name + ": " + e.Purpose, true
}

// resolved is the problem as it runs: radius and box of z.
func (l *launch) resolved() string {
	p, err := l.spec().Problem()
	if err != nil {
		return OneLine(err.Error())
	}
	return fmt.Sprintf("ρ = %.4g · λ in [%.4g, %.4g] · η in [%.4g, %.4g], %s coordinates", p.Rho,
		p.Box.Lambda[0], p.Box.Lambda[1], p.Box.Eta[0], p.Box.Eta[1], p.Coordinates)
}

// budget is how long a run is.
func (l *launch) budget() string {
	s := l.spec()
	return fmt.Sprintf("%s, batches of %d, evaluated %s", plural(s.Epochs, "epoch"), s.Batch, every(s.EvalEvery))
}

func every(epochs int) string {
	switch epochs {
	case 0:
		return "at the end"
	case 1:
		return "every epoch"
	}
	return fmt.Sprintf("every %d epochs", epochs)
}

// duration writes d as charts do, but never less than a second.
func duration(d time.Duration) string {
	return strings.TrimSpace(plot.FormatDuration(math.Max(1, math.Round(d.Seconds()))))
}
