package tuitest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"drolab/runner/record/recordtest/eventtest"
	"drolab/tui/cell"

	uv "github.com/charmbracelet/ultraviolet"
)

var update = flag.Bool("update", false, "write the Golden screens, and the key tables of docs")

// Updates reports whether the flag -update is set: then a test writes the files that it would
// compare.
func Updates() bool { return *update }

// Text returns the characters of a screen, one line for each row.
func Text(e uv.ScreenBuffer) string {
	var b strings.Builder
	for _, line := range e.Lines {
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// Styles returns the colours and attributes of a screen, one letter for each cell, and a legend of
// the letters.
func Styles(e uv.ScreenBuffer) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	known := map[uv.Style]byte{{}: '.'}
	var legend []string
	var b strings.Builder
	for y := range e.Height() {
		var line strings.Builder
		for x := range e.Width() {
			var s uv.Style
			if c := e.CellAt(x, y); c != nil && strings.TrimSpace(c.Content) != "" ||
				c != nil && c.Style.Bg != nil {
				s = c.Style
			}
			if _, ok := known[s]; !ok {
				l := letters[len(legend)%len(letters)]
				known[s] = l
				legend = append(legend, fmt.Sprintf("%c fg %s bg %s attributes %d\n", l,
					colorOf(s.Fg), colorOf(s.Bg), s.Attrs))
			}
			line.WriteByte(known[s])
		}
		b.WriteString(strings.TrimRight(line.String(), ".") + "\n")
	}
	return b.String() + strings.Join(legend, "")
}

func colorOf(c any) string {
	if c == nil {
		return "-"
	}
	return fmt.Sprintf("%v", c)
}

// Golden compares a screen with testdata/NAME.golden, or writes that file if the flag -update is
// set.
func Golden(t *testing.T, name, got string) {
	t.Helper()
	file := goldenFile(name)
	if !*update {
		if got != GoldenOf(t, name) {
			t.Errorf("%s differs: go test ./tui -update, then git diff\n%s", file, got)
		}
		return
	}
	eventtest.Must(t, os.MkdirAll(filepath.Dir(file), 0o755))
	eventtest.Must(t, os.WriteFile(file, []byte(got), 0o644))
}

// GoldenOf returns the golden screen of that name.
func GoldenOf(t *testing.T, name string) string {
	t.Helper()
	want, err := os.ReadFile(goldenFile(name))
	if err != nil {
		t.Fatalf("%v: run go test ./tui -update and look at what it wrote", err)
	}
	return string(want)
}

func goldenFile(name string) string { return filepath.Join("testdata", name+".golden") }

// Sizes returns the screen sizes that the interface is made for, as width and height.
func Sizes() [][2]int { return [][2]int{{40, 12}, {80, 24}, {120, 40}, {200, 60}} }

// Variants returns kinds of terminals by name, each as the variables that it adds
// to the environment of a dark terminal with true colour.
func Variants() map[string][]string {
	return map[string][]string{
		"dark":    nil,
		"256":     {"COLORTERM="},
		"16":      {"COLORTERM=", "TERM=xterm"},
		"ascii":   {"DROLAB_ASCII=1"},
		"nocolor": {"NO_COLOR=1"},
		"bright":  {"DROLAB_CONTRAST=1"},
	}
}

// Fits fails if a screen is not exactly h lines of w cells, if it contains an escape sequence other
// than a style, or if ascii is set and the screen has other characters.
func Fits(t testing.TB, what, screen string, w, h int, ascii bool) {
	t.Helper()
	lines := strings.Split(Printable(t, what, screen), "\n")
	if len(lines) != max(1, h) {
		t.Fatalf("%s: %d lines on a screen of %dx%d", what, len(lines), w, h)
	}
	for y, l := range lines {
		if got := cell.Width(l); got != w && h > 0 && w > 0 {
			t.Fatalf("%s: line %d has %d cells of %d on a screen of %dx%d:\n%q",
				what, y, got, w, w, h, l)
		}
	}
	if ascii && strings.ContainsFunc(screen, func(r rune) bool { return r > unicode.MaxASCII }) {
		t.Fatalf("%s: not ASCII:\n%s", what, screen)
	}
}

// Printable fails if a screen has anything but printable characters, line breaks and styles, or if
// it has styleEscape. It returns the screen without its styles.
func Printable(t testing.TB, what, screen string) string {
	t.Helper()
	if strings.Contains(screen, styleEscape) {
		t.Fatalf("%s: a text colours itself", what)
	}
	plain := unstyled(screen)
	if bad := Steered(plain); bad != "" || strings.Contains(plain, "\t") {
		t.Fatalf("%s: control character in the screen: %s", what, bad)
	}
	return plain
}

// unstyled returns a screen without the sequences that begin or end a style of ours: ESC [, numbers
// with semicolons, m.
func unstyled(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for {
		text, rest, found := strings.Cut(s, "\x1b[")
		b.WriteString(text)
		if !found {
			return b.String()
		}
		numbers := strings.TrimLeft(rest, "0123456789;")
		s = strings.TrimPrefix(numbers, "m")
		if s == numbers {
			b.WriteString("\x1b[")
			s = rest
		}
	}
}
