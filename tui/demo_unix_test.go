//go:build unix

package tui

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/hinshun/vt10x"
)

// mostOfDemos bounds what everyone who clones the project gets, in bytes.
const mostOfDemos = 350_000

// rooted is a path from the root of some machine.
var rooted = regexp.MustCompile(`(^|[^\w.:/])/\w+/`)

// TestDemos wants the pictures of docs to be shown, whole, small and of no machine, and
// the recording to show them: an emulator that has played it as far as a picture's
// mark has every letter of it in its place.
func TestDemos(t *testing.T) {
	page := string(read(t, filepath.Join(gallery, "interface.md")))
	pictures := map[string][]word{}
	total := 0
	for _, file := range glob(t, "*.svg") {
		b := read(t, file)
		total += len(b)
		name := filepath.Base(file)
		if !strings.Contains(page, `="`+name+`"`) {
			t.Errorf("docs/interface.md does not show %s", name)
		}
		if i := bytes.IndexFunc(b, steers); i >= 0 {
			t.Errorf("%s: control character at byte %d", name, i)
		}
		if path := rooted.Find(b); path != nil {
			t.Errorf("%s: has the path %q", name, path)
		}
		pictures[strings.TrimSuffix(name, ".svg")] = words(t, file, b)
	}
	cast := read(t, filepath.Join(gallery, "demo.cast"))
	if total += len(cast); total > mostOfDemos {
		t.Errorf("the pictures have %d bytes, want at most %d", total, mostOfDemos)
	}
	shown := play(t, cast, func(name string, screen [][]rune) {
		for _, paper := range []string{"-dark", "-light"} {
			picture, ok := pictures[name+paper]
			if !ok || len(picture) < 50 {
				t.Errorf("%s%s.svg: %d words", name, paper, len(picture))
			}
			for _, w := range picture {
				if got := screen[w.y][w.x : w.x+len(w.text)]; !slices.Equal(got, w.text) {
					t.Errorf("%s%s.svg has %q at row %d, column %d; the recording %q", name, paper, string(w.text),
						w.y, w.x, string(got))
				}
			}
		}
	})
	if 2*shown != len(pictures) || shown == 0 {
		t.Errorf("%d pictures, and the recording marks %d screens", len(pictures), shown)
	}
}

// steers tells what no picture has: escapes and other control characters.
func steers(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f || r == unicode.ReplacementChar }

// play shows a recording in an emulator, calls at with the screens that it marks,
// and returns how many these are.
func play(t *testing.T, cast []byte, at func(name string, screen [][]rune)) (marks int) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(cast))
	var head struct{ Version, Width, Height int }
	if err := d.Decode(&head); err != nil || head.Version != 2 {
		t.Fatalf("demo.cast: version %d: %v", head.Version, err)
	}
	g := &glass{vt: vt10x.New(vt10x.WithSize(head.Width, head.Height))}
	last := 0.0
	for d.More() {
		var when float64
		var kind, data string
		if err := d.Decode(&[]any{&when, &kind, &data}); err != nil || when < last {
			t.Fatalf("demo.cast: at %g s, after %g: %v", when, last, err)
		}
		last = when
		if kind == "m" {
			marks++
			at(data, g.rows(head.Width, head.Height))
			continue
		}
		g.draw([]byte(data))
		if path := rooted.FindString(g.text()); path != "" {
			t.Fatalf("demo.cast: at %g s it shows the path %q", when, path)
		}
	}
	if len(g.unknown) > 0 {
		t.Errorf("demo.cast: sequences that the emulator has not: %q", g.unknown)
	}
	return marks
}

// rows are the characters of a screen of w by h cells.
func (g *glass) rows(w, h int) [][]rune {
	screen := make([][]rune, h)
	for y := range screen {
		for x := range w {
			screen[y] = append(screen[y], g.vt.Cell(x, y).Char)
		}
	}
	return screen
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(gallery, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no %s: %v", pattern, err)
	}
	return files
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
