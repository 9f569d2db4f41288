package runs

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
)

// TestFoldedNote: where the title has no room for all, it says in fewer words what figures and ±
// are, and leaves out its last parts.
func TestFoldedNote(t *testing.T) {
	r, p := runsOf(t, tuitest.NewArchive(t))
	r.Size(120, 38)
	r.Press("o", "space")
	whole := p.count(100)
	for cells := cell.Width(whole); cells > 35; cells-- {
		note := p.count(cells)
		if cell.Width(note) > cells || !strings.Contains(note, "last epoch, ") ||
			!strings.Contains(note, "± deviation") {
			t.Errorf("in %d cells %q, want what the figures are in it", cells, note)
		}
	}
}

// TestFold: seeds share a line with their mean and deviation, and a verb for the line applies to
// all of them.
func TestFold(t *testing.T) {
	r, p := runsOf(t, tuitest.NewArchive(t))
	r.Size(120, 38)
	apart := len(p.shown)
	if p.folded {
		t.Error("seeds are together")
	}
	r.Press("o")
	if len(p.shown) >= apart {
		t.Fatalf("%d lines, and %d runs", len(p.shown), apart)
	}
	p.at = slices.IndexFunc(p.shown, func(l line) bool { return len(l) > 1 })
	all := p.lineUnder()
	text := tuitest.Text(r.Shot())
	for _, want := range []string{"n=2", "±", "newest of 2 runs"} {
		if !strings.Contains(text, want) {
			t.Errorf("no mean over seeds is shown, %q is missing:\n%s", want, text)
		}
	}
	worst := slices.IndexFunc(p.columns, func(c runColumn) bool { return c.Head == "worst %" })
	of := func(l line) string { return p.columns[worst].Cell(l) }
	together := of(all)
	if first := of(line{all[0]}); together == first {
		t.Errorf("together the seeds have %s, as the first of them", together)
	}
	if !strings.Contains(together, "±") {
		t.Errorf("together the seeds have %s, want a deviation", together)
	}
	r.Press("enter")
	if m, ok := tuitest.Sent[lab.Watch](r.Driver); !ok || !slices.Equal(m.IDs, ids(all)) {
		t.Errorf("watched are %v, want %v", m.IDs, ids(all))
	}
	r.Press("space")
	if len(p.chosen) != len(all) {
		t.Errorf("%d runs are selected, want the line's %d", len(p.chosen), len(all))
	}
	r.Fits(t, "folded")
	if r.Press("o"); len(p.shown) != apart {
		t.Errorf("apart again, %d lines, want %v", len(p.shown), apart)
	}
}

// TestFoldBySettings: runs that agree in the chosen settings share a line. Its figures are over
// seeds: all runs of one seed are one sample, however many there are and whatever else differs.
func TestFoldBySettings(t *testing.T) {
	a := tuitest.Archive{Folder: lab.Folder(t.TempDir())}
	add := func(id string, method dro.Algorithm, seed uint64, lr float64) {
		m := tuitest.Archived(method, seed, "shapes",
			tuitest.Epoch0().Add(time.Duration(len(id))*time.Second))
		m.Spec.LR = lr
		a.Add(t, id, m, runner.Done, "")
	}
	add("a", dro.SFK, 1, .1)
	add("bb", dro.SFK, 1, .2)
	add("ccc", dro.SFK, 2, .1)
	add("dddd", dro.PGD, 1, .1)
	add("eeeee", dro.PGD, 1, .1)
	r, p := runsOf(t, a)
	r.Size(160, 38)
	lines := func() map[string]string { // the number of seeds of each line, by its runs
		list := map[string]string{}
		for _, l := range p.shown {
			names := ids(l)
			slices.Sort(names)
			list[strings.Join(names, " ")] = l.seedText()
		}
		return list
	}
	check := func(want map[string]string) {
		t.Helper()
		if got := lines(); !maps.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	choose := func(key string) {
		r.Press("O")
		for range slices.Index(p.foldKeys(), key) {
			r.Press("down")
		}
		r.Press("space", "enter")
	}
	choose("algorithms")
	check(map[string]string{"a bb ccc": "n=2", "dddd eeeee": "1 ×2"})
	if text := tuitest.Text(r.Shot()); !strings.Contains(text, "folded by algorithms") {
		t.Errorf("nothing says what is folded:\n%s", text)
	}
	value := map[string]float64{"a": 1, "bb": 3, "ccc": 4} // the two runs of seed 1 have the mean 2
	of := func(run *record.Run) measure.Number { return measure.Num(value[run.Meta.ID]) }
	for _, l := range p.shown {
		if len(l) == 3 {
			mean, deviation := moments(l.seeds(), of)
			if mean != 3 {
				t.Errorf("the mean of seeds with 2 and 4 is %v, want 3", mean)
			}
			if math.Abs(deviation-math.Sqrt2) > 1e-12 {
				t.Errorf("the deviation of seeds with 2 and 4 is %v, want √2", deviation)
			}
			if got := l.mean(of).Float(); got != 3 {
				t.Errorf("the line has the mean %v, want 3", got)
			}
		}
	}
	choose("lr")
	check(map[string]string{"a ccc": "n=2", "bb": "1", "dddd eeeee": "1 ×2"})
	choose("algorithms")
	check(map[string]string{"a ccc dddd eeeee": "n=2", "bb": "1"})
	if text := tuitest.Text(r.Shot()); !strings.Contains(text, "lr .2") {
		t.Errorf("a line does not say its lr:\n%s", text)
	}
	r.Press("o")
	if len(p.shown) != 5 {
		t.Errorf("apart there are %d lines, want 5", len(p.shown))
	}
	r.Press("o")
	r.Fits(t, "folded by a setting")
}
