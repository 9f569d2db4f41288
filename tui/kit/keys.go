package kit

import (
	"cmp"
	"slices"
	"strings"

	"drolab/tui/cell"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// Key is a row of a key table: keys, and what they do. Dispatch, footer, help
// and palette all come from the rows, in their order.
type Key struct {
	Keys key.Binding // the first one is shown
	Hint string      // the footer's word; empty leaves it out
	// HintIn returns the footer's word where it depends on the state of the page, which is w cells
	// wide; nil stands for Hint, and "" leaves it out.
	HintIn func(w int) string
	Help   string // what it does; empty leaves it out of help and palette
	// Why returns why it cannot be done now, "" when it can; nil means that it always can.
	Why func() string
	Act func() tea.Cmd

	Group Group // where the help has it; Any stands for the group that the fields below tell

	Last   bool // the hint stands at the right of the footer, whatever the room
	Moves  bool // only moves a cursor, so that the palette leaves it out
	Alters bool // starts, changes or deletes runs, which a read-only view does not
	Local  bool // concerns the program's machine, such as files of no run: barred to a shared view
}

// Group is a group of keys in the help.
type Group int

// The groups in the order of the help.
const (
	Any Group = iota
	ToStart
	ToWatch
	ToChange
	ToLook
	ToLeave
)

// String returns the head of a group.
func (g Group) String() string {
	return [...]string{"", "Start", "Watch", "Change", "Look closer", "Leave"}[g]
}

// In returns the group of the row.
func (k *Key) In() Group {
	switch {
	case k.Group != Any:
		return k.Group
	case k.Moves:
		return ToWatch
	case k.Last:
		return ToLeave
	case k.Alters:
		return ToChange
	}
	return ToLook
}

// On returns the binding of some keys, named as by tea.KeyPressMsg.String.
func On(keys ...string) key.Binding { return key.NewBinding(key.WithKeys(keys...)) }

// Just returns an Act that calls f and returns no command.
func Just(f func()) func() tea.Cmd {
	return func() tea.Cmd {
		f()
		return nil
	}
}

// By returns an Act that calls f with n.
func By(f func(int), n int) func() tea.Cmd { return Just(func() { f(n) }) }

// Move returns a row whose keys move a cursor by n, with f.
func Move(help string, why func() string, f func(int), n int, keys ...string) Key {
	return Key{Keys: On(keys...), Help: help, Why: why, Act: By(f, n), Moves: true}
}

// word returns the footer's word in a page of w cells.
func (k *Key) word(w int) string {
	if k.HintIn == nil {
		return k.Hint
	}
	return k.HintIn(w)
}

// Blocked returns why the row's action cannot be done now; "" when it can.
func (k *Key) Blocked() string {
	if k.Why == nil {
		return ""
	}
	return k.Why()
}

// State is a state of a page that Esc leaves.
type State struct {
	Is   bool
	Undo func() tea.Cmd
}

// Back returns the row for Esc, which undoes the first of a page's states that is.
func Back(help string, states func() []State) Key {
	first := func() (undo func() tea.Cmd) {
		for _, s := range states() {
			if s.Is {
				return s.Undo
			}
		}
		return nil
	}
	return Key{Keys: On("esc"), Group: ToLeave, Help: help,
		Why: func() string { return Unless(first() != nil, NoWayBack) },
		Act: func() tea.Cmd { return first()() }}
}

// NoWayBack is why Esc does nothing.
const NoWayBack = "Nothing to go back to"

// Unless returns the result of a Why: "" if the action can be done, else the reason.
func Unless(can bool, why string) string {
	if can {
		return ""
	}
	return why
}

// Names returns the row's keys as they are shown.
func (k *Key) Names(ascii bool) string {
	var names []string
	for _, key := range k.Keys.Keys() {
		names = append(names, KeyName(key, ascii))
	}
	return strings.Join(names, " ")
}

// Name returns the first of Names.
func (k *Key) Name(ascii bool) string { return KeyName(k.Keys.Keys()[0], ascii) }

// Find returns the row that a key belongs to, and why it is blocked; nil without one. If several
// rows have the key, it returns the first that can be done now, or else the first.
func Find(table []Key, press tea.KeyPressMsg) (found *Key, blocked string) {
	for i := range table {
		row := &table[i]
		if !key.Matches(press, row.Keys) {
			continue
		}
		why := row.Blocked()
		if why == "" {
			return row, ""
		}
		if found == nil {
			found, blocked = row, why
		}
	}
	return found, blocked
}

// Press returns the press of a key by its name: "tab", "ctrl+c", "z", "Z".
func Press(name string) tea.KeyPressMsg {
	special := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab,
		"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
		"home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
		"delete": tea.KeyDelete, "backspace": tea.KeyBackspace, "f1": tea.KeyF1}
	var k tea.Key
	for prefix, mod := range map[string]tea.KeyMod{"ctrl+": tea.ModCtrl, "shift+": tea.ModShift} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			k.Mod, name = mod, rest
		}
	}
	switch code, ok := special[name]; {
	case ok:
		k.Code = code
	case name == "space":
		k.Code, k.Text = tea.KeySpace, " "
	default:
		k.Code = []rune(name)[0]
		if k.Mod == 0 {
			k.Text = name
		}
	}
	return tea.KeyPressMsg(k)
}

