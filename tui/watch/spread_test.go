package watch

import (
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/runner/measure"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
	"drolab/tui/plot"
	"drolab/tui/watch/panel"
)

// TestWhoSuffersElsewhere: while the run under the cursor waits for its first evaluation, the panel
// shows who suffers under the other runs. Only the figures of the waiting run and views of that run
// alone are missing.
func TestWhoSuffersElsewhere(t *testing.T) {
	r := watching(t, 120, 40)
	w := r.watch
	for _, at := range []int{w.Runs.Baseline, w.Runs.Cursor} {
		w.Runs.Tracks[at].Eval, w.Runs.Tracks[at].Films = nil, nil
		s := tuitest.Text(r.Shot())
		if !strings.Contains(s, "hexagon") || !strings.Contains(s, "◂") {
			t.Errorf("without an evaluation of run %d nobody suffers:\n%s", at, s)
		}
	}
	for _, track := range w.Runs.Tracks {
		track.Eval, track.Films = nil, nil
	}
	if s := tuitest.Text(r.Shot()); !strings.Contains(s, "is not evaluated yet") {
		t.Errorf("nobody is evaluated:\n%s", s)
	}
}

// TestWhoSuffers: every run is on the line of every class. The lines begin with the worst class of
// the baseline.
func TestWhoSuffers(t *testing.T) {
	r := watching(t, 120, 40)
	r.Wait(20*time.Second, time.Second) // to the end
	w := r.watch
	p := slices.IndexFunc(w.Board.Panels,
		func(p panel.Panel) bool { return strings.HasPrefix(p.Title, "Who") })
	s := w.Board.Spread(p, w.Board.CurrentView(p), 20)
	erm := w.Runs.Tracks[w.Runs.Baseline]
	values := erm.Places(w.Runs.Clock, lab.ListNamed("class_accuracy"))
	if len(s.Rows) != len(values) {
		t.Fatalf("%d rows, want one for each of %d classes", len(s.Rows), len(values))
	}
	if len(s.Numbers) != len(w.Runs.Tracks) {
		t.Fatalf("%d series, want one for each of %d runs", len(s.Numbers), len(w.Runs.Tracks))
	}
	if got, want := s.Numbers[s.Front], w.Runs.Run().Number; got != want {
		t.Fatalf("series %d is in front, want that of the run under the cursor, %d", got, want)
	}
	for i, row := range s.Rows {
		if i > 0 && row.Values[w.Runs.Baseline] < s.Rows[i-1].Values[w.Runs.Baseline] {
			t.Errorf("row %d is worse than the one above", i)
		}
		at := slices.Index(erm.Meta.Classes, row.Label)
		if row.Values[w.Runs.Baseline] != values[at].Float() {
			t.Errorf("%s is at %g, want %v", row.Label, row.Values[w.Runs.Baseline], values[at])
		}
	}
}

// whoRows returns the rows of both drawings of Who suffers, the marks and the matrix.
func whoRows(w *Page) (rows []plot.Row) {
	p := slices.IndexFunc(w.Board.Panels,
		func(p panel.Panel) bool { return strings.HasPrefix(p.Title, "Who") })
	for _, row := range w.Board.Spread(p, w.Board.CurrentView(p), 20).Rows {
		rows = append(rows, row.Row)
	}
	for _, row := range w.Board.Matrix(p, w.Board.CurrentView(p), 20).Rows {
		rows = append(rows, row.Row)
	}
	return rows
}

// TestWhoSuffersOfSeeds: the worst class of folded seeds is the one with the lowest mean, even if
// the seed under the cursor has another. The name and the number beside it agree.
func TestWhoSuffersOfSeeds(t *testing.T) {
	r := watchingSeeds(t)
	w := r.watch
	w.Runs.Cursor = 0
	for seed, lowest := range []int{0, 1, 1} { // the seed under the cursor has class 0
		of := lab.ListNamed("class_accuracy")
		values := slices.Clone(w.Runs.Tracks[seed].Places(w.Runs.Clock, of))
		for i := range values {
			values[i] = measure.Num(.9)
		}
		values[lowest] = measure.Num(.1)
		setList(w.Runs.Tracks[seed], "class_accuracy", values)
	}
	for _, row := range whoRows(w) {
		if row.Worst != (row.Label == w.Runs.Run().Meta.Classes[1]) {
			t.Errorf("%s is marked as the worst: %v, want %v", row.Label, row.Worst, !row.Worst)
		}
	}
}

// TestWhoSuffersAlone: if only one class has enough samples, no name is marked, because the table
// has no worst class then.
func TestWhoSuffersAlone(t *testing.T) {
	r := watching(t, 120, 40)
	w := r.watch
	m := w.Runs.Run().Meta
	m.ClassCounts.Test = make([]int, len(m.Classes))
	m.Spec.MinGroup = 10
	for enough := range 3 { // the number of classes with enough samples
		if enough > 0 {
			m.ClassCounts.Test[enough-1] = 10
		}
		worst := 0
		for _, row := range whoRows(w) {
			if row.Worst {
				worst++
			}
		}
		if want := 2 * max(0, enough-1); worst != want { // a mark in each of two drawings
			t.Errorf("of %d classes %d are marked as the worst, want %d", enough, worst, want)
		}
	}
}
