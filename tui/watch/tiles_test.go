package watch

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/plot"
	"drolab/tui/watch/panel"
)

// TestTiles: three large numbers come at the end where a screen has 120 by 40 cells, and at any
// time and size by B. They are the figures of the table: the worst class of the best run but the
// baseline, that of the baseline, and their difference.
func TestTiles(t *testing.T) {
	for i, c := range []struct {
		w, h       int
		ended      bool
		keys       string
		tiles, big bool
	}{
		{120, 40, false, "", false, false},
		{120, 40, true, "", true, false},
		{119, 40, true, "", false, false},
		{120, 39, true, "", false, false},
		{120, 40, true, "z", false, false},
		{120, 40, false, "B", true, true},
		{80, 24, true, "B", true, false},
		{120, 40, true, "B B", false, false},
	} {
		if testing.Short() && i%3 > 0 {
			continue
		}
		where := fmt.Sprintf("%d by %d, ended %v, keys %q", c.w, c.h, c.ended, c.keys)
		r := watching(t, c.w, c.h)
		if c.ended {
			r.Wait(20*time.Second, time.Second)
		}
		worst := panel.ClockFigure("worst_class_accuracy", r.watch.Runs.Clock)
		first, base := r.watch.Runs.Tracks[1], r.watch.Runs.Tracks[r.watch.Runs.Baseline]
		setMeasure(first, "worst_class_accuracy", .9)
		r.Press(strings.Fields(c.keys)...)
		r.Fits(t, where)
		lines := r.watch.headline(c.w)
		rows := r.watch.tileRows()
		if (rows > 0) != c.tiles || (rows > 4) != c.big {
			t.Errorf("%s: the numbers take %d lines; want some: %v, and more than four: %v", where,
				rows, c.tiles, c.big)
		}
		if rows == 0 {
			continue
		}
		a, b := worst(first).Float(), worst(base).Float()
		for i, want := range []string{plot.Percent(a), plot.Percent(b), "+" + plot.Percent(a-b)} {
			if got := r.watch.tileList()[i].number; got != want {
				t.Errorf("%s: number %d is %s, want %s", where, i, got, want)
			}
		}
		words := lines[len(lines)-1]
		for _, want := range []string{first.Short, base.Short, "points"} {
			if !strings.Contains(words, want) {
				t.Errorf("%s: the words are %q, want %s among them", where, words, want)
			}
		}
	}
}

// TestTilesInEveryTerminal: the numbers are drawn in ASCII and without colours, and not without a
// baseline.
func TestTilesInEveryTerminal(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		r := watching(t, 120, 40)
		r.watch.Theme = kit.BareTheme(ascii)
		r.Press("B")
		numbers := strings.Join(r.watch.tileLines(120), "\n")
		if n := strings.Count(numbers, "\n") + 1; n < 6 || n != r.watch.tileRows() {
			t.Errorf("ASCII %v: %d lines of numbers, want %d:\n%s", ascii, n, r.watch.tileRows(),
				numbers)
		}
		if got := cell.ASCII(numbers); ascii && got != numbers {
			t.Errorf("the numbers are not in ASCII:\n%s", numbers)
		}
		r.watch.Runs.Baseline = -1
		if n := r.watch.tileRows(); n != 0 {
			t.Errorf("ASCII %v: %d lines of numbers without a baseline, want none", ascii, n)
		}
	}
}
