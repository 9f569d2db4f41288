package watch

import (
	"strings"
	"testing"
	"time"

	"drolab/runner"
	"drolab/tui/internal/tuitest"
)

// Where a run has groups the panels say so, show them, and mark as the worst one
// that is large enough.
func TestBarsByGroup(t *testing.T) {
	r := watching(t, 160, 50)
	r.Wait(time.Second, time.Second/5)
	run := r.watch.run()
	m := *run.meta
	m.Groups = []string{"hills", "coast", "islet"}
	m.GroupCounts = runner.Counts{Train: []int{700, 40, 3}, Test: []int{90, 30, 2}}
	run.meta = &m
	list := []runner.Number{runner.Num(.875), runner.Num(.625), runner.Num(.125)}
	run.Eval.ByGroup.Set("group_accuracy", list)
	run.Eval.ByGroup.Set("group_ratio", list)
	r.Press("tab")
	s := tuitest.Text(r.Shot())
	for _, want := range []string{"Accuracy by group", "Adversary's weight by group", "islet", "87.5"} {
		if !strings.Contains(s, want) {
			t.Errorf("no %q:\n%s", want, s)
		}
	}
	v := r.watch.shows(r.watch.focus)
	b := r.watch.bars(r.watch.focus, v.of(run.meta), 10)
	if len(b.Bars) != 3 || !b.Bars[1].Worst || b.Bars[2].Worst || b.Bars[1].Count != 40 {
		t.Errorf("bars %+v, want the coast as the worst", b.Bars)
	}
	grouped := panels(standing(), nil, &m)
	if v := grouped[len(grouped)-2].views[0]; v.name != "worst group and mean" ||
		v.curves[0] != "worst_group_accuracy" {
		t.Errorf("the last panel but one shows %+v", v)
	}
	r.Press("i")
	if text := strings.Join(r.Overlay.Lines, " "); !strings.Contains(text, "of the group's test samples") {
		t.Errorf("defined as %s", text)
	}
	sheet, rows := r.watch.sheet()
	if rows != 3 || sheet.Name != "group_accuracy" || sheet.Head[5] != "group" {
		t.Errorf("%d rows of %s, %v", rows, sheet.Name, sheet.Head)
	}
}
