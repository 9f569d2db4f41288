package tui

import (
	"slices"
	"strings"

	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// openPalette opens the search, and lists the runs that it finds: page Runs may not have been shown
// yet.
func (m *Model) openPalette() tea.Cmd {
	m.open(&kit.Overlay{Title: "Find", Form: &palette{m: m, line: kit.NewInput("")}})
	return m.List()
}

// isSearching reports whether the search is open that finds runs.
func (m *Model) isSearching() bool {
	if m.overlay == nil {
		return false
	}
	p, ok := m.overlay.Form.(*palette)
	return ok && !p.keysOnly
}

// searchKeys opens the palette for the keys of this page alone, with what was typed so far.
func (m *Model) searchKeys(typed string) {
	form := &palette{m: m, line: kit.NewInput(typed), keysOnly: true}
	m.open(&kit.Overlay{Title: "Keys on " + m.page().Title(), Form: form})
}

// palette is the form that finds an action by the words of its help, and pages, panels, presets,
// settings, runs and definitions by theirs.
type palette struct {
	m        *Model
	line     kit.Input
	cursor   int  // row under the cursor
	keysOnly bool // it finds the keys of this page, also those that only move the cursor
}

// finder is a page that has more to find than keys: each row leads to it, and has no key.
type finder interface{ Finds() []kit.Key }

// rows returns what has every typed word. First come the keys of this page that can be done now,
// then those of other pages, then all else, then keys that do nothing now. What has only the
// letters of a word, in their order, comes last.
func (p *palette) rows() (rows []offer) {
	var idle, elsewhere, near []offer
	take := func(to *[]offer, o offer) {
		switch p.match(o.Key) {
		case whole:
			*to = append(*to, o)
		case letters:
			near = append(near, o)
		}
	}
	common := len(p.m.commonKeys())
	for n := range p.m.pages {
		page := pageID((int(p.m.current) + n) % len(p.m.pages))
		for i := range p.m.keys[page] {
			row := &p.m.keys[page][i]
			all := i >= len(p.m.keys[page])-common // a key of all pages
			if row.Moves && !p.keysOnly || row.Help == "" || p.m.barReason(row) != "" ||
				n > 0 && (all || p.keysOnly) {
				continue
			}
			switch o := (offer{row, page}); {
			case n > 0:
				take(&elsewhere, o)
			case row.Blocked() == "":
				take(&rows, o)
			default:
				take(&idle, o)
			}
		}
	}
	if p.line.String() == "" { // the page's own keys are what one looks for then
		return slices.Concat(rows, idle)
	}
	if !p.keysOnly {
		for _, o := range p.m.things() {
			take(&elsewhere, o)
		}
	}
	return slices.Concat(rows, elsewhere, idle, near)
}

// things returns what can be found besides keys: pages, what pages have, and definitions.
func (m *Model) things() (list []offer) {
	for i, p := range m.pages {
		list = append(list, offer{&kit.Key{Keys: kit.On(string(rune('1' + i))),
			Help: "page " + p.Title(), Act: kit.Just(func() {})}, pageID(i)})
	}
	for i, p := range m.pages {
		of, ok := p.(finder)
		if !ok {
			continue
		}
		rows := of.Finds()
		for k := range rows {
			list = append(list, offer{&rows[k], pageID(i)})
		}
	}
	list = append(list, m.findBoxes()...)
	for _, of := range lab.Numbers() {
		define := func() tea.Cmd {
			return kit.Show(m.Defined(of.Title, lab.Define([]string{of.Name})))
		}
		list = append(list, offer{&kit.Key{Keys: kit.On(""), Act: define,
			Help: "define " + of.Title}, m.current})
	}
	return list
}

// What match returns.
const (
	none    = iota
	whole   // every typed word is there, or another word for it
	letters // the letters of every typed word are those of a word, in their order
)

// match says how well a row matches what is typed.
func (p *palette) match(row *kit.Key) int {
	text := strings.ToLower(row.Hint + " " + row.Help + " " + cell.Spell(row.Help))
	if p.keysOnly {
		text += " " + strings.ToLower(row.Names(true))
	}
	own := text // a synonym has none itself
	for of, words := range synonyms() {
		if strings.Contains(own, of) {
			text += " " + words
		}
	}
	typed := strings.Fields(strings.ToLower(p.line.String()))
	lacks := func(word string) bool { return !strings.Contains(text, word) }
	if !slices.ContainsFunc(typed, lacks) {
		return whole
	}
	words := strings.Fields(text)
	far := func(word string) bool {
		return !slices.ContainsFunc(words, func(of string) bool { return hasLetters(of, word) })
	}
	if !slices.ContainsFunc(typed, far) {
		return letters
	}
	return none
}

// hasLetters reports whether a word has these letters in their order, beginning with the first.
func hasLetters(word, letters string) bool {
	const least = 3
	if len(letters) < least || !strings.HasPrefix(word, letters[:1]) {
		return false
	}
	for _, r := range letters {
		_, rest, found := strings.Cut(word, string(r))
		if !found {
			return false
		}
		word = rest
	}
	return true
}

// synonyms returns other words for the words of the help.
func synonyms() map[string]string {
	return map[string]string{
		"fork":             "branch clone what-if whatif",
		"change a setting": "knob lr learning rate lambda tune turn edit slider",
		"undo":             "take back revert",
		"stop":             "kill end abort cancel terminate",
		"delete":           "remove rm trash",
		"resume":           "continue restart go on",
		"pause":            "halt hold",
		"checkpoint":       "save snapshot",
		"export":           "csv download write",
		"replay":           "play again rewind",
		"compare":          "table versus diff",
		"filter":           "search find",
		"smoothing":        "ema average",
		"log":              "logarithmic scale",
		"define":           "help explain what is meaning",
		"start":            "run launch train begin",
		"alerts":           "warnings errors problems news notifications",
	}
}

// Press implements kit.Form.
func (p *palette) Press(key tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	switch key.String() {
	case "up", "shift+tab":
		p.cursor = max(0, p.cursor-1)
	case "down", "tab":
		p.cursor = max(0, min(p.cursor+1, len(p.rows())-1))
	case "enter":
		rows := p.rows()
		if p.cursor < len(rows) {
			return true, kit.Send(rows[p.cursor])
		}
	default:
		if p.line.Update(key) {
			p.cursor = 0
		}
	}
	return false, nil
}

// TakesAnyText implements kit.AnyText.
func (*palette) TakesAnyText() bool { return true }

// Hint implements kit.Form.
func (p *palette) Hint() []kit.Key { return kit.TypingKeys() }

// paletteRows is the number of rows that are shown at once, if there is room.
const paletteRows = 14

// View implements kit.Form.
func (p *palette) View(t *kit.Theme, w, h int) []string {
	room := max(1, min(paletteRows, h-2))
	lines := []string{t.Accent.Paint(": ") + p.line.View(t.Text, w-2), ""}
	rows := p.rows()
	first := kit.First(p.cursor, len(rows), room)
	for i := first; i < min(first+room, len(rows)); i++ {
		row := rows[i]
		name, help := kit.Left(row.Name(t.ASCII), 7), t.Greek(row.Help)
		if row.page != p.m.current && row.Keys.Keys()[0] != "" {
			help = p.m.pages[row.page].Title() + ": " + help
		}
		switch {
		case i == p.cursor:
			lines = append(lines, t.Selected.Paint(kit.Left(t.Cursor+" "+name+help, w)))
		case row.page == p.m.current && row.Blocked() != "":
			lines = append(lines, t.Dim.Paint("  "+name+help))
		default:
			lines = append(lines, "  "+t.Key.Paint(name)+help)
		}
	}
	if len(rows) == 0 {
		lines = append(lines, t.Dim.Paint("  "+"No match"))
	}
	return kit.Fill(lines, w, room+2)
}
