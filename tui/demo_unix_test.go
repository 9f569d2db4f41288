//go:build unix

package tui

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/hinshun/vt10x"
)

// gallery is the folder of the pictures and of the recordings, which .github/demo makes.
const gallery = "../docs"

// recordings are those with pictures.
var recordings = []struct {
	cast, page string
	screens    []string // the names of the pictures, in the order of the marks
	live       bool     // its runs train: its screen goes on between a mark and the picture
}{
	{"demo.cast", "interface.md", []string{"watch", "compare"}, false},
	{"boxes.cast", "boxes.md", []string{"boxes"}, true},
}

// mostOfDemos bounds the size of the pictures and recordings in bytes: everyone who clones the
// project downloads them.
const mostOfDemos = 805_000

// madeIn begins the folder that recordings are made in. A line may break behind it.
const madeIn = "/tmp/drolab-"

// rooted matches an absolute path on some machine.
var rooted = regexp.MustCompile(`(^|[^\w.:/])/\w+/`)

// TestDemos checks that the docs show each picture, and that the pictures are whole, small and free
// of control characters and absolute paths. At the mark of a picture, an emulator that plays the
// recording has every letter of the picture in its place, unless its runs train. A picture shows
// sfk-auto, as the preset does.
func TestDemos(t *testing.T) {
	pictures := map[string][]pictureText{}
	total := 0
	for _, file := range glob(t, "*.svg") {
		b := read(t, file)
		total += len(b)
		name := filepath.Base(file)
		if i := bytes.IndexFunc(b, steers); i >= 0 {
			t.Errorf("%s: control character at byte %d", name, i)
		}
		if path := rooted.Find(b); path != nil {
			t.Errorf("%s: has the path %q", name, path)
		}
		pictures[strings.TrimSuffix(name, ".svg")] = words(t, file, b)
	}
	for _, file := range glob(t, "*.cast") {
		total += len(read(t, file))
	}
	bridge, film := read(t, "../docs/bridge.cast"), read(t, "../docs/film.cast")
	if total > mostOfDemos {
		t.Errorf("the pictures have %d bytes, want at most %d", total, mostOfDemos)
	}
	play(t, bridge, func([][]rune) {})
	chapter := 0
	length := play(t, film, func(screen [][]rune) {
		chapter++
		last := string(screen[len(screen)-2])
		if !strings.Contains(last, fmt.Sprintf(" %d/7 ", chapter)) {
			t.Errorf("at mark %d the film shows %q", chapter, last)
		}
	})
	if chapter != 7 {
		t.Errorf("the film has marks in %d chapters, want 7", chapter)
	}
	if length > 64 {
		t.Errorf("the film takes %g s, want at most 64", length)
	}
	auto, known := false, 0
	for _, r := range recordings {
		page := string(read(t, filepath.Join(gallery, r.page)))
		shown := 0
		play(t, read(t, filepath.Join(gallery, r.cast)), func(screen [][]rune) {
			name := r.screens[min(shown, len(r.screens)-1)]
			shown++
			for _, paper := range []string{"-dark", "-light"} {
				known++
				picture, ok := pictures[name+paper]
				if !ok || !strings.Contains(page, `="`+name+paper+`.svg"`) {
					t.Errorf("docs/%s does not show %s%s.svg, or it is missing", r.page, name,
						paper)
				}
				if len(picture) < 50 {
					t.Errorf("%s%s.svg has %d words, want at least 50", name, paper, len(picture))
				}
				for _, w := range picture {
					auto = auto || strings.Contains(string(w.text), "sfk-auto")
					got := screen[w.y][w.x : w.x+len(w.text)]
					if !r.live && !slices.Equal(got, w.text) {
						t.Errorf("%s%s.svg has %q at row %d, column %d; the recording %q", name,
							paper, string(w.text), w.y, w.x, string(got))
					}
				}
			}
		})
		if shown != len(r.screens) {
			t.Errorf("%s marks %d screens, want %d", r.cast, shown, len(r.screens))
		}
	}
	if len(pictures) != known {
		t.Errorf("there are %d pictures, want %d", len(pictures), known)
	}
	if !auto {
		t.Error("no picture shows sfk-auto")
	}
}

// steers reports whether r is an escape or another control character, which no picture may have.
func steers(r rune) bool {
	return r < ' ' && r != '\n' || r == 0x7f || r == unicode.ReplacementChar
}

// pictureText is a text of a picture with its position in cells.
type pictureText struct {
	x, y int
	text []rune
}

// words returns the texts of a picture, whose cells are 12.2 by 24.4 units large.
func words(t *testing.T, file string, b []byte) (list []pictureText) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(b))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "text" {
			continue
		}
		var e struct {
			X    float64 `xml:"x,attr"`
			Y    float64 `xml:"y,attr"`
			Text string  `xml:",chardata"`
		}
		if err := d.DecodeElement(&e, &start); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		text := strings.TrimRight(strings.ReplaceAll(e.Text, "\u00a0", " "), " \n")
		list = append(list, pictureText{int(math.Round(e.X / 12.2)), int(e.Y / 24.4), []rune(text)})
	}
}

// play plays a recording in an emulator and calls at with each screen that the recording marks. It
// returns the length of the recording in seconds.
func play(t *testing.T, cast []byte, at func(screen [][]rune)) (last float64) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(cast))
	var head struct{ Version, Width, Height int }
	if err := d.Decode(&head); err != nil {
		t.Fatalf("a recording: %v", err)
	}
	if head.Version != 2 {
		t.Fatalf("a recording has version %d, want 2", head.Version)
	}
	g := &emulator{vt: vt10x.New(vt10x.WithSize(head.Width, head.Height))}
	for d.More() {
		var when float64
		var kind, data string
		if err := d.Decode(&[]any{&when, &kind, &data}); err != nil {
			t.Fatalf("a recording, after %g s: %v", last, err)
		}
		if when < last {
			t.Fatalf("a recording has %g s after %g s", when, last)
		}
		last = when
		if kind == "m" {
			at(g.rows(head.Width, head.Height))
			continue
		}
		g.draw([]byte(data))
		if path := rooted.FindString(strings.ReplaceAll(g.text(), madeIn, "")); path != "" {
			t.Fatalf("a recording: at %g s it shows the path %q", when, path)
		}
	}
	if len(g.unknown) > 0 {
		t.Errorf("a recording: sequences that the emulator has not: %q", g.unknown)
	}
	return last
}

// rows returns the characters of a screen of w by h cells.
func (g *emulator) rows(w, h int) [][]rune {
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
