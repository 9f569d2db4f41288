package watch

import (
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner/measure"
	"drolab/tui/internal/render"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/watch/panel"

	"github.com/google/go-cmp/cmp"
)

// watchingGroups returns a driver on the page, late in three runs that have groups and select a
// step.
func watchingGroups(t testing.TB, w, h int) *driver {
	t.Helper()
	r := newDriver(t, tuitest.NewGroupScript(t), w, h)
	r.Wait(14*time.Second, time.Second/5)
	return r
}

// TestRaceOfGroups: the line about a fork whose run has groups speaks of the worst group, with its
// figures.
func TestRaceOfGroups(t *testing.T) {
	r := watchingGroups(t, 160, 40)
	w := r.watch
	fork, parent := w.Runs.Tracks[1], w.Runs.Tracks[0]
	fork.Meta.Parent = parent.ID + "@" + measure.Num(float64(tuitest.Steps)).String()
	setMeasure(parent, "worst_group_accuracy", .5)
	setMeasure(fork, "worst_group_accuracy", .625)
	w.pointAtFork(parent.ID)
	line := tuitest.Text(render.Shot(w.raceLine(158), 158, 1))
	if !strings.Contains(line, "worst group +12.5 from 50.0") || strings.Contains(line, "class") {
		t.Errorf("the line is %q, want worst group +12.5 from 50.0", line)
	}
}

// TestSplit: m shows the validation split in place of the test split wherever there is one, and
// says why it does not if no run has one.
func TestSplit(t *testing.T) {
	r := watchingGroups(t, 200, 60)
	title := func(want ...string) {
		t.Helper()
		s := tuitest.Text(r.Shot())
		for _, w := range want {
			if !strings.Contains(s, w) {
				t.Errorf("no %q:\n%s", w, s)
			}
		}
	}
	accuracy := func(want string) { // its panel need not be on the screen
		t.Helper()
		p := slices.IndexFunc(r.watch.Board.Panels,
			func(p panel.Panel) bool { return p.Title == "Test accuracy" })
		if got := r.watch.Board.Heading(p, 60, 20); got != want {
			t.Errorf("the panel of accuracies is %q, want %q", got, want)
		}
	}
	title("Who suffers, by group · test ─", "Loss · batch and test ─", " 40.0 ", "val worst")
	accuracy("Test accuracy · worst group and mean")
	r.Press("m")
	title("Who suffers, by group · validation ─", "Loss · batch and validation ─", " 42.0 ",
		"val worst", "val risk")
	accuracy("Validation accuracy · worst group and mean")
	r.Press("tab", "e")
	if _, rows := tableOf(r.watch.Board, r.watch.screen.focus); rows != 3*3 {
		t.Errorf("%d rows exported, want 3 of each run", rows)
	}
	r.Overlay = nil
	r.Press("f", "f", "e")
	title("Who suffers, by group · one run · validation ─", "train val")
	if _, rows := tableOf(r.watch.Board, r.watch.screen.focus); rows != 3*2 {
		t.Errorf("%d rows exported, want 3 of the run and of the baseline", rows)
	}
	r.Overlay = nil
	r.Press("i")
	if text := strings.Join(r.Overlay.Lines, " "); !strings.Contains(text, "validation samples") {
		t.Errorf("defined as %s", text)
	}
	r.Overlay = nil
	r.Press("f", "f")
	title("Who suffers, by class · validation ─")
	r.Press("m")
	title("robust risk", "mean %")
	title("Who suffers, by class · test ", "Where the adversary looks, by group · test ─",
		"hexagon")
	r = watching(t, 120, 40)
	if !strings.Contains(r.watch.noSplit(nil), "No watched run has a validation") {
		t.Error("the split of runs without validation can be chosen")
	}
}

// TestSelectionIsMarked: the selected step of each shown run is a spot on its curves of
// evaluations.
func TestSelectionIsMarked(t *testing.T) {
	r := watchingGroups(t, 120, 40)
	for q, want := range map[string]int{"loss": 0, "lambda": 0, "test_loss": 3,
		"worst_group_accuracy": 3} {
		if c := r.watch.Board.Chart(q); len(c.Spots) != want {
			t.Errorf("%s has %d spots, want %d", q, len(c.Spots), want)
		}
	}
	r.Press("a", "space")
	c := r.watch.Board.Chart("worst_group_accuracy")
	if len(c.Spots) != 2 {
		t.Fatalf("with one run hidden there are %d spots, want 2", len(c.Spots))
	}
	if x := c.Spots[0].X; x != 3 {
		t.Errorf("by epoch the first spot is at %g, want 3", x)
	}
	if y, want := c.Spots[0].Y, c.Lines[0].Seeds[0].At(3*tuitest.Steps); y != want {
		t.Errorf("the first spot has the value %g, want %g", y, want)
	}
}

