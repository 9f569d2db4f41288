package launch

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"drolab/runner/compare"
	"drolab/runner/lists"
	"drolab/runner/spec"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/plot"
)

// View implements the interface's page.
func (l *Page) View(w, h int) []string {
	lay, box := l.layout(w, h), kit.Boxed(h)
	marks := l.Theme.Changed + " changed  " + l.Theme.Given + " from the preset"
	hello := kit.Fill(l.welcome(w, h), w, lay.welcome.H)
	return kit.Compose(w, h, []kit.Block{{Rect: lay.welcome, Lines: hello},
		l.Theme.Place(lay.presets, "Presets", "", !l.right, box, viewOf(l.presetItems)),
		l.Theme.Place(lay.settings, l.preset().Name, marks, l.right, box, viewOf(l.settingItems)),
		l.Theme.Place(lay.plan, "Start", l.total(), false, box, l.viewPlan),
	})
}

// item is a line of a list and the index of the entry that it belongs to, -1 for none.
type item struct {
	text  string
	entry int
}

// viewOf returns what draws a list of items.
func viewOf(items func(w, h int) []item) func(w, h int) []string {
	return func(w, h int) []string {
		return lists.Map(items(w, h), func(it item) string { return it.text })
	}
}

// presetItems lists the presets with their purposes. Where these do not all fit, only the preset
// under the cursor has its purpose.
func (l *Page) presetItems(w, h int) []item {
	t := l.Theme
	const indent = 3
	docs := make([][]string, len(l.presets()))
	all := 2*len(l.presets()) - 1
	for i, p := range l.presets() {
		docs[i] = kit.Wrap(t.Greek(p.Doc), w-indent-1)
		all += len(docs[i])
	}
	var items []item
	at := 0
	for i := range l.presets() {
		if all <= h && i > 0 {
			items = append(items, item{"", i})
		}
		if i == l.at {
			at = len(items)
		}
		items = append(items, item{l.presetLine(i, w), i})
		if all <= h || i == l.at {
			for _, doc := range docs[i] {
				items = append(items, item{kit.Blanks(indent) + t.Dim.Paint(doc), i})
			}
		}
	}
	return visibleItems(items, at, h, len(docs[l.at]))
}

// visibleItems returns h lines of a list, with the line of the cursor, at, about in the middle. The
// line stands higher if the lines after it that are to be in view, more of them, need the room.
func visibleItems(items []item, at, h, more int) []item {
	from := max(at-(h-1)/2, min(at, at+more-h+1))
	from = max(0, min(from, len(items)-h))
	return items[from:min(len(items), from+max(0, h))]
}

func (l *Page) presetLine(i, w int) string {
	t, p := l.Theme, l.presets()[i]
	note := ""
	if e, ok := l.entries[l.specs[i].Dataset]; ok && !e.Available {
		note = "no data"
	}
	if p.Problem != nil {
		note = "broken"
	}
	name := "  " + cmp.Or(p.File, p.Name)
	if !reflect.DeepEqual(l.specs[i], p.Spec) {
		name += " " + t.Changed + t.Greek(l.edits(i))
	}
	line := kit.Justify(" "+name, note+" ", w)
	switch {
	case i == l.at && !l.right:
		return t.Selected.Paint(kit.Left(" "+t.Cursor+line[2:], w))
	case i == l.at:
		return t.Title.Paint(" " + t.Cursor + line[2:])
	case note != "":
		return t.Dim.Paint(line)
	}
	return line
}

// edits returns the changes of an edited preset, a few letters each.
func (l *Page) edits(i int) (s string) {
	for _, d := range compare.Diff([]spec.Spec{l.presets()[i].Spec, l.specs[i]}) {
		if value := d.Values[1]; value != "" {
			s += " " + compare.Short(d.Key, value)
		}
	}
	return s
}

// Columns of the settings: cursor and mark, name, value, and where the value comes from.
const (
	markCells   = 4
	keyCells    = 17
	narrowCells = 50 // below it the leading blank goes, and what comes after the value
)

func (l *Page) settingItems(w, h int) []item {
	var items []item
	at, group := 0, ""
	for row, s := range l.settings() {
		if row > 0 && s.Group != group {
			items = append(items, item{"", -1})
		}
		if s.Group != group {
			items = append(items, item{" " + l.Theme.Title.Paint(s.Group), -1})
		}
		group = s.Group
		lines, cursor := l.settingLines(s.Key, row == l.row, w)
		if row == l.row {
			at = len(items) + cursor
		}
		for _, line := range lines {
			items = append(items, item{line, row})
		}
	}
	return visibleItems(items, at, h, 0)
}

