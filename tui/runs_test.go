package tui

import (
	"encoding/json"
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
	"drolab/runner/record"
)

func TestRunsGolden(t *testing.T) {
	a := newArchive(t)
	for _, size := range sizes() {
		name := fmt.Sprintf("runs-%dx%d", size[0], size[1])
		t.Run(name, func(t *testing.T) { golden(t, name, text(browsing(t, a, "3", size[0], size[1]).shot(t))) })
	}
	for name, environ := range variants() {
		t.Run(name, func(t *testing.T) {
			r := browsing(t, a, "3", 80, 24, environ...)
			r.press("space", "down", "space", "G", "s")
			e := r.shot(t)
			golden(t, "runs-"+name, text(e)+styles(e))
		})
	}
	for _, c := range []struct {
		name string
		w, h int
		keys []string
	}{
		{"filter", 120, 40, append([]string{"/"}, strings.Split("algo:sfk -done", "")...)},
		{"filter-wrong", 80, 24, append([]string{"/"}, strings.Split("rho>=x", "")...)},
		{"none", 80, 24, append([]string{"/"}, strings.Split("nothing", "")...)},
		{"sorted", 120, 40, []string{"s", "s", "s", "s", "s", "s", "s"}},
		{"failed", 120, 40, []string{"/", "f", "a", "i", "l", "e", "d", "enter"}},
		{"delete", 80, 24, []string{"space", "space", "D"}},
		{"blocked", 80, 24, []string{"x"}},
		{"help", 80, 24, []string{"?"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := browsing(t, a, "3", c.w, c.h)
			for i, k := range c.keys {
				if k == " " {
					c.keys[i] = "space"
				}
			}
			r.press(c.keys...)
			golden(t, "runs-"+c.name, text(r.shot(t)))
		})
	}
	t.Run("empty", func(t *testing.T) {
		golden(t, "runs-empty", text(browsing(t, archive{folder(t.TempDir())}, "3", 80, 24).shot(t)))
	})
}

func runsOf(t *testing.T, a Source) (*rig, *runsPane) {
	t.Helper()
	r := browsing(t, a, "3", 120, 40)
	return r, r.pages[runsPage].(*runsPane)
}

