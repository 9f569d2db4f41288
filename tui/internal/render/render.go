// Package render draws a view as Bubble Tea's renderer does: as the cells of a screen, or as the
// bytes that a terminal would get. Only tests import it. It is apart from tuitest so that the tests
// of tui/kit build without the packages that train runs.
//
// # Files
//
//	render.go  Shot, a view's cells; Renderer, the bytes that frames send
package render

import (
	"bytes"
	"testing"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Shot returns a screen of w by h cells, as Bubble Tea's renderer takes it from a view, cell by
// cell.
func Shot(view string, w, h int) uv.ScreenBuffer {
	b := uv.NewScreenBuffer(w, h)
	uv.NewStyledString(view).Draw(b, b.Bounds())
	return b
}

// Renderer is Bubble Tea's renderer, with the bytes that it would have sent to a terminal.
type Renderer struct {
	out    bytes.Buffer
	screen uv.ScreenBuffer
	to     *uv.TerminalRenderer
	Frames int // the number of frames that sent something
}

func NewRenderer(w, h int) *Renderer {
	wr := &Renderer{screen: uv.NewScreenBuffer(w, h)}
	wr.to = uv.NewTerminalRenderer(&wr.out, []string{"TERM=xterm-256color", "COLORTERM=truecolor"})
	wr.to.SetFullscreen(true)
	wr.to.SetRelativeCursor(false)
	wr.to.SetScrollOptim(true)
	wr.to.SetColorProfile(colorprofile.ANSI256) // as over SSH
	return wr
}

// Frame sends the difference between the last screen and a new one, as a synchronized update, as
// Bubble Tea does. It returns the length in bytes.
func (wr *Renderer) Frame(t testing.TB, content string) int {
	t.Helper()
	before := wr.out.Len()
	wr.screen.Clear()
	uv.NewStyledString(content).Draw(wr.screen, wr.screen.Bounds())
	wr.to.Render(wr.screen.RenderBuffer)
	if err := wr.to.Flush(); err != nil {
		t.Fatal(err)
	}
	n := wr.out.Len() - before
	if n > 0 {
		wr.Frames++
		n += len(ansi.SetModeSynchronizedOutput + ansi.ResetModeSynchronizedOutput)
	}
	return n
}

// Sent returns everything that was sent.
func (wr *Renderer) Sent() string { return wr.out.String() }
