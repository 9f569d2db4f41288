package tuitest

import (
	"strings"
	"testing"
	"time"

	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
)

// Page is a page of the interface, as a Rig drives it.
type Page interface {
	Init() tea.Cmd
	Keys() []kit.Key
	Update(tea.Msg) tea.Cmd
	Typing() bool
	View(w, h int) []string
}

// Rig drives a page as the interface would, but synchronously: it runs each command at once, and
// time passes only when the rig says so.
type Rig struct {
	*lab.Lab
	Page    Page
	Now     time.Time
	Clock   func(time.Time) // called at every change of Now, unless nil
	Overlay *kit.Overlay
	Notice  kit.Notice
	Sent    []tea.Msg // messages to the interface and to other pages
	keys    []kit.Key
}

// NewLab returns the Lab of a page of w by h cells, in true colour on a dark background.
func NewLab(t testing.TB, source lab.Source, cfg lab.Config, w, h int) *lab.Lab {
	t.Helper()
	cfg.DataDir = t.TempDir()
	return &lab.Lab{Config: cfg, Source: source, Mine: map[string]bool{},
		Body: kit.Area(0, 0, w, h), Theme: kit.NewTheme(colorprofile.TrueColor, true, false)}
}

// NewRig returns a Rig that has turned to a page.
func NewRig(l *lab.Lab, page Page) *Rig {
	r := &Rig{Lab: l, Page: page, Now: Epoch0(), keys: page.Keys()}
	r.run(page.Init())
	return r
}

// Send sends messages to the page, and then the messages that result from them.
func (r *Rig) Send(msgs ...tea.Msg) {
	for _, m := range msgs {
		switch m := m.(type) {
		case kit.Notice:
			r.Notice = m
			continue
		case kit.Open:
			r.Overlay = m.Overlay
			r.Overlay.Resize(r.Theme, r.Body.W, r.Body.H)
			continue
		case lab.Listed, lab.Unchanged:
			r.run(r.Note(m))
		}
		r.run(r.Page.Update(m))
	}
}

// run runs a command and sends its message to the page.
func (r *Rig) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch m := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range m {
			r.run(c)
		}
	default:
		r.Sent = append(r.Sent, m)
		r.Send(m)
	}
}

// Press presses keys by name: "tab", "ctrl+c", "z", "Z".
func (r *Rig) Press(keys ...string) {
	for _, k := range keys {
		r.press(KeyPress(k))
	}
}

func (r *Rig) press(k tea.KeyPressMsg) {
	r.Notice = kit.Notice{}
	switch row := kit.Find(r.keys, k); {
	case r.Overlay != nil:
		done, cmd := r.Overlay.Press(k)
		if done {
			r.Overlay = nil
		}
		r.run(cmd)
	case r.Page.Typing():
		r.Send(k)
	case row == nil:
	case row.Blocked() != "":
		r.Notice.Text = row.Blocked()
	default:
		r.run(row.Act())
	}
}

// Type presses the keys of a text.
func (r *Rig) Type(s string) {
	for _, c := range s {
		r.Press(string(c))
	}
}

// Sent returns the last message of type T that the page sent.
func Sent[T tea.Msg](r *Rig) (last T, ok bool) {
	for _, m := range r.Sent {
		if m, is := m.(T); is {
			last, ok = m, true
		}
	}
	return last, ok
}

// Wait lets the time d pass, frame by frame. At each frame, the page looks at the files.
func (r *Rig) Wait(d, frame time.Duration) {
	for end := r.Now.Add(d); r.Now.Before(end); {
		r.Now = r.Now.Add(frame)
		if r.Clock != nil {
			r.Clock(r.Now)
		}
		r.Send(kit.Tick(r.Now))
	}
}

// Size changes the size of the page.
func (r *Rig) Size(w, h int) {
	r.Body = kit.Area(0, 0, w, h)
	if r.Overlay != nil {
		r.Overlay.Resize(r.Theme, w, h)
	}
	r.Send(kit.Changed{})
}

// View returns the page as it is drawn, with its overlay.
func (r *Rig) View() string {
	lines := r.Page.View(r.Body.W, r.Body.H)
	if r.Overlay != nil {
		lines = r.Overlay.View(r.Theme, lines, r.Body.W, r.Body.H)
	}
	return strings.Join(lines, "\n")
}

// Shot returns the page, cell by cell.
func (r *Rig) Shot() uv.ScreenBuffer { return Shot(r.View(), r.Body.W, r.Body.H) }

// Fits calls the function Fits for the page.
func (r *Rig) Fits(t testing.TB, what string) {
	t.Helper()
	Fits(t, what, r.View(), r.Body.W, r.Body.H, false)
}

// KeyPress returns the press of a key by its name: "tab", "ctrl+c", "z", "Z".
func KeyPress(name string) tea.KeyPressMsg {
	special := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab,
		"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
		"home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
		"delete": tea.KeyDelete, "backspace": tea.KeyBackspace}
	var k tea.Key
	for prefix, mod := range map[string]tea.KeyMod{"ctrl+": tea.ModCtrl, "shift+": tea.ModShift} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			k.Mod, name = mod, rest
		}
	}
	switch code, ok := special[name]; {
	case ok:
		k.Code = code
	case name == "space":
		k.Code, k.Text = tea.KeySpace, " "
	default:
		k.Code = []rune(name)[0]
		if k.Mod == 0 {
			k.Text = name
		}
	}
	return tea.KeyPressMsg(k)
}
