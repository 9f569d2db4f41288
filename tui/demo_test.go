package tui

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"image/color"
	"io"
	"math/bits"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"drolab/runner/record"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

var demos = flag.String("demos", "",
	"draw the pictures of docs: a folder with the runs of drolab run shapes and drolab run groups")

// gallery is where the pictures are.
const gallery = "../docs"

// scene is keys, what they show for a while, and a picture of it where it has a name.
type scene struct {
	keys    string // apart by blanks; /word is typed
	seconds float64
	picture string
}

// tour is what the demo shows.
func tour() []scene {
	return []scene{
		{"", 2, ""},
		{"/shapes", 1, ""}, {"enter", .5, ""}, {"a", 1, ""},
		{"R", 1, ""}, {"} }", 9, ""},
		{"R", 3, "watch"},
		{"left left left left left left", 3, ""}, {"esc", .5, ""},
		{"tab tab f f", 4, ""},
		{"3", .5, ""}, {"esc esc /groups", 1, ""}, {"enter", .5, ""}, {"a", 1, ""},
		{"c", 5, "compare"},
	}
}

// demoRuns are a folder's, wherever it is.
type demoRuns struct{ lab.Folder }

func (d demoRuns) List() ([]*record.Run, []error) {
	runs, problems := d.Folder.List()
	for _, r := range runs {
		r.Dir = filepath.Join("runs", r.Meta.ID)
	}
	return runs, problems
}

func (d demoRuns) Open(r *record.Run) lab.Log { return tuitest.Archive{Folder: d.Folder}.Open(r) }

// TestDrawDemos makes the recording and the pictures of docs: the interface on
// runs that anyone can make, with keys pressed on a clock of its own.
func TestDrawDemos(t *testing.T) {
	if *demos == "" {
		t.Skip("only with -demos FOLDER")
	}
	for _, p := range tuitest.Papers() {
		const w, h = 120, 40
		r := newRig(t, &tuitest.Script{Folder: lab.Folder(*demos), Now: tuitest.Epoch0()}, w, h)
		r.Source, r.Config.RunsDir = demoRuns{lab.Folder(*demos)}, "runs"
		r.send(tea.BackgroundColorMsg{Color: map[bool]color.Color{true: color.Black, false: color.White}[p.Dark]})
		r.press("3")
		cast := tuitest.NewCast(t, w, h, p, "drolab")
		for _, s := range tour() {
			r.act(t, cast, s)
			if s.picture == "" {
				continue
			}
			cast.Mark(t, s.picture)
			keep(t, s.picture+"-"+p.Name+".svg", []byte(tuitest.SVG(r.shot(t), p, "drolab: "+s.picture)))
		}
		if p.Dark { // the recording of the other paper is as long, and tells nothing more
			keep(t, "demo.cast", cast.Bytes())
		}
	}
}

// act presses the keys of a scene, and shows what comes of them.
func (r *rig) act(t *testing.T, cast *tuitest.Cast, s scene) {
	const beat, frame = time.Second / 8, time.Second / 2
	for _, key := range strings.Fields(s.keys) {
		strokes := []string{key}
		if len(key) > 1 && key[0] == '/' {
			strokes = strings.Split(key, "")
		}
		for _, k := range strokes {
			r.press(k)
			r.wait(beat, beat)
			cast.Frame(t, r.screen(), beat)
		}
	}
	for range int(s.seconds * float64(time.Second) / float64(frame)) {
		r.wait(frame, frame/6)
		cast.Frame(t, r.screen(), frame)
	}
}

func keep(t *testing.T, name string, b []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(gallery, name), b, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestPicture wants a picture of a screen to have its letters in their places, and
// its braille as dots.
func TestPicture(t *testing.T) {
	r := watching(t, 120, 40)
	r.press("d")
	screen := r.shot(t)
	picture := tuitest.SVG(screen, tuitest.Papers()[0], "a <test> & more")
	lines := strings.Split(tuitest.Text(screen), "\n")
	list := words(t, "picture", []byte(picture))
	for _, w := range list {
		if line := []rune(lines[w.y]); !strings.HasPrefix(string(line[w.x:]), string(w.text)) {
			t.Errorf("%q is not at row %d, column %d: %s", string(w.text), w.y, w.x, string(line))
		}
	}
	letters, dots := 0, 0
	for _, c := range tuitest.Text(screen) {
		switch {
		case c >= 0x2800 && c < 0x2900:
			dots += bits.OnesCount8(uint8(c))
		case c == '·':
			dots++
		case c == '┈' || c == '┊':
			dots += 2
		case unicode.IsLetter(c):
			letters++
		}
	}
	for _, w := range list {
		for _, c := range w.text {
			if unicode.IsLetter(c) {
				letters--
			}
		}
	}
	for _, line := range regexp.MustCompile(`M(\d+) \d+H(\d+)`).FindAllStringSubmatch(picture, -1) {
		if line[1] == line[2] {
			dots--
		}
	}
	if len(list) < 50 || letters != 0 || dots != 0 {
		t.Errorf("%d texts; %d letters and %d dots of the screen are not in the picture", len(list), letters, dots)
	}
}

// word is text of a picture, in cells.
type word struct {
	x, y int
	text []rune
}

// words are the texts of a picture of cells of 8 by 16 units.
func words(t *testing.T, file string, b []byte) (list []word) {
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
			X    int    `xml:"x,attr"`
			Y    int    `xml:"y,attr"`
			Text string `xml:",chardata"`
		}
		if err := d.DecodeElement(&e, &start); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		list = append(list, word{e.X / 8, e.Y / 16, []rune(e.Text)})
	}
}