// KeyName returns the name of a key as it is shown.
func KeyName(key string, ascii bool) string {
	if rest, ok := strings.CutPrefix(key, "ctrl+"); ok {
		return "^" + KeyName(rest, ascii)
	}
	if rest, ok := strings.CutPrefix(key, "shift+"); ok {
		return KeyName("shift", ascii) + KeyName(rest, ascii)
	}
	names := map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→", "shift": "⇧"}
	if ascii {
		names = map[string]string{"up": "Up", "down": "Down", "left": "Left",
			"right": "Right", "shift": "Shift-"}
	}
	more := map[string]string{"enter": "Enter", "space": "Space", "tab": "Tab", "esc": "Esc",
		"home": "Home", "end": "End", "pgup": "PgUp", "pgdown": "PgDn", "delete": "Del",
		"f1": "F1"}
	return cmp.Or(names[key], more[key], key)
}

// hint is a row's word in the footer and where it stands.
type hint struct {
	row        *Key
	name, word string
	x, width   int
}

// hints lays out the hints of rows in w cells: as many as fit. Rows with Last stand at the right,
// whatever the room.
func (t *Theme) hints(rows []Key, w int) (first, last []hint) {
	const gap = 2
	room := w - 1
	take := func(ofLast bool) (list []hint, x int) {
		for i := range rows {
			row := &rows[i]
			if row.Hint == "" || row.Last != ofLast {
				continue
			}
			name, word := row.Name(t.ASCII), t.Greek(row.word(w))
			width := cell.Width(name) + len(" ") + cell.Width(word)
			if room -= gap + width; room < 0 {
				break
			}
			list = append(list, hint{row, name, word, x, width})
			x += width + gap
		}
		return list, x - gap
	}
	last, length := take(true)
	first, _ = take(false)
	for i := range first {
		first[i].x++ // the blank at the left
	}
	for i := range last {
		last[i].x += w - 1 - length
	}
	return first, last
}

// Footer returns the hints of rows, as many as fit in w cells. Rows with Last stand at the right,
// whatever the room.
func (t *Theme) Footer(rows []Key, w int) string {
	text := func(list []hint) string {
		words := make([]string, len(list))
		for i, h := range list {
			words[i] = t.Key.Paint(h.name) + " " + t.Dim.Paint(h.word)
		}
		return strings.Join(words, "  ")
	}
	first, last := t.hints(rows, w)
	return Justify(" "+text(first), text(last)+" ", w)
}

// HintAt returns the row whose hint stands at column x of the Footer; nil for none.
func (t *Theme) HintAt(rows []Key, w, x int) *Key {
	first, last := t.hints(rows, w)
	for _, h := range slices.Concat(first, last) {
		if x >= h.x && x < h.x+h.width {
			return h.row
		}
	}
	return nil
}

// keyColumn is the least width of the keys in the help.
const keyColumn = 9

// HelpLines draws the help of rows in two columns, which are w cells wide together. Text that does
// not fit its line goes on in the second column.
func (t *Theme) HelpLines(rows []Key, w int) (lines []string) {
	column := keyColumn
	for i := range rows {
		column = max(column, cell.Width(rows[i].Names(t.ASCII)))
	}
	for i := range rows {
		keys := t.Key.Paint(Left(rows[i].Names(t.ASCII), column))
		for _, help := range Wrap(t.Greek(rows[i].Help), w-column-1) {
			lines = append(lines, keys+" "+help)
			keys = Blanks(column)
		}
	}
	return lines
}
