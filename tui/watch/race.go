package watch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"

	tea "charm.land/bubbletea/v2"
)

// A fork from the checkpoint nearest to the crosshair races the run that it comes from.

// fork asks the page of runs to open its form for a fork over this page. The fork is of the run at
// the crosshair, at the checkpoint nearest to it, or of the run under the cursor at its newest
// checkpoint.
func (w *Page) fork() tea.Cmd {
	t, near := w.forked()
	return w.Opening(kit.Send(lab.Fork{Run: t.Run, Near: near}))
}

// forked returns the run that would be forked, and the step; 0 stands for its newest checkpoint.
func (w *Page) forked() (t *panel.Track, near int64) {
	v := w.Board.CurrentView(w.screen.focus)
	if !w.Board.Cross.On || !v.Plots() {
		return w.Runs.Run(), 0
	}
	t, step := w.Board.PickedStep(v)
	return t, max(1, int64(step))
}

// noFork says why the run cannot be forked from here.
func (w *Page) noFork(*panel.Track) string {
	t, _ := w.forked()
	return cmp.Or(w.Unreached(t.ID), lab.NoNetwork(t.Meta))
}

// pointAtFork puts the cursor on the first fork of the run parent. That run becomes the
// baseline, with which all are compared, and stays in the background.
func (w *Page) pointAtFork(parent string) {
	at := slices.IndexFunc(w.Runs.Tracks, func(t *panel.Track) bool { return t.ID == parent })
	fork := slices.IndexFunc(w.Runs.Tracks,
		func(t *panel.Track) bool { return parentOf(t) == parent })
	if parent != "" && at >= 0 && fork >= 0 {
		w.Runs.Baseline = at
		w.Runs.Pick(fork)
	}
}

// parentOf returns the ID of the run that a fork comes from; "" for a run that is no fork.
func parentOf(t *panel.Track) string {
	id, _, _ := runner.ParseParent(t.Meta.Parent)
	return id
}

// forkAndParent returns the fork under the cursor, or else the first one, and the run that it
// comes from; nil where no two such runs are watched.
func (w *Page) forkAndParent() (fork, parent *panel.Track) {
	list := slices.Clone(w.Runs.Tracks)
	if run := w.Runs.Run(); run != nil {
		list = slices.Insert(list, 0, run)
	}
	for _, t := range list {
		id := parentOf(t)
		if id == "" {
			continue
		}
		for _, o := range w.Runs.Tracks {
			if o.ID == id {
				return t, o
			}
		}
	}
	return nil, nil
}

// raceRows returns the number of lines of the race: 1 if there is a race and room, else 0.
func (w *Page) raceRows() int {
	const leastHeight = 16
	if fork, _ := w.forkAndParent(); fork == nil || w.Body.H < leastHeight {
		return 0
	}
	return 1
}

// raceClock returns the clock by which a fork and its parent are compared: that of the story if
// both have it, or else that of the latest evaluations that both have since the fork.
func (w *Page) raceClock(fork, parent *panel.Track) compare.Clock {
	if len(fork.At(w.Runs.Clock)) > 0 && len(parent.At(w.Runs.Clock)) > 0 {
		return w.Runs.Clock
	}
	both := slices.DeleteFunc(slices.Clone(fork.Evaluations()), func(e *runner.EvalEvent) bool {
		return compare.EvalAt(parent.Evaluations(), e.Epoch) == nil
	})
	return compare.Latest(fork.Meta, both)
}

// raceLine says how far the fork is ahead of its parent, by the clock of raceClock. What does not
// fit is left out: first of the head, then the differences from the end.
func (w *Page) raceLine(cells int) string {
	t := w.Theme
	fork, parent := w.forkAndParent()
	clock := w.raceClock(fork, parent)
	head, brief := w.raceHeads(fork, parent, clock)
	rest := w.ahead(fork, parent, clock)
	switch {
	case fork.Status == runner.Queued && len(clock.Epochs) == 0:
		rest = []string{t.Warn.Paint("waits until a run ends; p on a running one lets it begin")}
	case len(clock.Epochs) == 0:
		rest = []string{t.Dim.Paint("no evaluation in common yet")}
	}
	if len(rest) > 0 && cell.Width(head+": "+rest[0]) > cells-2 {
		head = brief
	}
	line := " " + t.Dim.Paint(cell.Cut(t.Greek(head), cells-2))
	separator := ": "
	for _, s := range rest {
		s = t.Dim.Paint(t.Greek(separator)) + s
		if cell.Width(line+s) > cells-1 {
			break
		}
		line += s
		separator = " · "
	}
	return line
}

// raceHeads returns the head of the line about a fork and its parent, whole and brief. The brief
// one leaves out the epochs if they are those in the head of the table, and the fork otherwise: no
// two figures of a screen are of other epochs without saying so.
func (w *Page) raceHeads(fork, parent *panel.Track, clock compare.Clock) (whole, brief string) {
	_, from, _ := runner.ParseParent(fork.Meta.Parent)
	of := "Fork of " + parent.Label
	since := fmt.Sprintf("%s since epoch %.4g", of, fork.Epochs(float64(from)))
	switch {
	case len(clock.Epochs) == 0:
		return since, since
	case slices.Equal(clock.Epochs, w.Runs.Clock.Epochs):
		return since + ", " + clock.String(), since
	}
	return since + ", " + clock.String(), of + ", " + clock.String()
}

// ahead returns the differences between a fork and its parent by a clock with the figures of the
// parent, each in its style: good, bad, or plain where there is no difference.
func (w *Page) ahead(fork, parent *panel.Track, clock compare.Clock) (list []string) {
	t := w.Theme
	for _, of := range []struct{ name, title string }{
		{"worst_class_accuracy", "worst " + fork.Meta.Part()}, {"test_accuracy", "mean"},
		{"robust_risk", "robust risk"}} {
		m := lab.Named(w.onSplit(of.name))
		figure := panel.ClockFigure(m.Name, clock)
		a, b := figure(fork), figure(parent)
		if fork.Asks[m.Asks] != parent.Asks[m.Asks] || !a.Applies() || !b.Applies() {
			continue
		}
		d := a.Float() - b.Float()
		text := fmt.Sprintf("%s from %s", formatChange(m, d), formatValue(m, b))
		st := t.Worse
		switch {
		case !strings.ContainsAny(formatChange(m, d), "123456789"):
			text, st = fmt.Sprintf("%s, as its parent", formatValue(m, b)), t.Text
		case (d > 0) == (m.Better == dro.Higher):
			st = t.Better
		}
		list = append(list, st.Paint(t.Greek(of.title+" "+text)))
	}
	return list
}
