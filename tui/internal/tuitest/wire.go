package tuitest

import (
	"bytes"
	"testing"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Wire is the renderer that Bubble Tea uses, and what it would have sent.
type Wire struct {
	out    bytes.Buffer
	screen uv.ScreenBuffer
	to     *uv.TerminalRenderer
	Frames int // that sent something
}

func NewWire(w, h int) *Wire {
	wr := &Wire{screen: uv.NewScreenBuffer(w, h)}
	wr.to = uv.NewTerminalRenderer(&wr.out, []string{"TERM=xterm-256color", "COLORTERM=truecolor"})
	wr.to.SetFullscreen(true)
	wr.to.SetRelativeCursor(false)
	wr.to.SetScrollOptim(true)
	wr.to.SetColorProfile(colorprofile.ANSI256) // as over SSH
	return wr
}

// Frame sends the difference to a new screen, synchronized as Bubble Tea does
// it, and returns its length in bytes.
func (wr *Wire) Frame(t testing.TB, content string) int {
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

// Sent is all that was sent.
func (wr *Wire) Sent() string { return wr.out.String() }