// settingLines returns the lines of a setting, and the index of the line that has the cursor. Boxes
// under the cursor take as many lines as they need; any other setting takes one line.
func (l *Page) settingLines(key string, here bool, w int) (lines []string, cursor int) {
	boxes := l.boxesOf(key)
	if !here || !l.right || l.editing || boxes == nil {
		return []string{l.settingLine(key, here, w)}, 0
	}
	before, room := settingRoom(w)
	name, list := l.settingName(key, here, w), l.viewBoxes(boxes, true)
	upTo := kit.Flow(name, list[:min(l.box+1, len(list))], " ", before+room)
	return kit.Flow(name, list, " ", before+room), len(upTo) - 1
}

// settingRoom returns the cells before a setting's value, and the cells for it.
func settingRoom(w int) (name, room int) {
	if w < narrowCells {
		return markCells + keyCells - 1, w - markCells - keyCells + 1
	}
	return markCells + keyCells, w - markCells - keyCells - 1
}

// settingName returns the part of a row before the value: cursor, mark and name.
func (l *Page) settingName(key string, here bool, w int) string {
	t := l.Theme
	mark := " "
	switch {
	case l.edited(key):
		mark = t.Accent.Paint(t.Changed)
	case slices.Contains(l.preset().Overrides, key):
		mark = t.Dim.Paint(t.Given)
	}
	cursor, name := " ", kit.Left(key, keyCells)
	if here && l.right {
		cursor, name = t.Accent.Paint(t.Cursor), t.Title.Paint(name)
	}
	line := cursor + mark + " " + name
	if w < narrowCells {
		return line
	}
	return " " + line
}

// settingLine returns a setting in one row. Under the cursor the value may be a line that is being
// typed.
func (l *Page) settingLine(key string, here bool, w int) string {
	t, line := l.Theme, l.settingName(key, here, w)
	_, room := settingRoom(w)
	if here && l.editing {
		return line + l.viewInput(room)
	}
	value := l.value(key, room)
	if short := cell.Width(value); short < valueCells && room > valueCells+12 {
		value = kit.Left(value, valueCells)
	}
	if origin := t.Greek(l.origin(key)); room-cell.Width(value) > 12 {
		value += "  " + t.Dim.Paint(cell.Cut(origin, room-cell.Width(value)-2))
	}
	return line + cell.Cut(value, room)
}

// valueCells is the least width of a value that is followed by its origin.
const valueCells = 14

// viewInput draws the typed line with its cursor, in the style of an error if it is invalid.
func (l *Page) viewInput(room int) string {
	t := l.Theme
	st := t.Text
	if l.problem != nil {
		st = t.Alarm
	}
	return l.line.View(st, max(8, room-1))
}

// value returns a setting's value as the page shows it. Methods and seeds are boxes: as many as
// fit, the ticked ones first, then the number of boxes left out. Where not even the ticked ones
// fit, their names stand alone, without ticks.
func (l *Page) value(key string, room int) string {
	boxes := l.boxesOf(key)
	switch {
	case key == whereKey:
		return l.viewPlaces(room)
	case boxes == nil:
		return l.spec().Text(key)
	}
	list := l.viewBoxes(boxes, false)
	if cell.Width(strings.Join(list, " ")) <= room {
		return strings.Join(list, " ")
	}
	ticked := slices.DeleteFunc(slices.Clone(boxes), func(b checkbox) bool { return !b.on })
	rest := slices.DeleteFunc(boxes, func(b checkbox) bool { return b.on })
	list = l.viewBoxes(append(ticked, rest...), false)
	shown, all := l.fitBoxes(list, 0, room)
	if shown < len(ticked) {
		for i, b := range ticked {
			list[i] = l.Theme.Text.Paint(b.name)
		}
		_, all = l.fitBoxes(list[:len(ticked)], len(rest), room)
	}
	return all
}

// fitBoxes returns how many of the boxes fit in so many cells, at least one, and their line. It
// ends with the number of those that are left out, with so many more.
func (l *Page) fitBoxes(list []string, more, room int) (shown int, line string) {
	for shown = len(list); ; shown-- {
		line = strings.Join(list[:shown], " ")
		if out := len(list) - shown + more; out > 0 {
			line += l.Theme.Dim.Paint(fmt.Sprintf(" +%d more", out))
		}
		if shown <= 1 || cell.Width(line) <= room {
			return shown, line
		}
	}
}

