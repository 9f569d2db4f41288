package tuitest

import (
	"strings"
	"testing"

	"drolab/tui/internal/render"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
)

// Page is a page of the interface, as a Driver drives it.
type Page interface {
	Init() tea.Cmd
	Keys() []kit.Key
	Update(tea.Msg) tea.Cmd
	Typing() bool
	View(w, h int) []string
}

// Driver drives one page as the interface would.
type Driver struct {
	*lab.Lab
	Loop
	Page    Page
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

// NewDriver returns a Driver that has turned to a page.
func NewDriver(l *lab.Lab, page Page) *Driver {
	now := Epoch0()
	d := &Driver{Lab: l, Page: page, keys: page.Keys()}
	d.Lab.Open = func(o *kit.Overlay) {
		d.Overlay = o
		o.Resize(d.Theme, d.Body.W, d.Body.H)
	}
	d.Loop = Loop{Take: d.take, Now: &now, Answered: func(m tea.Msg) {
		if of, ok := m.(lab.Opened); ok {
			m = of.Msg
		}
		d.Sent = append(d.Sent, m)
	}}
	d.Run(page.Init())
	return d
}

// take takes a message as the interface does.
func (d *Driver) take(m tea.Msg) tea.Cmd {
	switch m := m.(type) {
	case tea.KeyPressMsg:
		return d.press(m)
	case kit.Notice:
		d.Notice = m
		return nil
	case kit.Open:
		d.Lab.Open(m.Overlay)
		return nil
	case lab.Opened:
		d.EndOpening()
		return d.take(m.Msg)
	case lab.Listed, lab.Unchanged:
		d.Run(d.Note(m))
	}
	return d.Page.Update(m)
}

func (d *Driver) press(k tea.KeyPressMsg) tea.Cmd {
	d.Notice = kit.Notice{}
	switch row, blocked := kit.Find(d.keys, k); {
	case d.Overlay != nil:
		was := d.Overlay
		done, cmd := was.Press(k)
		if done && d.Overlay == was { // an answer may have asked once more
			d.Overlay = nil
		}
		return cmd
	case d.Page.Typing():
		return d.Page.Update(k)
	case row == nil:
		return nil
	case blocked != "":
		d.Notice.Text = blocked
		return nil
	default:
		return row.Act()
	}
}

// Sent returns the last message of type T that the page sent.
func Sent[T tea.Msg](d *Driver) (last T, ok bool) {
	for _, m := range d.Sent {
		if m, is := m.(T); is {
			last, ok = m, true
		}
	}
	return last, ok
}

// Size changes the size of the page.
func (d *Driver) Size(w, h int) {
	d.Body = kit.Area(0, 0, w, h)
	if d.Overlay != nil {
		d.Overlay.Resize(d.Theme, w, h)
	}
	d.Send(kit.Changed{})
}

// View returns the page as it is drawn, with its overlay.
func (d *Driver) View() string {
	lines := d.Page.View(d.Body.W, d.Body.H)
	if d.Overlay != nil {
		lines = d.Overlay.View(d.Theme, lines, d.Body.W, d.Body.H)
	}
	return strings.Join(lines, "\n")
}

// Shot returns the page, cell by cell.
func (d *Driver) Shot() uv.ScreenBuffer { return render.Shot(d.View(), d.Body.W, d.Body.H) }

// Fits calls the function Fits for the page.
func (d *Driver) Fits(t testing.TB, what string) {
	t.Helper()
	Fits(t, what, d.View(), d.Body.W, d.Body.H, false)
}
