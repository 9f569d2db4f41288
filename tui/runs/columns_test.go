package runs

import (
	"slices"
	"strings"
	"testing"

	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/lab"
)

// TestColumnsAndValues: columns are chosen and sorted by in their form, and values are the last
// ones, the best ones or those at an epoch.
func TestColumnsAndValues(t *testing.T) {
	store, _ := trained(t)
	r, p := runsOf(t, lab.Folder(store.Dir()))
	shows := func() string { return tuitest.Text(r.Shot()) }
	r.Press("C")
	form := r.Overlay.Form.(*kit.Checklist)
	for p.columns[form.Cursor].Head != "pins" {
		r.Press("down")
	}
	r.Press("space", "enter")
	run := p.current()
	steps, err := run.Checkpoints()
	if err == nil {
		err = run.Pin(steps[0])
	}
	if err != nil {
		t.Fatal(err)
	}
	r.Send(r.List()())
	for _, want := range []string{"pins", "pinned at "} {
		if s := shows(); !strings.Contains(s, want) {
			t.Errorf("the screen lacks %q:\n%s", want, s)
		}
	}
	r.Press("C", "down", "down", "s", "esc")
	if head := p.columns[p.by].Head; head != "method" {
		t.Errorf("sorted by %q, want %q", head, "method")
	}

	of := func(column string) string {
		i := slices.IndexFunc(p.columns, func(c runColumn) bool { return c.Head == column })
		return p.columns[i].Cell(p.lineUnder())
	}
	last := of("test loss")
	r.Press("v")
	r.Type("2")
	r.Press("enter")
	if at := of("test loss"); at == last {
		t.Errorf("the test loss at epoch 2 is %s, as at the end", at)
	}
	if s := shows(); !strings.Contains(s, " · epoch 2 ") {
		t.Errorf("the screen does not say that values are of epoch 2:\n%s", s)
	}
	r.Press("v")
	r.Type("never")
	if r.Press("enter"); r.Overlay == nil {
		t.Error("never is an epoch")
	}
	r.Press("esc", "v")
	r.Type("best")
	r.Press("enter")
	if !strings.Contains(shows(), "best epoch of each run and measure") {
		t.Errorf("the screen does not say that values are the best:\n%s", shows())
	}
}

// TestStateOfARefit: while the last layer of a run is fitted again, its state says which fit goes
// on, on a screen of any width with states.
func TestStateOfARefit(t *testing.T) {
	store, err := record.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := tuitest.Archived("evals", 1, "live", tuitest.Epoch0())
	recorder, err := store.Create(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer recorder.Close()
	for _, e := range []runner.Event{&runner.StatusEvent{Status: runner.Running},
		&runner.RefitEvent{Head: runner.Head{Step: m.Steps}, Fit: 83, Fits: 90}} {
		if err := recorder.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	r, _ := runsOf(t, lab.Folder(store.Dir()))
	for _, size := range [][2]int{{80, 24}, {200, 60}} {
		r.Size(size[0], size[1])
		if s := tuitest.Text(r.Shot()); !strings.Contains(s, " fit 83/90 ") {
			t.Errorf("%v: the screen lacks fit 83/90:\n%s", size, s)
		}
	}
}

// TestColumnNames: the head of a column is not the name of another measure than its own.
func TestColumnNames(t *testing.T) {
	for _, c := range runColumns(true, false, lastValue) {
		if c.Measure != nil {
			tuitest.OneName(t, c.Head, c.Measure)
		}
	}
}

// TestNamesBeforeFigures: the names of presets have precedence over figures that narrow screens
// leave out.
func TestNamesBeforeFigures(t *testing.T) {
	r, p := runsOf(t, tuitest.NewArchive(t))
	r.Size(136, 38)
	figures := func() bool {
		columns := p.layColumns(132)
		return slices.ContainsFunc(columns,
			func(c runColumn) bool { return c.name() == "test_loss" })
	}
	if r.Press("o"); !figures() {
		t.Error("no test loss where there is room for it")
	}
	for _, run := range p.shown[0] {
		run.Meta.Preset = "a-preset-of-a-name"
	}
	p.arrange()
	if s := tuitest.Text(r.Shot()); !strings.Contains(s, "a-preset-of-a-name ") {
		t.Errorf("a name is cut:\n%s", s)
	}
	if figures() {
		t.Error("figures take the room of a name")
	}
}

// TestNamesTakeFreeCells: a name is not cut where other columns have cells that no line
// needs, and their texts stay whole.
func TestNamesTakeFreeCells(t *testing.T) {
	r, p := runsOf(t, tuitest.NewArchive(t))
	r.Size(80, 24)
	for _, run := range p.shown[0] {
		run.Meta.Preset = "paper-gentle"
	}
	p.arrange()
	s := tuitest.Text(r.Shot())
	for _, want := range []string{"paper-gentle ", string(p.shown[0][0].Status()) + " "} {
		if !strings.Contains(s, want) {
			t.Errorf("the screen lacks %q:\n%s", want, s)
		}
	}
}
