package run

import (
	"bytes"
	"strings"
	"testing"

	"drolab/runner"
	"drolab/tui/cell"

	"charm.land/lipgloss/v2"
)

// TestLineFits: no line is wider than the screen, and the important parts remain.
func TestLineFits(t *testing.T) {
	for width := 1; width <= 200; width++ {
		p := &display{theme: plain, screen: true, width: width, height: 20,
			runs: []*followedRun{testLive(0), testLive(25), testLive(100)}}
		var out bytes.Buffer
		p.out = cell.NewWriter(&out)
		p.show(false)
		for _, line := range strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n") {
			if w := lipgloss.Width(line); w > max(1, width-1) {
				t.Fatalf("%d cells on a screen of %d: %q", w, width, line)
			}
		}
		for piece, from := range map[string]int{
			"epoch   2.5/10": 30, "━": 42, "worst": 56, "running": 65, "ETA 1m15s": 78, "mean": 92,
			"batch loss 1.5": 111, "λ 0.9": 144,
		} {
			if shown := strings.Contains(out.String(), piece); shown != (width >= from) {
				t.Errorf("screen of %d: %q is shown: %v\n%s", width, piece, shown, out.String())
			}
		}
		if strings.Contains(out.String(), "\x1b") {
			t.Fatalf("the first frame has an escape sequence: %q", out.String())
		}
	}
}

func TestBlockFitsTheScreen(t *testing.T) {
	p := &display{theme: plain, screen: true, width: 80, height: 6}
	for i := range 16 {
		l := testLive(int64(i))
		if i > 8 {
			l.Status = runner.Queued
		}
		if i < 8 {
			l.Status = runner.Done
		}
		p.runs = append(p.runs, l)
	}
	got := p.block(false)
	if len(got) != 4 {
		t.Fatalf("the block has %d lines, want 4: %q", len(got), got)
	}
	if !strings.Contains(got[0], "running") {
		t.Errorf("the first line is %q, want a running run", got[0])
	}
	if want := "… 7 queued, 1 running, 8 done"; got[3] != want {
		t.Errorf("the last line is %q, want %q", got[3], want)
	}
	if got := p.block(true); len(got) != 16 {
		t.Errorf("the last block has %d lines, want all 16", len(got))
	}
}

func TestDisplayRedraws(t *testing.T) {
	var out bytes.Buffer
	p := &display{theme: plain, out: cell.NewWriter(&out), screen: true, width: 80, height: 10,
		runs: []*followedRun{testLive(1), testLive(2)}}
	p.show(false)
	out.Reset()
	p.runs[0].add(&runner.WarningEvent{Head: runner.Head{Step: 3}, Message: "odd\x1b[2J"})
	p.show(true)
	if !strings.HasPrefix(out.String(),
		"\x1b[2A\r\x1b[Jshape? sfk s1 warning at step 3: odd\\x1b[2J\n") {
		t.Errorf("second frame %q", out.String())
	}
	if p.drawn != 0 {
		t.Error("after the last frame something is still to be drawn over")
	}
}
