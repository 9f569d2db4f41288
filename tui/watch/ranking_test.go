package watch

import (
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/tui/internal/tuitest"
	"drolab/tui/watch/panel"
)

// TestRanks: once all runs have ended, a line ranks them by robust risk, with the distance of each
// to the lowest.
func TestRanks(t *testing.T) {
	r := watching(t, 120, 40)
	r.watch.screen.tiles = noTiles
	if n := r.watch.rankRows(); n != 0 {
		t.Errorf("%d lines while all goes on, want none", n)
	}
	r.Wait(20*time.Second, time.Second) // to the end, which all have in common
	for i, tr := range r.watch.Runs.Tracks {
		tr.Status = runner.Done
		setMeasure(tr, "robust_risk", []float64{2.5, 2.25, 2.75, 3}[i])
	}
	s := tuitest.Text(r.Shot())
	if want := "  ■ pgd 2.250★  ● sfk +0.250  ▲ pan +0.500  ◆ erm +0.750"; !strings.Contains(s,
		"robust risk"+want) {
		t.Errorf("no ranking:\n%s", s)
	}
	r.Fits(t, "ranks")
	r.Size(62, 40)
	s = tuitest.Text(r.Shot())
	if !strings.Contains(s, "      risk  ■ pgd 2.25★  ● sfk +.25  ▲ pan +.50  ◆ erm +.75") {
		t.Errorf("no ranking in 62 cells:\n%s", s)
	}
	r.Fits(t, "ranks in 62 cells")
	for i, name := range []string{"sfk ρ .5", "pgd ρ .5", "pan ρ .5", "erm ρ .5"} { // long names
		r.watch.Runs.Tracks[i].Short = name
	}
	s = tuitest.Text(r.Shot())
	for _, part := range []string{"2.25★  ● sfk ρ .5 +.25\n",
		"\n            ▲ pan ρ .5 +.50  ◆ erm ρ .5 +.75\n",
		"worst class 33.8 %, mean 70.0 %"} {
		if !strings.Contains(s, part) {
			t.Errorf("no ranking in two lines, %q:\n%s", part, s)
		}
	}
	r.Fits(t, "ranks in two lines")
	setMeasure(r.watch.Runs.Tracks[0], "robust_risk", 2.25)
	if s := tuitest.Text(r.Shot()); strings.Contains(s, "2.25★") {
		t.Errorf("the best of equals:\n%s", s)
	}
	r.Size(80, 22)
	if n := r.watch.rankRows(); n != 0 {
		t.Errorf("%d lines of a low screen, want none", n)
	}
}

// TestNoBestOfDifferentQuestions: runs that answer different questions, for example at different
// radii, are not compared in measures that depend on the question: there is no best, no difference
// and no ranking. In measures of the network alone, they are compared.
func TestNoBestOfDifferentQuestions(t *testing.T) {
	s := tuitest.NewScript(t)
	runs, _ := s.List()
	for i, run := range runs {
		run.Meta.Spec.Rho = float64(i + 1)
	}
	r := newDriver(t, s, 120, 40)
	r.Wait(30*time.Second, time.Second)
	for i, tr := range r.watch.Runs.Tracks {
		tr.Meta.Spec.Rho = float64(i + 1)
		tr.Asks = panel.QuestionsOf(tr.Meta)
		setMeasure(tr, "robust_risk", float64(i))
		setMeasure(tr, "worst_class_accuracy", float64(i)/10)
		tr.Status = runner.Done
	}
	for i, c := range r.watch.columns() {
		best, change := r.watch.bests(r.watch.columns())[i], ""
		if c.change != nil {
			change = c.Cell(r.watch.Runs.Tracks[:1])
		}
		switch {
		case c.best != nil && c.best.Name == "robust_risk" && best >= 0:
			t.Errorf("row %d has the best robust risk", best)
		case c.best != nil && c.best.Name == "worst_class_accuracy" && best != 3:
			t.Errorf("row %d has the best worst class", best)
		case c.change != nil && (change == "") != (c.change.Name == "robust_risk"):
			t.Errorf("the change of %s is %q", c.change.Name, change)
		}
	}
	if n := r.watch.rankRows(); n != 0 {
		t.Errorf("%d lines of ranking, want none", n)
	}
}

// TestRanksByQuestion: for runs at two radii, each radius has its own ranking, and the baseline of
// a run is the run of the baseline's method at the same radius.
func TestRanksByQuestion(t *testing.T) {
	r := watching(t, 120, 40)
	r.watch.screen.tiles = noTiles
	r.Wait(20*time.Second, time.Second)
	r.watch.Runs.Tracks[1].Meta.Spec.Algorithms = []dro.Algorithm{dro.ERM}
	for i, tr := range r.watch.Runs.Tracks {
		tr.Meta.Spec.Rho = []float64{.5, 1.5}[i/2]
		tr.Asks = panel.QuestionsOf(tr.Meta)
		setMeasure(tr, "robust_risk", float64(i)+tr.Meta.Spec.Rho)
		setMeasure(tr, "worst_class_accuracy", float64([]int{30, 20, 44, 40}[i])/100)
		tr.Status = runner.Done
	}
	text := tuitest.Text(r.Shot())
	for _, want := range []string{"robust risk χ², ρ 0.5  ● sfk 0.500★  ■ erm +1.000",
		"robust risk χ², ρ 1.5  ▲ pan 3.500★  ◆ erm +1.000"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q:\n%s", want, text)
		}
	}
	for _, want := range []string{" +10.0 ", " +4.0 "} {
		if !strings.Contains(text, want) {
			t.Errorf("accuracies are compared across radii, no %q:\n%s", want, text)
		}
	}
	if n := strings.Count(text, "  -1.000 "); n != 2 {
		t.Errorf("%d runs are compared with ERM at their radius, want 2:\n%s", n, text)
	}
}
