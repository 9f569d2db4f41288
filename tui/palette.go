package tui

import (
	"cmp"
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

// offer is a row of the key table that the palette found, and its page.
type offer struct {
	*kit.Key
	page pageID // the page of the key
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

// rows returns what fits the typed words, what fits best first. Of what fits equally well, first
// come the keys of this page that can be done now, then those of other pages, then all else, then
// keys that do nothing now.
func (p *palette) rows() []offer {
	var rows, idle, elsewhere []offer
	fits := map[*kit.Key]fit{}
	take := func(to *[]offer, o offer) {
		how := p.match(o.Key)
		if how == fitsName && o.Called == nil && o.page != p.m.current {
			how = fitsElsewhere
		}
		if fits[o.Key] = how; how != fitsNot {
			*to = append(*to, o)
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
	all := slices.Concat(rows, elsewhere, idle)
	slices.SortStableFunc(all,
		func(a, b offer) int { return cmp.Compare(fits[a.Key], fits[b.Key]) })
	return all
}

// things returns what can be found besides keys: pages, what this page has, definitions, and what
// other pages have.
func (m *Model) things() (list []offer) {
	for i, p := range m.pages {
		list = append(list, offer{&kit.Key{Keys: kit.On(string(rune('1' + i))),
			Called: []string{p.Title()}, Help: "page " + p.Title(), Act: kit.Just(func() {})},
			pageID(i)})
	}
	list = append(list, m.findsOn(m.current)...)
	list = append(list, m.definitions()...)
	for i := range m.pages {
		if at := pageID(i); at != m.current {
			list = append(list, m.findsOn(at)...)
		}
	}
	return append(list, m.findBoxes()...)
}

// findsOn returns what can be found on a page besides keys.
func (m *Model) findsOn(at pageID) (list []offer) {
	p, ok := m.pages[at].(finder)
	if !ok {
		return nil
	}
	rows := p.Finds()
	for i := range rows {
		list = append(list, offer{&rows[i], at})
	}
	return list
}

// definitions returns the rows that define a measure.
func (m *Model) definitions() (list []offer) {
	for _, of := range lab.Numbers() {
		define := func() tea.Cmd {
			return m.Show(m.Defined(of.Title, lab.Define([]string{of.Name})))
		}
		list = append(list, offer{&kit.Key{Keys: kit.On(""), Act: define,
			Called: []string{of.Title, of.Name}, Help: "define " + of.Title}, m.current})
	}
	return list
}

// fit says how well a row fits what is typed.
type fit int

// The fits, the best first.
const (
	fitsName        fit = iota // it is the name
	fitsElsewhere              // it is the footer's word for a key of another page
	fitsWordsOfName            // the name begins with it, and with whole words of it
	fitsStart                  // the name begins with it
	fitsWords                  // every typed word is a word of the row
	fitsWithin                 // every typed word is in the row, or in another word for it
	fitsLetters                // a word has the letters of each typed word, in their order
	fitsNot
)

// match says how well a row fits what is typed. A Greek letter and its name are the same.
func (p *palette) match(row *kit.Key) fit {
	plain := func(s string) string { return strings.ToLower(cell.Spell(s)) }
	typed := strings.Join(strings.Fields(plain(p.line.String())), " ")
	names := row.Called
	if names == nil {
		names = []string{row.Hint}
	}
	if p.keysOnly {
		names = slices.Concat(names, row.Keys.Keys(), []string{row.Names(true)})
	}
	text := plain(strings.Join(append(names, row.Help), " "))
	best := fitsNot
	for _, name := range append(names, row.Help) {
		switch name = plain(name); {
		case name == typed:
			best = min(best, fitsName)
		case strings.HasPrefix(name, typed+" "):
			best = min(best, fitsWordsOfName)
		case strings.HasPrefix(name, typed):
			best = min(best, fitsStart)
		}
	}
	return min(best, fitOfWords(text, strings.Fields(typed)))
}

// fitOfWords says how well a text fits typed words, in whatever order they stand.
func fitOfWords(text string, typed []string) fit {
	own := text // a synonym has none itself
	for of, words := range synonyms() {
		if strings.Contains(own, of) {
			text += " " + words
		}
	}
	of := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,:;()=", r) })
	all := func(has func(typed string) bool) bool {
		return !slices.ContainsFunc(typed, func(word string) bool { return !has(word) })
	}
	switch {
	case all(func(word string) bool { return slices.Contains(of, word) }):
		return fitsWords
	case all(func(word string) bool { return strings.Contains(text, word) }):
		return fitsWithin
	case all(func(word string) bool {
		return slices.ContainsFunc(of, func(in string) bool { return hasLetters(in, word) })
	}):
		return fitsLetters
	}
	return fitsNot
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
		"fork":             "branch clone what if what-if whatif",
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
			return true, p.m.choose(rows[p.cursor])
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
