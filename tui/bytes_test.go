package tui

import (
	"bytes"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// wire is the renderer that Bubble Tea uses, and what it would have sent.
type wire struct {
	out    bytes.Buffer
	screen uv.ScreenBuffer
	to     *uv.TerminalRenderer
	frames int // that sent something
}

func newWire(w, h int) *wire {
	wr := &wire{screen: uv.NewScreenBuffer(w, h)}
	wr.to = uv.NewTerminalRenderer(&wr.out, []string{"TERM=xterm-256color", "COLORTERM=truecolor"})
	wr.to.SetFullscreen(true)
	wr.to.SetRelativeCursor(false)
	wr.to.SetScrollOptim(true)
	return wr
}

// frame sends the difference to a new screen, synchronized as Bubble Tea does
// it, and returns its length in bytes.
func (wr *wire) frame(t testing.TB, content string) int {
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
		wr.frames++
		n += len(ansi.SetModeSynchronizedOutput + ansi.ResetModeSynchronizedOutput)
	}
	return n
}

// TestByteBudget replays four runs at 5 frames a second, as over SSH.
func TestByteBudget(t *testing.T) {
	const budget = 2000 // bytes a second
	r := newRig(t, fixture(t), 120, 40)
	r.press("2")
	r.wait(2*time.Second, time.Second/5)
	wr := newWire(120, 40)
	first := wr.frame(t, r.View().Content)
	sent, most, seconds := 0, 0, 13
	for range seconds * 5 {
		r.wait(time.Second/5, time.Second/5)
		n := wr.frame(t, r.View().Content)
		sent += n
		most = max(most, n)
	}
	t.Logf("first frame %d bytes; then %d bytes/s in %d of %d frames, the largest %d", first, sent/seconds, wr.frames-1, seconds*5, most)
	if sent/seconds > budget {
		t.Errorf("%d bytes a second, want at most %d", sent/seconds, budget)
	}
}

// TestIdle checks that nothing is drawn, let alone sent, when nothing changed.
func TestIdle(t *testing.T) {
	r := watching(t, 120, 40)
	r.wait(30*time.Second, time.Second/5) // to the end of the runs
	wr := newWire(120, 40)
	wr.frame(t, r.View().Content)
	version := r.version
	for range 50 {
		r.wait(time.Second/5, time.Second/5)
		if n := wr.frame(t, r.View().Content); n != 0 {
			t.Fatalf("%d bytes sent while nothing happened", n)
		}
	}
	if r.version != version {
		t.Errorf("the screen was drawn %d times while nothing happened", r.version-version)
	}
}

func BenchmarkFrame(b *testing.B) {
	r := watching(b, 120, 40)
	r.wait(30*time.Second, time.Second/5)
	for b.Loop() {
		for p := range r.Model.watch.panels {
			r.Model.watch.panels[p].memo = memo{}
		}
		r.screen()
	}
}

func BenchmarkIdleTick(b *testing.B) {
	r := watching(b, 120, 40)
	r.wait(30*time.Second, time.Second/5)
	for b.Loop() {
		r.send(tickMsg(r.script.now))
		r.View()
	}
}