// total says what Enter starts.
func (l *Page) total() string {
	s := l.spec()
	runs := kit.Plural(len(s.Algorithms)*s.Seeds, "run")
	if l.where != "" {
		runs += " " + l.onPlace()
	}
	return fmt.Sprintf("%s: %s × %s", runs,
		kit.Plural(len(s.Algorithms), "method"), kit.Plural(s.Seeds, "seed"))
}

// time is the estimate in words.
func (l *Page) time() string {
	e := l.plan
	if e.duration <= 0 {
		return e.basis
	}
	return fmt.Sprintf("about %s, %s", duration(e.duration), e.basis)
}

// dataset says whether the data are on the machine, and how to get them if they are not.
func (l *Page) dataset() (text string, there bool) {
	name := l.spec().Dataset
	e, known := l.entries[name]
	switch {
	case l.Config.Shared:
		return name, true
	case l.unreached() != "":
		return name + ": not known without a link", true
	case !known && l.entries == nil:
		return name + ": looking", true
	case !known:
		return fmt.Sprintf("%s: a file of your own, read when the runs start", name), true
	case !e.Available:
		return l.missingText(e), false
	}
	return e.Name + ": " + e.Purpose, true
}

// problemText describes the problem with its derived values: the radius and the box of z.
func (l *Page) problemText() string {
	p, err := l.spec().Problem()
	if err != nil {
		return cell.OneLine(err.Error())
	}
	parts := l.spec().Bounds(p.Box.Lambda, p.Box.Eta)
	if p.Set.HasRadius() {
		parts = append([]string{fmt.Sprintf("ρ %.4g", p.Rho)}, parts...)
	}
	return fmt.Sprintf("%s, %s coordinates", strings.Join(parts, " · "), p.Coordinates)
}

// budget describes the length of a run.
func (l *Page) budget() string {
	s := l.spec()
	return fmt.Sprintf("%s, batches of %d, evaluated %s", kit.Plural(s.Epochs, "epoch"), s.Batch,
		everyText(s.EvalEvery))
}

func everyText(epochs int) string {
	switch epochs {
	case 0:
		return "at the end"
	case 1:
		return "every epoch"
	}
	return fmt.Sprintf("every %d epochs", epochs)
}

// duration writes d as charts do, but as at least a second.
func duration(d time.Duration) string {
	return plot.FormatDuration(math.Max(1, math.Round(d.Seconds())))
}

// launchLayout holds the areas of the parts of the Launch page. On a narrow screen either the
// presets or the settings have no area.
type launchLayout struct{ welcome, presets, settings, plan kit.Rect }

// layLaunch divides a page of w by h cells. onSettings says whether the settings have the focus,
// and welcome is the number of lines of the welcome.
func layLaunch(w, h int, onSettings bool, welcome int) launchLayout {
	rows := 7 // of the plan, including its box
	switch {
	case !kit.Boxed(h):
		rows = 4
	case h >= 34:
		rows = 8
	}
	top := h - rows
	l := launchLayout{welcome: kit.Area(0, 0, w, welcome), plan: kit.Area(0, top, w, rows)}
	rest := top - welcome
	switch side := min(max(w/4, 26), 40); {
	case w >= 76:
		l.presets = kit.Area(0, welcome, side, rest)
		l.settings = kit.Area(side, welcome, w-side, rest)
	case onSettings:
		l.settings = kit.Area(0, welcome, w, rest)
	default:
		l.presets = kit.Area(0, welcome, w, rest)
	}
	return l
}

// layout returns the areas of the parts on a page of w by h cells.
func (l *Page) layout(w, h int) launchLayout {
	return layLaunch(w, h, l.right, len(l.welcome(w, h)))
}

// welcome says in three sentences what the program is, to a user who opens the interface for the
// first time.
const welcome = "drolab trains a network with several methods and shows which classes suffer.\n" +
	"Robust methods let an adversary weigh hard samples more, within a radius ρ.\n" +
	"Enter reviews this preset, then starts it on Watch (2). Above it is a film."

// welcome returns the lines that welcome a newcomer, and a blank line; nil once the folder has a
// run, or on a page without room for them.
func (l *Page) welcome(w, h int) []string {
	const leastHeight = 20
	if !l.Newcomer || len(l.past) > 0 || h < leastHeight {
		return nil
	}
	lines := kit.Wrap(l.Theme.Greek(welcome), max(1, w-2))
	for i, line := range lines {
		lines[i] = " " + l.Theme.Title.Paint(line)
	}
	return append(lines, "")
}
