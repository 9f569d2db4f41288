package tuitest

import (
	"bytes"
	"testing"

	"drolab/runner/record/recordtest/eventtest"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

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
	eventtest.Must(t, wr.to.Flush())
	n := wr.out.Len() - before
	if n > 0 {
		wr.Frames++
		n += len(ansi.SetModeSynchronizedOutput + ansi.ResetModeSynchronizedOutput)
	}
	return n
}

// Sent returns everything that was sent.
func (wr *Renderer) Sent() string { return wr.out.String() }
