package tui

import (
	"flag"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

var update = flag.Bool("update", false, "write the golden screens")

// shot is the screen as Bubble Tea's renderer takes it from the view, cell by
// cell.
func (r *rig) shot(t testing.TB) uv.ScreenBuffer {
	t.Helper()
	b := uv.NewScreenBuffer(r.w, r.h)
	uv.NewStyledString(r.screen()).Draw(b, b.Bounds())
	return b
}

// text is the screen's characters, one line a row.
func text(e uv.ScreenBuffer) string {
	var b strings.Builder
	for y := range e.Height() {
		var line strings.Builder
		for x := 0; x < e.Width(); {
			c := e.CellAt(x, y)
			if c == nil || c.Content == "" {
				line.WriteByte(' ')
				x++
				continue
			}
			line.WriteString(c.Content)
			x += max(1, c.Width)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// styles is the screen's colours and attributes, a letter a cell, and what the
// letters mean.
func styles(e uv.ScreenBuffer) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	known := map[uv.Style]byte{{}: '.'}
	var legend []string
	var b strings.Builder
	for y := range e.Height() {
		var line strings.Builder
		for x := range e.Width() {
			var s uv.Style
			if c := e.CellAt(x, y); c != nil && strings.TrimSpace(c.Content) != "" || c != nil && c.Style.Bg != nil {
				s = c.Style
			}
			if _, ok := known[s]; !ok {
				l := letters[len(legend)%len(letters)]
				known[s] = l
				legend = append(legend, fmt.Sprintf("%c fg %s bg %s attributes %d\n", l, colorOf(s.Fg), colorOf(s.Bg), s.Attrs))
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

// golden compares what is seen with testdata/NAME.golden.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v: run go test ./tui -update and look at what it wrote", err)
	}
	if got != string(want) {
		t.Errorf("%s differs: go test ./tui -update, then git diff\n%s", file, got)
	}
}

// sizes are the screens that the interface is made for.
func sizes() [][2]int { return [][2]int{{40, 12}, {80, 24}, {120, 40}, {200, 60}} }

// watching is a rig on the Watch page, half-way through four runs.
func watching(t testing.TB, w, h int, environ ...string) *rig {
	t.Helper()
	s := fixture(t)
	r := newRig(t, s, w, h, environ...)
	r.press("2")
	r.wait(10*time.Second, time.Second/5)
	return r
}

func TestWatchGolden(t *testing.T) {
	for _, size := range sizes() {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			r := watching(t, size[0], size[1])
			golden(t, fmt.Sprintf("watch-%dx%d", size[0], size[1]), text(r.shot(t)))
		})
	}
}

func TestWatchVariants(t *testing.T) {
	for name, environ := range variants() {
		t.Run(name, func(t *testing.T) {
			e := watching(t, 120, 40, environ...).shot(t)
			golden(t, "watch-"+name, text(e)+styles(e))
		})
	}
}

func TestWatchLight(t *testing.T) {
	r := watching(t, 120, 40)
	r.send(tea.BackgroundColorMsg{Color: color.White})
	golden(t, "watch-light", styles(r.shot(t)))
}

func TestWatchStates(t *testing.T) {
	for _, c := range []struct {
		name string
		w, h int
		keys []string
	}{
		{"zoom", 80, 24, []string{"z"}},
		{"phase", 80, 24, []string{"tab", "tab", "f", "f", "f", "z"}},
		{"dots", 120, 40, []string{"d"}},
		{"time", 120, 40, []string{"a", "a", "l", "s"}},
		{"log", 120, 40, []string{"w"}},
		{"help", 80, 24, []string{"?"}},
		{"define", 80, 24, []string{"tab", "tab", "i"}},
		{"hidden", 80, 24, []string{"space", "down", "b", "b"}},
		{"blocked", 80, 24, []string{"p"}},
		{"one", 120, 40, []string{"v", "v"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := watching(t, c.w, c.h)
			r.press(c.keys...)
			golden(t, "watch-"+c.name, text(r.shot(t)))
		})
	}
}

func TestEmptyGolden(t *testing.T) {
	r := newRig(t, &script{folder: folder(t.TempDir())}, 80, 24)
	r.press("2")
	golden(t, "watch-empty", text(r.shot(t)))
	r.size(30, 5)
	golden(t, "too-small", text(r.shot(t)))
}
