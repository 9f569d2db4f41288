package tui

import (
	"slices"
	"testing"
	"time"

	"drolab/tui/cell"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

// rig drives a Model as Bubble Tea would, but synchronously: it runs each command at once, and time
// passes only when the rig says so.
type rig struct {
	*Model
	script *tuitest.Script
	asked  *tuitest.Asked
	quit   bool
	late   bool // the first of several commands in a batch is answered last
	raw    []tea.RawMsg
}

// newRig returns a rig with a Model of w by h cells, in true colour on a dark background unless
// environ says otherwise.
func newRig(t testing.TB, s *tuitest.Script, w, h int, environ ...string) *rig {
	t.Helper()
	r := &rig{script: s, asked: &tuitest.Asked{}}
	base := []string{"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8"}
	r.Model = newModel(lab.Config{Verbs: r.asked, RunsDir: t.TempDir(), DataDir: t.TempDir(),
		CPU: "a processor", Environ: append(base, environ...)}, s, tuitest.Presets)
	added(r.Model)
	r.Round = 0
	r.after = never
	// As if a key had been pressed: Launch stays, though runs are live.
	r.used, r.pressed = true, time.Unix(1, 0)
	r.run(r.Init())
	r.send(tea.ColorProfileMsg{Profile: r.env.profile}, tea.WindowSizeMsg{Width: w, Height: h})
	return r
}

// added adds to every Model what a test adds to the tables of pages and panels.
var added = func(*Model) {}

// never replaces the function after of a Model whose clock stands still.
func never(time.Duration, func(time.Time) tea.Msg) tea.Cmd { return nil }

func (r *rig) send(msgs ...tea.Msg) {
	for _, m := range msgs {
		_, cmd := r.Update(m)
		r.run(cmd)
	}
}

// run runs a command and sends its message to the Model.
func (r *rig) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch m := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		if r.late {
			slices.Reverse(m)
		}
		for _, c := range m {
			r.run(c)
		}
	case tea.QuitMsg:
		r.quit = true
	case tea.RawMsg:
		r.raw = append(r.raw, m)
	default:
		r.send(m)
	}
}

// press presses keys by name: "tab", "ctrl+c", "z", "Z".
func (r *rig) press(keys ...string) {
	for _, k := range keys {
		r.send(tuitest.KeyPress(k))
	}
}

// wait lets the time d pass, frame by frame. At each frame, the interface looks at the files.
func (r *rig) wait(d, frame time.Duration) {
	for end := r.script.Now.Add(d); r.script.Now.Before(end); {
		r.script.Now = r.script.Now.Add(frame)
		r.send(kit.Tick(r.script.Now))
	}
}

// size changes the size of the terminal.
func (r *rig) size(w, h int) { r.send(tea.WindowSizeMsg{Width: w, Height: h}) }

// browsing returns a rig on a page, over the runs of an archive.
func browsing(t testing.TB, a lab.Source, page string, w, h int, environ ...string) *rig {
	t.Helper()
	s := &tuitest.Script{Folder: lab.Folder("unused"), Now: tuitest.Epoch0()}
	r := newRig(t, s, w, h, environ...)
	r.Source, r.Config.RunsDir = a, "/runs"
	r.run(r.pages[launchPage].Init())
	r.press(page)
	return r
}

// watching returns a rig on the Watch page, half-way through four runs.
func watching(t testing.TB, w, h int, environ ...string) *rig {
	t.Helper()
	s := tuitest.NewScript(t)
	r := newRig(t, s, w, h, environ...)
	r.press("2")
	r.wait(10*time.Second, time.Second/5)
	return r
}

// shot returns the screen, cell by cell.
func (r *rig) shot(t testing.TB) uv.ScreenBuffer {
	t.Helper()
	return tuitest.Shot(r.screen(), r.w, r.h)
}

// fits calls tuitest.Fits for the screen, and checks that drawing changes nothing and that no text
// reaches the layout unclean.
func (r *rig) fits(t testing.TB, what string) {
	t.Helper()
	lines := r.frame()
	for y, line := range lines {
		if cell.Clean(line) != line {
			t.Fatalf("%s: line %d was laid out past the gate:\n%q", what, y, line)
		}
	}
	s := r.terminalText(lines)
	tuitest.Fits(t, what, s, r.w, r.h, r.env.ascii)
	if s != r.screen() {
		t.Fatalf("%s: looking twice shows two things", what)
	}
}

// typed presses the keys of a text.
func (r *rig) typed(s string) {
	for _, c := range s {
		r.press(string(c))
	}
}

func click(x, y int) tea.MouseClickMsg {
	return tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}
}
