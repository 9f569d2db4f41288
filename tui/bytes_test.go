package tui

import (
	"testing"
	"time"

	"drolab/tui/internal/render"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
)

// TestByteBudget bounds the bytes that four runs send at 5 frames a second, as over SSH.
func TestByteBudget(t *testing.T) {
	const budget = 2000 // bytes a second
	r := newDriver(t, tuitest.NewScript(t), 120, 40, "SSH_TTY=/dev/pts/1")
	r.Round = r.env.round
	r.Press("2")
	r.Wait(2*time.Second, time.Second/5)
	wr := render.NewRenderer(120, 40)
	first := wr.Frame(t, r.View().Content)
	sent, most, seconds := 0, 0, 13
	for range seconds * 5 {
		r.script.Now = r.script.Now.Add(time.Second / 5)
		r.Send(kit.Tick(r.script.Now))
		n := wr.Frame(t, r.View().Content)
		sent += n
		most = max(most, n)
	}
	t.Logf("first frame %d bytes; then %d bytes/s in %d of %d frames, the largest %d", first,
		sent/seconds, wr.Frames-1, seconds*5, most)
	if sent/seconds > budget {
		t.Errorf("%d bytes a second, want at most %d", sent/seconds, budget)
	}
}

// TestIdle checks that nothing is drawn or sent while nothing changes.
func TestIdle(t *testing.T) {
	r := watching(t, 120, 40)
	r.Round = r.env.round
	r.Wait(30*time.Second, time.Second/5) // to the end of the runs
	wr := render.NewRenderer(120, 40)
	wr.Frame(t, r.View().Content)
	version := r.version
	for range 50 {
		r.Wait(time.Second/5, time.Second/5)
		if n := wr.Frame(t, r.View().Content); n != 0 {
			t.Fatalf("%d bytes sent while nothing happened, want none", n)
		}
	}
	if r.version != version {
		t.Errorf("the screen was drawn %d times while nothing happened", r.version-version)
	}
}

// BenchmarkFrame draws the whole screen: each restyle discards everything that was drawn before.
func BenchmarkFrame(b *testing.B) {
	r := watching(b, 120, 40)
	r.Wait(30*time.Second, time.Second/5)
	for b.Loop() {
		r.restyle()
		r.screen()
	}
}

func BenchmarkIdleTick(b *testing.B) {
	r := watching(b, 120, 40)
	r.Wait(30*time.Second, time.Second/5)
	for b.Loop() {
		r.Send(kit.Tick(r.script.Now))
		r.View()
	}
}