// TestMarks: each method has a mark of its own. A line without a colour of its own is drawn with
// its mark.
func TestMarks(t *testing.T) {
	seen := map[string]bool{}
	theme := watching(t, 80, 24).Theme
	for i := range dro.Algorithms() {
		number := kit.MethodNumber(i)
		mark := theme.Mark(number)
		if seen[mark] {
			t.Errorf("line %d has the mark %q of another", i, mark)
		}
		if g := theme.Glyph(number); g != 0 && string(g) != mark {
			t.Errorf("line %d is drawn with %q, want its mark %q", i, g, mark)
		}
		seen[mark] = true
	}
}

// TestBarsByGroup: if a run has groups, the panels say so and show them, and mark the worst group
// among those that are large enough. A group without test samples has a dash, and is never NaN.
func TestBarsByGroup(t *testing.T) {
	r := watching(t, 160, 50)
	r.Wait(20*time.Second, time.Second) // to the end, which all have in common
	run := r.watch.Runs.Run()
	m := *run.Meta
	m.Groups = []string{"hills", "coast", "islet", "reef"}
	m.GroupCounts = measure.Counts{Train: []int{700, 40, 3, 1}, Test: []int{90, 30, 2, 0}}
	run.Meta = &m
	list := []measure.Number{measure.Num(.875), measure.Num(.625), measure.Num(.125), {}}
	run.Eval.ByGroup.Set("group_accuracy", list)
	run.Eval.ByGroup.Set("group_ratio", list)
	run.Eval.ByGroup.Set("group_loss", list)
	s := tuitest.Text(r.Shot())
	r.Press("tab")
	s += tuitest.Text(r.Shot())
	if strings.Contains(strings.ToLower(s), "nan") {
		t.Errorf("not a number is written:\n%s", s)
	}
	for _, want := range []string{"Who suffers, by group", "Where the adversary looks, by group",
		"islet", "87.5"} {
		if !strings.Contains(s, want) {
			t.Errorf("no %q:\n%s", want, s)
		}
	}
	v := r.watch.Board.CurrentView(r.watch.screen.focus)
	b := r.watch.Board.Bars(r.watch.screen.focus, v.BarsMeasure(run.Meta), 10)
	if len(b.Bars) != 4 {
		t.Fatalf("%d bars, want one for each of 4 groups", len(b.Bars))
	}
	coast, islet := b.Bars[1], b.Bars[2]
	if !coast.Worst || islet.Worst {
		t.Errorf("marked as the worst: the coast %v, the islet %v, want the coast alone",
			coast.Worst, islet.Worst)
	}
	if coast.Few || !islet.Few {
		t.Errorf("marked as of few samples: the coast %v, the islet %v, want the islet alone",
			coast.Few, islet.Few)
	}
	if diff := cmp.Diff([]string{"40", "30"}, coast.Cells[:2]); diff != "" {
		t.Errorf("the samples of the coast differ (-want +got):\n%s", diff)
	}
	r.Press("i")
	text := strings.Join(r.Overlay.Lines, " ")
	if !strings.Contains(text, "of the group's test samples") {
		t.Errorf("defined as %s", text)
	}
	made, rows := tableOf(r.watch.Board, r.watch.screen.focus)
	for row := range made.All() {
		value := row[len(row)-1]
		if strings.Contains(value, "NaN") || row[6] == "reef" && value != "" {
			t.Errorf("a value of nothing in a file: %q", row)
		}
	}
	r.Overlay = nil
	if rows != 4 {
		t.Errorf("%d rows are exported, want 4", rows)
	}
	if made.Name != "group_accuracy" {
		t.Errorf("the export is called %s, want group_accuracy", made.Name)
	}
	if head := made.Columns[6].Head; head != "group" {
		t.Errorf("column 6 is %s, want group", head)
	}
}