func TestFilter(t *testing.T) {
	runs, problems := newArchive(t).List()
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, c := range []struct {
		text string
		want int
	}{
		{"", 12}, {"race", 2}, {"RACE", 2}, {"preset:shapes", 8}, {"algo:sfk", 4}, {"algo:sfk race", 1}, {"-algo:sfk", 8}, {"failed", 1}, {"-failed", 11},
		{"status:done", 9}, {"rho>=1.5", 1}, {"rho<1.5", 11}, {"rho!=1.5", 11}, {"rho=0.5", 11}, {"-rho=0.5", 1}, {"seed:7", 1},
		{"model:alex", 1}, {"set:cressie", 12}, {"worst>=0", 12}, {"worst<0", 0}, {"accuracy>1%", 12}, {"lambda_max:auto", 12}, {"lambda_max>3", 0},
		{"epochs=8", 12}, {"steps<=120", 3}, {"rho>=", 12}, {"-", 12}, {"-rho:", 12}, {"preset=paper", 1}, {"augment:true", 12}, {":x", 0},
	} {
		f, err := parseFilter(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		n := 0
		for _, r := range runs {
			if f.match(r) {
				n++
			}
		}
		if n != c.want {
			t.Errorf("%q lists %d runs, want %d", c.text, n, c.want)
		}
	}
	for text, want := range map[string]string{"zz:1": "zz: neither a setting", "rho>=x": "want a number after >=", "-foo<3": "foo: neither"} {
		if _, err := parseFilter(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestFilterTakesAnything(t *testing.T) {
	runs, _ := newArchive(t).List()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		b := make([]byte, rng.IntN(12))
		for i := range b {
			b[i] = "-:=<>!rho algo.5é\xff%"[rng.IntN(20)]
		}
		if f, err := parseFilter(string(b)); err == nil {
			f.match(runs[0])
		}
	}
}

func TestSorting(t *testing.T) {
	r, p := runsOf(t, newArchive(t))
	for i, c := range runColumns() {
		if p.by != i {
			t.Fatalf("s went to column %d, want %d", p.by, i)
		}
		if c.compare != nil && !slices.IsSortedFunc(p.shown, c.compare) {
			t.Errorf("not sorted by %s", c.head)
		}
		forward := ids(p.shown)
		r.press("S")
		backward := ids(p.shown)
		slices.Reverse(backward)
		if !slices.Equal(forward, backward) {
			t.Errorf("%s: S is not the other way round", c.head)
		}
		r.press("s")
	}
	// A measure that does not apply comes last.
	runs := slices.Clone(p.all)
	gap := slices.IndexFunc(runColumns(), func(c runColumn) bool { return c.head == "dual gap" })
	slices.SortStableFunc(runs, runColumns()[gap].compare)
	if last := runs[len(runs)-1]; last.Summary().DualGap.Applies() || !runs[0].Summary().DualGap.Applies() {
		t.Error("runs without a dual gap are not at the end")
	}
}

// The cursor stays with its run when others come, go or are filtered out.
func TestCursorStays(t *testing.T) {
	a := newArchive(t)
	r, p := runsOf(t, a)
	r.press("down", "down", "down")
	id := p.current().Meta.ID
	a.add(t, "new-erm-s1", archived(dro.ERM, 1, "new", epoch0().Add(time.Hour)), runner.Done, "")
	r.wait(time.Minute, 5*time.Second)
	if len(p.all) != 13 || p.current().Meta.ID != id {
		t.Errorf("%d runs, the cursor is on %s, was on %s", len(p.all), p.current().Meta.ID, id)
	}
	r.press("space")
	if err := os.RemoveAll(filepath.Join(string(a.folder), id)); err != nil {
		t.Fatal(err)
	}
	r.wait(time.Minute, 5*time.Second)
	if p.current() == nil || len(p.chosen) != 0 {
		t.Errorf("after the run is gone: cursor %d, selected %v", p.at, p.chosen)
	}
}

func TestDelete(t *testing.T) {
	a := newArchive(t)
	r, p := runsOf(t, a)
	victims := []string{p.shown[0].Meta.ID, p.shown[1].Meta.ID}
	r.press("space", "space", "D")
	if r.overlay == nil {
		t.Fatal("nothing asks")
	}
	r.press("n", "enter", "esc")
	if runs, _ := a.List(); len(runs) != 12 {
		t.Fatalf("%d runs left without a yes", len(runs))
	}
	r.press("D", "y")
	if len(p.all) != 10 || !strings.Contains(r.notice.text, "deleted 2 runs") {
		t.Errorf("%d runs listed, notice %q", len(p.all), r.notice.text)
	}
	for _, id := range victims {
		if _, err := os.Stat(filepath.Join(string(a.folder), id)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there: %v", id, err)
		}
	}
}

// A run that somebody records is never deleted, whatever a list of a moment
// ago said.
func TestDeleteRefusesLive(t *testing.T) {
	store, err := record.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := archived(dro.SFK, 1, "live", epoch0())
	recorder, err := store.Create(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer recorder.Close()
	if err := recorder.Append(&runner.StatusEvent{Status: runner.Running}); err != nil {
		t.Fatal(err)
	}
	f := folder(store.Dir())
	if err := f.Delete(m.ID); err == nil || !strings.Contains(err.Error(), "stop it first") {
		t.Errorf("deleting a live run: %v", err)
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
	r.press("D")
	if r.overlay != nil || !strings.Contains(r.notice.text, "stop it first") {
		t.Errorf("asked to delete a live run: %q", r.notice.text)
	}
	r.press("x")
	if r.overlay != nil || !strings.Contains(r.notice.text, "another process") {
		t.Errorf("asked to stop another process's run: %q", r.notice.text)
	}
}

func TestRunsVerbs(t *testing.T) {
	r, p := runsOf(t, newArchive(t))
	find := func(id string) {
		p.at = slices.IndexFunc(p.shown, func(r *record.Run) bool { return r.Meta.ID == id })
	}
	find("race-pgd-s1")
	r.press("r")
	find("shapes-erm-s1")
	r.press("r")
	if !slices.Equal(r.asked.list, []string{"resume"}) {
		t.Errorf("asked %v; a run that is done has nothing to resume", r.asked.list)
	}
	find("shapes-erm-s1")
	r.press("enter")
	if r.at != watchPage {
		t.Error("Enter does not watch")
	}
	r.press("3", "esc", "a", "c")
	compare := r.pages[comparePage].(*comparePane)
	if r.at != comparePage || !compare.asked || compare.table == nil {
		t.Fatalf("c does not compare: page %d", r.at)
	}
	if n := len(compare.runs); n != 9 {
		t.Errorf("%d runs are compared, 9 are done", n)
	}
}

func TestRunsClick(t *testing.T) {
	r, p := runsOf(t, newArchive(t))
	lay := layRuns(r.body.w, r.body.h)
	r.send(clickMsg{10, lay.top + 4})
	if p.at != 4 {
		t.Errorf("a click on the fifth row put the cursor on %d", p.at)
	}
	r.send(clickMsg{10, lay.top + 30})
	if p.at != 4 {
		t.Errorf("a click below the list moved the cursor to %d", p.at)
	}
	r.send(clickMsg{10, lay.top + 4})
	if r.at != watchPage {
		t.Error("a click on the cursor's row does not go in")
	}
}

// Run directories that somebody else's program wrote are listed, filtered,
// sorted, compared and estimated from without harm.
func TestRunsHostile(t *testing.T) {
	dir := t.TempDir()
	put := func(id string, m *runner.Meta, s *runner.Summary) {
		a := archive{folder(dir)}
		s.Status = runner.Done
		a.add(t, id, m, runner.Done, "")
		rewrite(t, filepath.Join(dir, id, "summary.json"), s)
	}
	bad := archived(dro.SFK, 1, hostile, epoch0())
	bad.Spec.Dataset, bad.Spec.Model, bad.Spec.Uncertainty = hostile, hostile, hostile
	bad.Groups = []string{hostile, "", strings.Repeat("世", 300)}
	bad.Host.Version, bad.Host.CPU = hostile, hostile
	put("a", bad, &runner.Summary{Cause: hostile, ClassAccuracy: []runner.Number{runner.Num(1e300)}, TestLoss: runner.Num(-1e308)})
	odd := archived(dro.PGD, 1<<63, strings.Repeat("long", 400), epoch0().Add(-1<<40))
	odd.Spec.ValFraction, odd.Spec.Epochs, odd.TrainCounts = 1, -1<<62, []int{-5}
	put("b", odd, &runner.Summary{ImagesPerSecond: runner.Num(1e-300), Epochs: -1e300, Steps: -1 << 62})
	put("c", archived(dro.ERM, 1, "shapes", epoch0()), &runner.Summary{ClassAccuracy: make([]runner.Number, 5000)})
	for name, text := range map[string]string{"garbage": "\x00{{", "empty": "", "x\x1b[2J": "[]"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "run.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, environ := range [][]string{nil, {"DROLAB_ASCII=1"}} {
		r := browsing(t, folder(dir), "3", 120, 40, environ...)
		if p := r.pages[runsPage].(*runsPane); len(p.all) < 3 || len(p.problems) != 3 {
			t.Fatalf("%d runs and %d problems: %v", len(p.all), len(p.problems), p.problems)
		}
		for _, size := range sizes() {
			r.size(size[0], size[1])
			for _, k := range []string{"3", "down", "down", "s", "space", "/", "a", "enter", "esc", "a", "D", "esc", "c", "v", "down", "m", "v", "right", "3", "1", "tab", "down"} {
				r.press(k)
				r.fits(t, "key "+k)
			}
		}
	}
}

// rewrite replaces a file of a run directory.
func rewrite(t *testing.T, file string, v any) {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
