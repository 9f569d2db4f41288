package kit

import (
	"slices"
	"strings"
	"testing"

	"drolab/runner/page"
	"drolab/tui/cell"

	"github.com/charmbracelet/colorprofile"
)

// people returns a table whose columns can be spared in another order than that in which they
// stand.
func people() *page.Table {
	type person struct{ name, town, age string }
	fields := page.Fields[person]{
		{Column: page.Column{Head: "name", Words: true},
			Cell: func(p person) string { return p.name }},
		{Column: page.Column{Head: "town", Words: true, Most: 16, Spare: 1},
			Cell: func(p person) string { return p.town }},
		{Column: page.Column{Head: "age ρ", Spare: 2},
			Cell: func(p person) string { return p.age }},
	}
	return fields.Table([]person{{"Ann", "Llanfairpwllgwyngyll", "7"}, {"Bo", "Å", "41"}}, nil)
}

// TestGrid: columns are left out by how well they can be spared, a wide one is narrowed before, a
// column that cannot be spared stays, and no line is longer than its room.
func TestGrid(t *testing.T) {
	theme := NewTheme(colorprofile.ASCII, true, false)
	for w, want := range map[int]string{
		40: "  name  town              age ρ",
		31: "  name  town              age ρ",
		30: "  name  town            ",
		20: "  name  town        ",
		16: "  name  town    ",
		15: "  name",
		3:  "  name",
	} {
		g := theme.Grid(people(), w, 2)
		if got := g.Head(nil); got != want {
			t.Errorf("%d cells: %q, want %q", w, got, want)
		}
		for row := range g.Rows {
			if got := g.Line(row, nil); cell.Width(got) != cell.Width(want) {
				t.Errorf("%d cells: %q under %q", w, got, want)
			}
		}
	}
	ascii := NewTheme(colorprofile.ASCII, true, true).Grid(people(), 60, 2)
	if got := ascii.Head(nil) + ascii.Line(1, nil); strings.ContainsAny(got, "ρ") {
		t.Errorf("in ASCII: %q", got)
	}
}

// TestGridParts: every column is in one of the parts, each part has the first one, and a cell that
// is wrapped loses nothing.
func TestGridParts(t *testing.T) {
	table := page.New("name", "a", "b", "says").Words(3)
	table.Add("Ann", "1", "2", "one and two and three and four")
	for w := 8; w < 60; w++ {
		heads, says := []string{}, ""
		for _, part := range NewTheme(0, true, false).Grid(table, 1000, 2).Parts(w) {
			head := strings.Fields(part.Lines(table.Heads())[0])
			if head[0] != "name" {
				t.Fatalf("%d cells: a part begins with %s, want %q", w, head[0], "name")
			}
			heads = append(heads, head[1:]...)
			for i, line := range part.Lines(table.Rows[0]) {
				if cell.Width(line) > max(w, len("name  ")+16) {
					t.Errorf("%d cells: %q", w, line)
				}
				if words := strings.Fields(line); slices.Contains(head, "says") {
					if i == 0 {
						words = words[len(head)-1:]
					}
					says += strings.Join(words, " ") + " "
				}
			}
		}
		if got := strings.Join(heads, " ") + ": " + says; got != "a b says: "+
			table.Rows[0][3]+" " {
			t.Errorf("%d cells: %q, want %v", w, got, "a b says: "+
				table.Rows[0][3]+" ")
		}
	}
}

// TestEmptyGrid: a table without rows and without words in its heads has one blank line.
func TestEmptyGrid(t *testing.T) {
	for _, part := range NewTheme(0, true, false).Grid(page.New(""), 80, 2).Parts(80) {
		if got := part.Lines([]string{""}); len(got) != 1 || got[0] != "" {
			t.Errorf("Lines = %q, want one blank line", got)
		}
	}
}

// TestTones: a cell has the tone of its column, a change that of its sign.
func TestTones(t *testing.T) {
	theme := NewTheme(colorprofile.ANSI, true, false)
	table := page.New("", "change")
	for text, good := range map[string]kind{"+1.5": better, "-0.2": worse, "+0.0": same, "": same} {
		for _, higher := range []bool{true, false} {
			table.Columns[1].Tone = Change(higher)
			table.Rows = [][]string{{"x", text}}
			line := theme.Grid(table, 40, 1).Line(0, nil)
			want := good
			if !higher {
				want = -good
			}
			shown := map[kind]Style{better: theme.Better, worse: theme.Worse}[want].Paint(".")
			if start, _, _ := strings.Cut(shown, "."); !strings.Contains(line, start) ||
				want == same && strings.Contains(line, "\x1b") {
				t.Errorf("%q, more is better: %v: %q", text, higher, line)
			}
		}
	}
}

type kind int

const (
	worse kind = iota - 1
	same
	better
)
