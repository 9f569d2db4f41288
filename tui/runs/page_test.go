package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/lab"
)

// runsOf returns a driver on the page over a folder, and the page.
func runsOf(t *testing.T, source lab.Source) (*driver, *Page) {
	t.Helper()
	asked := &tuitest.Asked{}
	l := tuitest.NewLab(t, source, lab.Config{Verbs: asked, RunsDir: "/runs"}, 120, 38)
	p := New(l)
	r := &driver{tuitest.NewDriver(l, p), asked}
	r.Press("o") // each run has a line of its own
	return r, p
}

type driver struct {
	*tuitest.Driver
	asked *tuitest.Asked
}

func TestFilter(t *testing.T) {
	runs, problems := tuitest.NewArchive(t).List()
	if len(problems) > 0 {
		t.Fatalf("the problems of the folder are %v, want none", problems)
	}
	for _, c := range []struct {
		text string
		want int
	}{
		{"", 12}, {"race", 2}, {"RACE", 2}, {"preset:shapes", 8}, {"algo:sfk", 4},
		{"algo:sfk race", 1}, {"-algo:sfk", 8}, {"failed", 1}, {"-failed", 11}, {"status:done", 9},
		{"rho>=1.5", 1}, {"rho<1.5", 11}, {"rho!=1.5", 11}, {"rho=0.5", 11}, {"-rho=0.5", 1},
		{"seed:7", 1}, {"model:alex", 1}, {"set:cressie", 12}, {"worst>=0", 12}, {"worst<0", 0},
		{"accuracy>1%", 12}, {"worst<=100%", 12},
		{"lambda_max:auto", 12}, {"lambda_max>3", 0}, {"epochs=8", 12},
		{"steps<=120", 3}, {"rho>=", 12}, {"-", 12}, {"-rho:", 12}, {"preset=paper", 1},
		{"augment:true", 12}, {":x", 0}, {"race OR algo:sfk", 5}, {"race | preset:paper", 3},
		{"NOT (race OR algo:sfk)", 7}, {"-(race OR algo:sfk)", 7}, {"NOT failed", 11},
		{"race algo:sfk OR preset:paper", 2}, {"race (algo:sfk OR preset:paper)", 1},
		{"rho=00.5", 11}, {"seed:007", 1}, {"steps<=1.2e2", 3},
		{"race OR", 2}, {"(race", 2}, {"race NOT", 2}, {"race AND algo:sfk", 1}, {"()", 12},
		{"NOT NOT race", 2}, {"race OR (algo:sfk -race) OR", 5}, {"state:done", 9},
	} {
		f, err := compare.ParseFilter(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		n := 0
		for _, r := range runs {
			if f(r) {
				n++
			}
		}
		if n != c.want {
			t.Errorf("%q lists %d runs, want %d", c.text, n, c.want)
		}
	}
	for text, want := range map[string]string{
		"zz:1": "unknown key zz: expected a setting", "-foo<3": "unknown key foo",
		"rho>=x": "expected a number after >=", "rho>=0x1": "expected a number after >=: write 1",
		"worst>70": "expected at most 1, or 70%",
		"race)":    "the ) after race closes no (", ")": "the ) at the beginning closes no (",
		"started>1x": "expected a time, as in -30m", strings.Repeat("(", 60): "expected at most 50",
	} {
		if _, err := compare.ParseFilter(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestFilterTakesAnything(t *testing.T) {
	runs, _ := tuitest.NewArchive(t).List()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		b := make([]byte, rng.IntN(12))
		for i := range b {
			b[i] = "-:=<>!rho algo.5é\xff%()|"[rng.IntN(23)]
		}
		if f, err := compare.ParseFilter(string(b)); err == nil {
			f(runs[0])
		}
	}
}

func TestSorting(t *testing.T) {
	r, p := runsOf(t, tuitest.NewArchive(t))
	r.Size(120, 38)
	for range 10 { // the columns that have room
		r.Press("s")
	}
	if p.by != 0 {
		t.Errorf("ten times s goes to column %d, want 0", p.by)
	}
	r.Size(200, 60)
	by := func(c runColumn) func(a, b line) int {
		return func(a, b line) int { return c.value(a).Compare(c.value(b), false) }
	}
	shown := func() (names []string) {
		for _, l := range p.shown {
			names = append(names, l[0].Meta.ID)
		}
		return names
	}
	const more = 2 // the start and the trend
	for i, c := range p.columns[:len(runColumns(false, false, lastValue))+more] {
		if p.by != i {
			t.Fatalf("s went to column %d, want %d", p.by, i)
		}
		if c.value != nil && !slices.IsSortedFunc(p.shown, by(c)) {
			t.Errorf("not sorted by %s", c.Head)
		}
		forward := shown()
		r.Press("S")
		backward := shown()
		slices.Reverse(backward)
		if !slices.Equal(forward, backward) {
			t.Errorf("%s: S is not the other way round", c.Head)
		}
		r.Press("s")
	}
	p.sortBy("seed")
	head := layRuns(r.Body.W, r.Body.H).top - 1
	for _, c := range []struct {
		x    int
		want string
	}{{8, "started"}, {22, "preset"}} {
		if r.Send(kit.Click{X: c.x, Y: head}); p.columns[p.by].Head != c.want || p.reversed {
			t.Errorf("a click at %d sorts by %s, want %s", c.x, p.columns[p.by].Head, c.want)
		}
	}
	if r.Send(kit.Click{X: 22, Y: head}); !p.reversed {
		t.Error("a second click does not turn it round")
	}
	// A measure that does not apply comes last.
	var lines []line
	for _, run := range p.all {
		lines = append(lines, line{run})
	}
	gap := slices.IndexFunc(runColumns(false, false, lastValue),
		func(c runColumn) bool { return c.Head == "dual gap" })
	slices.SortStableFunc(lines, by(runColumns(false, false, lastValue)[gap]))
	first, last := lines[0][0].Summary(), lines[len(lines)-1][0].Summary()
	if last.Named("dual_gap").Applies() {
		t.Error("a run with a dual gap is at the end, want those without")
	}
	if !first.Named("dual_gap").Applies() {
		t.Error("a run without a dual gap is at the front")
	}
}

// TestCursorStays: the cursor stays with its run when other runs appear, disappear or are filtered
// out.
func TestCursorStays(t *testing.T) {
	a := tuitest.NewArchive(t)
	r, p := runsOf(t, a)
	r.Press("down", "down", "down")
	id := p.current().Meta.ID
	a.Add(t, "new-erm-s1", tuitest.Archived(dro.ERM, 1, "new", tuitest.Epoch0().Add(time.Hour)),
		runner.Done, "")
	r.Wait(time.Minute, 5*time.Second)
	if len(p.all) != 13 {
		t.Errorf("%d runs are listed, want 13", len(p.all))
	}
	if got := p.current().Meta.ID; got != id {
		t.Errorf("the cursor is on %s, want it to stay on %s", got, id)
	}
	r.Press("space")
	if err := os.RemoveAll(filepath.Join(string(a.Folder), id)); err != nil {
		t.Fatal(err)
	}
	r.Wait(time.Minute, 5*time.Second)
	if p.current() == nil {
		t.Errorf("after the run is gone the cursor is on no run, at %d", p.at)
	}
	if len(p.chosen) != 0 {
		t.Errorf("after the run is gone %v are selected, want none", p.chosen)
	}
}

func TestDelete(t *testing.T) {
	a := tuitest.NewArchive(t)
	r, p := runsOf(t, a)
	victims := []string{p.shown[0][0].Meta.ID, p.shown[1][0].Meta.ID}
	r.Press("space", "down", "space", "D")
	if r.Overlay == nil {
		t.Fatal("nothing asks")
	}
	r.Press("n", "enter", "esc")
	if runs, _ := a.List(); len(runs) != 12 {
		t.Fatalf("%d runs left without a yes, want 12", len(runs))
	}
	r.Press("D", "y")
	if len(p.all) != 10 {
		t.Errorf("%d runs are listed, want 10", len(p.all))
	}
	if n := r.Notice.Text; !strings.Contains(n, "deleted 2 runs") {
		t.Errorf("the notice is %q, want deleted 2 runs in it", n)
	}
	for _, id := range victims {
		if _, err := os.Stat(filepath.Join(string(a.Folder), id)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there: %v", id, err)
		}
	}
}

// TestVerbsNameWhatIsOutOfView: a verb that changes selected runs names those that the filter hides
// before it does anything, and the head of the list counts them. With all of them in view only
// those verbs ask that always do.
func TestVerbsNameWhatIsOutOfView(t *testing.T) {
	hides := map[string]string{"D": "failed", "r": "failed", "A": "failed"}
	for key, filter := range hides {
		for _, hidden := range []bool{true, false} {
			r, p := runsOf(t, tuitest.NewArchive(t))
			r.Press("a")
			chosen := p.pickedRuns()
			if hidden {
				r.Press("/")
				r.Type(filter)
				r.Press("enter")
			}
			unseen := p.unseenRuns(chosen)
			if want := " " + fmt.Sprintf("12 selected, %d out of view", len(unseen)); hidden {
				if s := tuitest.Text(r.Shot()); !strings.Contains(s, want) {
					t.Errorf("%s: the head lacks %q:\n%s", key, want, s)
				}
			}
			able := map[string]ability{"D": canDelete, "r": canResume,
				"A": func(*record.Run, bool) bool { return true }}[key]
			acted := p.unseenRuns(p.ableRuns(able))
			r.Press(key)
			asks := r.Overlay != nil
			if want := len(acted) > 0 || key == "D"; asks != want {
				t.Errorf("%s, hidden %v: it asks: %v, want %v", key, hidden, asks, want)
			}
			if len(acted) == 0 {
				continue
			}
			text := strings.Join(r.Overlay.Lines, "\n")
			for _, want := range []string{fmt.Sprintf("of which %d selected before", len(acted)),
				acted[0].Meta.ID + " (out of view)"} {
				if !strings.Contains(text, want) {
					t.Errorf("%s asks without %q:\n%s", key, want, text)
				}
			}
			if len(r.asked.List) > 0 {
				t.Errorf("%s has asked for %v before the answer", key, r.asked.List)
			}
		}
	}
}

// TestLabelsNameWhatIsOutOfView: the forms of notes and tags say how many of their runs are out of
// view.
func TestLabelsNameWhatIsOutOfView(t *testing.T) {
	for _, key := range []string{"n", "#"} {
		r, _ := runsOf(t, tuitest.NewArchive(t))
		r.Press("a", "/")
		r.Type("failed")
		r.Press("enter", key)
		if got := r.Overlay.Title; !strings.HasSuffix(got, "12 runs, 11 out of view") {
			t.Errorf("%s is titled %q", key, got)
		}
	}
}

// TestDeleteRefusesLive: a run that is being recorded is never deleted, even if a list from a
// moment ago shows it as ended.
func TestDeleteRefusesLive(t *testing.T) {
	store, err := record.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := tuitest.Archived(dro.SFK, 1, "live", tuitest.Epoch0())
	recorder, err := store.Create(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer recorder.Close()
	if err := recorder.Append(&runner.StatusEvent{Status: runner.Running}); err != nil {
		t.Fatal(err)
	}
	f := lab.Folder(store.Dir())
	if err := f.Delete(m.ID); err == nil || !strings.Contains(err.Error(), "stop it first") {
		t.Errorf("Delete of a live run = %v, want an error with stop it first", err)
	}
	if err := f.Delete(m.ID[:4]); err == nil {
		t.Error("the start of a name was deleted")
	}
	if err := f.Delete(filepath.Join(store.Dir(), m.ID)); err == nil {
		t.Error("a path was deleted")
	}
	if _, err := f.Find(m.ID); err != nil {
		t.Errorf("the run is gone: %v", err)
	}
	r, _ := runsOf(t, f)
	r.Press("D")
	if r.Overlay != nil {
		t.Errorf("deleting a live run asks %q, want a refusal", r.Overlay.Title)
	}
	if n := r.Notice.Text; !strings.Contains(n, "Stop it first") {
		t.Errorf("the notice is %q, want Stop it first in it", n)
	}
	r.Press("x")
	if r.Overlay != nil {
		t.Errorf("stopping another process's run asks %q, want a refusal", r.Overlay.Title)
	}
	if n := r.Notice.Text; !strings.Contains(n, "another process") {
		t.Errorf("the notice is %q, want another process in it", n)
	}
}

func TestRunsVerbs(t *testing.T) {
	r, p := runsOf(t, tuitest.NewArchive(t))
	find := func(id string) {
		p.at = slices.IndexFunc(p.shown, func(l line) bool { return l[0].Meta.ID == id })
	}
	find("race-pgd-s1")
	r.Press("r")
	find("shapes-erm-s1")
	r.Press("r")
	if !slices.Equal(r.asked.List, []string{"resume"}) {
		t.Errorf("asked %v; a run that is done has nothing to resume", r.asked.List)
	}
	find("shapes-erm-s1")
	r.Press("enter")
	if m, _ := tuitest.Sent[lab.Watch](r.Driver); !slices.Equal(m.IDs, []string{"shapes-erm-s1"}) {
		t.Errorf("Enter watches %v, want shapes-erm-s1", m.IDs)
	}
	r.Press("esc", "a", "c")
	if m, _ := tuitest.Sent[lab.Compare](r.Driver); len(m.Runs) != 9 {
		t.Errorf("%v are compared, want the 9 runs that are done", ids(m.Runs))
	}
}

// TestRunsMany: all chosen runs are sent to Watch, which shows fewer of them and says so.
func TestRunsMany(t *testing.T) {
	a := tuitest.NewArchive(t)
	for seed := range uint64(lab.MaxWatched) {
		a.Add(t, fmt.Sprintf("more-%d", seed),
			tuitest.Archived(dro.ERM, seed+10, "shapes", tuitest.Epoch0()), runner.Done, "")
	}
	r, p := runsOf(t, a)
	for _, key := range []string{"enter", "R"} {
		r.Press("esc", "esc", "a", key)
		if len(p.shown) < lab.MaxWatched {
			t.Fatalf("%d runs are listed, want at least %d", len(p.shown), lab.MaxWatched)
		}
		m, _ := tuitest.Sent[lab.Watch](r.Driver)
		if len(m.IDs) != len(p.shown) {
			t.Errorf("%s: of %d runs %d are sent, want all", key, len(p.shown), len(m.IDs))
		}
	}
}

func TestRunsClick(t *testing.T) {
	r, p := runsOf(t, tuitest.NewArchive(t))
	lay := layRuns(r.Body.W, r.Body.H)
	r.Send(kit.Click{X: 10, Y: lay.top + 4})
	if p.at != 4 {
		t.Errorf("a click on the fifth row put the cursor on %d, want 4", p.at)
	}
	r.Send(kit.Click{X: 10, Y: lay.top + 30})
	if p.at != 4 {
		t.Errorf("a click below the list moved the cursor to %d, want 4", p.at)
	}
	r.Send(kit.Click{X: 10, Y: lay.top + 4})
	if _, ok := tuitest.Sent[lab.Watch](r.Driver); !ok {
		t.Error("a click on the cursor's row does not go in")
	}
}

// TestEsc: Esc does what the line of the filter says. The first Esc clears the filter, and the
// selection stays until Esc is pressed again.
func TestEsc(t *testing.T) {
	r, p := runsOf(t, tuitest.NewArchive(t))
	r.Press("/")
	r.Type("race")
	r.Press("enter", "space")
	s := tuitest.Text(r.Shot())
	if !strings.Contains(s, "Esc clears the filter") {
		t.Fatalf("the screen lacks Esc clears the filter:\n%s", s)
	}
	if len(p.shown) != 2 {
		t.Fatalf("%d runs are shown, want 2", len(p.shown))
	}
	r.Press("esc")
	if len(p.shown) != len(p.all) {
		t.Errorf("after Esc %d runs are shown, want all %d", len(p.shown), len(p.all))
	}
	if len(p.chosen) != 1 {
		t.Errorf("after Esc %d runs are selected, want 1", len(p.chosen))
	}
	if r.Press("esc"); len(p.chosen) != 0 {
		t.Errorf("after Esc again %d are selected, want none", len(p.chosen))
	}
}

// TestMarksAndSelection: a line has the mark of the data that its method uses, with its meaning,
// and the figures of the selected step beside those of the last one.
func TestMarksAndSelection(t *testing.T) {
	m := tuitest.Archived("group", 1, "mine", tuitest.Epoch0())
	m.Groups, m.GroupCounts = []string{"hills", "coast"}, measure.Counts{Train: []int{9, 9},
		Test: []int{30, 40}}
	s := &runner.Summary{Selected: &runner.Selected{By: "val_worst", Epoch: 12}}
	s.Measures.Set("worst_group_accuracy", measure.Num(.5))
	s.Selected.Measures.Set("worst_group_accuracy", measure.Num(.625))
	s.Selected.Measures.Set("test_accuracy", measure.Num(.75))
	want := "worst group 50.0 %, selected epoch 12 by val_worst: worst 62.5 %, mean 75.0 %; "
	if got := selectedText(m, s); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r := &record.Run{Meta: *m}
	columns := runColumns(false, false, lastValue)
	i := slices.IndexFunc(columns, func(c runColumn) bool { return c.Head == "method" })
	if got := columns[i].Cell(line{r}); got != "group (g)" {
		t.Errorf("the method is listed as %q, want %q", got, "group (g)")
	}
	if got := lab.Explain(m); got != "(g) uses groups, which an uncertainty set does not know" {
		t.Errorf("which means %q", got)
	}
}

func TestReplayOfPicked(t *testing.T) {
	a := tuitest.NewArchive(t)
	p := New(tuitest.NewLab(t, a, lab.Config{ReadOnly: true}, 120, 40))
	p.folded = false
	r := tuitest.NewDriver(p.Lab, p)
	r.Press("space", "down", "space", "R")
	m, _ := tuitest.Sent[lab.Watch](r)
	if m.Replay == nil {
		t.Errorf("R asks for %+v, want a replay", m)
	}
	if len(m.IDs) != 2 {
		t.Errorf("R asks for the runs %v, want the two that are selected", m.IDs)
	}
}

// TestSpaceStays: Space selects and leaves the cursor where it is, as in every list. The selection
// outlives Compare, and the footer says that Esc clears it.
func TestSpaceStays(t *testing.T) {
	r, p := runsOf(t, tuitest.NewArchive(t))
	for _, want := range []int{1, 0, 1} {
		if r.Press("space"); p.at != 0 || len(p.chosen) != want {
			t.Errorf("the cursor is at %d of a list with %d selected, want 0 and %d", p.at,
				len(p.chosen), want)
		}
	}
	r.Press("c")
	back, _ := kit.Find(p.Keys(), kit.Press("esc"))
	if back.HintIn(80) != "unselect" || back.Blocked() != "" {
		t.Errorf("Esc does %q", back.HintIn(80))
	}
	if r.Press("esc"); len(p.chosen) != 0 {
		t.Errorf("after Esc %v are selected", p.chosen)
	}
}

// TestListTellsWhatIsOutOfView: the list counts the rows above and below those in view, and its
// title says what its figures are, whatever the size, the filter and the selection.
func TestListTellsWhatIsOutOfView(t *testing.T) {
	r, p := runsOf(t, tuitest.NewArchive(t))
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}} {
		r.Size(size[0], size[1]-2)
		for _, keys := range []string{"", "a", "/ e r enter"} {
			r.Press(append([]string{"esc", "esc"}, strings.Fields(keys)...)...)
			for _, key := range []string{"end", "home"} {
				r.Press(key)
				screen := tuitest.Text(r.Shot())
				rows := layRuns(p.Body.W, p.Body.H).rows
				out := len(p.shown) - rows
				want := map[string]string{"end": "↑ ", "home": "↓ "}[key] + fmt.Sprint(out)
				if strings.Contains(screen, want) != (out > 0) {
					t.Errorf("%v, %q, %s: %q in it, want %v:\n%s", size, keys, key, want, out > 0,
						screen)
				}
				if !strings.Contains(screen, "last epoch") {
					t.Errorf("%v, %q: nothing says what the figures are:\n%s", size, keys, screen)
				}
			}
		}
	}
}
