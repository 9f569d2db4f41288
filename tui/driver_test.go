package tui

import (
	"strings"
	"testing"
	"time"

	"drolab/tui/cell"
	"drolab/tui/internal/render"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/google/go-cmp/cmp"
)

// driver drives a Model.
type driver struct {
	*Model
	tuitest.Loop
	script *tuitest.Script
	asked  *tuitest.Asked
	quit   bool
	raw    []tea.RawMsg
}

// newDriver returns a driver of a Model of w by h cells, in true colour on a dark background unless
// environ says otherwise.
func newDriver(t testing.TB, s *tuitest.Script, w, h int, environ ...string) *driver {
	t.Helper()
	asked := &tuitest.Asked{}
	base := []string{"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8"}
	m := newModel(lab.Config{Verbs: asked, RunsDir: t.TempDir(), DataDir: t.TempDir(),
		Processor: lab.Processor{CPU: "a processor"},
		Environ:   append(base, environ...)}, s, tuitest.Presets)
	added(m)
	r := drive(m, s)
	r.asked = asked
	// As if a key had been pressed: Launch stays, though runs are live.
	r.used, r.pressed = true, time.Unix(1, 0)
	r.Run(r.Init())
	r.Send(tea.ColorProfileMsg{Profile: r.env.profile}, tea.WindowSizeMsg{Width: w, Height: h})
	return r
}

// drive returns a driver of a Model whose clock is that of a script. Every frame shows all there
// is.
func drive(m *Model, s *tuitest.Script) *driver {
	r := &driver{Model: m, script: s}
	r.Loop = tuitest.Loop{Take: r.take, Now: &s.Now}
	r.Round = 0
	r.after = never
	return r
}

// added adds to every Model what a test adds to the tables of pages and panels.
var added = func(*Model) {}

// never replaces the function after of a Model whose clock stands still.
func never(time.Duration, func(time.Time) tea.Msg) tea.Cmd { return nil }

// take hands a message to the Model, except for those that are for Bubble Tea.
func (r *driver) take(m tea.Msg) tea.Cmd {
	switch m := m.(type) {
	case tea.QuitMsg:
		r.quit = true
		return nil
	case tea.RawMsg:
		r.raw = append(r.raw, m)
		return nil
	}
	_, cmd := r.Update(m)
	return cmd
}

// size changes the size of the terminal.
func (r *driver) size(w, h int) { r.Send(tea.WindowSizeMsg{Width: w, Height: h}) }

// browsing returns a driver on a page, over the runs of an archive.
func browsing(t testing.TB, a lab.Source, page string, w, h int, environ ...string) *driver {
	t.Helper()
	s := &tuitest.Script{Folder: lab.Folder("unused"), Now: tuitest.Epoch0()}
	r := newDriver(t, s, w, h, environ...)
	r.Source, r.Config.RunsDir = a, "/runs"
	r.Run(r.pages[launchPage].Init())
	r.Press(page)
	return r
}

// watching returns a driver on the Watch page, half-way through four runs.
func watching(t testing.TB, w, h int, environ ...string) *driver {
	t.Helper()
	s := tuitest.NewScript(t)
	r := newDriver(t, s, w, h, environ...)
	r.Press("2")
	r.Wait(10*time.Second, time.Second/5)
	return r
}

// shot returns the screen, cell by cell.
func (r *driver) shot(t testing.TB) uv.ScreenBuffer {
	t.Helper()
	return render.Shot(r.screen(), r.w, r.h)
}

// fits calls tuitest.Fits for the screen, and checks that drawing changes nothing and that no text
// reaches the layout unclean.
func (r *driver) fits(t testing.TB, what string) {
	t.Helper()
	lines := r.frame()
	for y, line := range lines {
		if cell.Clean(line) != line {
			t.Fatalf("%s: line %d was laid out past the gate:\n%q", what, y, line)
		}
	}
	s := r.terminalText(lines)
	tuitest.Fits(t, what, s, r.w, r.h, r.env.ascii)
	if again := r.screen(); s != again {
		t.Fatalf("%s: a second look shows another screen (+) than the first (-): %s", what,
			cmp.Diff(strings.Split(s, "\n"), strings.Split(again, "\n")))
	}
}

func click(x, y int) tea.MouseClickMsg {
	return tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}
}
