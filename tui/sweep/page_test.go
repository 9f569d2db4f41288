package sweep

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/measure"
	"drolab/runner/sweep"
	"drolab/tui/cell"
	"drolab/tui/internal/render"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/lab"
)

// pageOf returns a driver on the page over a runs folder, and the page.
func pageOf(t *testing.T, dir string, cfg lab.Config) (*tuitest.Driver, *Page) {
	t.Helper()
	cfg.RunsDir = dir
	l := tuitest.NewLab(t, lab.Folder(dir), cfg, 120, 38)
	p := New(l)
	return tuitest.NewDriver(l, p), p
}

func points(t *testing.T, text string) ([]sweep.Point, []string) {
	t.Helper()
	file, errs := sweep.Parse("mine.yaml", []byte(text))
	if len(errs) > 0 {
		t.Fatalf("Parse: %v", errors.Join(errs...))
	}
	f, err := sweep.Make(t.TempDir(), []byte(text), file.Expand())
	if err != nil {
		t.Fatal(err)
	}
	look := sweep.NewProgress(f)
	states, err := look.States()
	if err != nil {
		t.Fatal(err)
	}
	o, err := look.Overview(states)
	if err != nil {
		t.Fatal(err)
	}
	return o.Points, f.List.Keys
}

// TestEverySettingHasItsPlace: whatever varies and whichever key is across, no two settings share a
// place, and settings that were drawn together share a row.
func TestEverySettingHasItsPlace(t *testing.T) {
	for text, rows := range map[string]map[string]int{
		"grid: {rho: [1, .5, 10], algo: [sfk, pgd]}":               {"rho": 2},
		"grid: {rho: [1, .5], lr: [.1, .2, .3], algo: [sfk, erm]}": {"rho": 6, "lr": 4},
		"grid: {c: [10, 100], algo: [sfk, erm]}":                   {"c": 2},
		"grid: {algo: [sfk, erm]}\n" +
			"random: {draws: 5, lr: {log: [.1, 1]}, c: {log: [1, 99]}}": {"lr": 2, "c": 6},
		"grid: {algo: [erm]}": {"": 1},
	} {
		list, keys := points(t, "preset: csv\nset: {val_fraction: .2}\n"+text)
		if len(keys) == 0 {
			keys = []string{""}
		}
		for _, key := range keys {
			g := layGrid(list, keys, key)
			if len(g.rows) != rows[key] {
				t.Errorf("%s: %d rows over %q, want %d: %v", text, len(g.rows),
					key, rows[key], g.rows)
			}
			for i, at := range g.places {
				if got := g.rows[at[0]].cells[at[1]]; got != i {
					t.Errorf("%s over %q: setting %d has the place of %d", text, key, i, got)
				}
			}
		}
	}
	list, keys := points(t, "preset: csv\nset: {val_fraction: .2}\n"+
		"grid: {rho: [1, .5, 10], c: [7, 8], algo: [erm, sfk]}")
	if got := layGrid(list, keys, "rho").columns; !slices.Equal(got, []string{"0.5", "1", "10"}) {
		t.Errorf("values are not ascending: %v", got)
	}
	if got := layGrid(list, keys, "c").columns; !slices.Equal(got, []string{"7", "8", ""}) {
		t.Errorf("what erm does not read: %v", got)
	}
}

// TestCursor: the arrows lead everywhere, over places without a setting.
func TestCursor(t *testing.T) {
	dir := t.TempDir()
	tuitest.NewSweep(t, dir)
	r, p := pageOf(t, dir, lab.Config{})
	seen := map[int]bool{}
	for range p.grid.rows {
		for range p.grid.columns {
			seen[p.at] = true
			r.Press("right")
		}
		for range p.grid.columns {
			r.Press("left")
		}
		r.Press("down")
	}
	if len(seen) != len(p.seen.all.Points) {
		t.Errorf("the arrows reach %d of %d settings", len(seen), len(p.seen.all.Points))
	}
	r.Press("g", "right")
	if m, ok := tuitest.Sent[lab.Watch](r); ok {
		t.Errorf("moving watches %v", m)
	}
	r.Press("enter")
	seeds := p.current().Seeds
	want := []string{seeds[0].ID, seeds[1].ID}
	if m, _ := tuitest.Sent[lab.Watch](r); !slices.Equal(m.IDs, want) {
		t.Errorf("Enter watches %v", m.IDs)
	}
	r.Press("G", "up", "right", "right", "right")
	if r.Press("enter"); !strings.Contains(r.Notice.Text, "has started") {
		t.Errorf("Enter on what has not begun says %q", r.Notice.Text)
	}
	r.Press("b", "b")
	if !p.current().Chosen {
		t.Error("b does not go to what is chosen")
	}
	for y := range 38 {
		for x := range 120 {
			if at, ok := p.settingAt(x, y); ok {
				r.Send(kit.Click{X: x, Y: y})
				if p.at != at {
					t.Fatalf("a click at %d, %d goes to %d, want %d", x, y, p.at, at)
				}
			}
		}
	}
}

// TestProgress: while runs train, the page shows the time that is left, and otherwise that no run
// is training.
func TestProgress(t *testing.T) {
	dir := t.TempDir()
	f := tuitest.NewSweep(t, dir)
	r, p := pageOf(t, dir, lab.Config{})
	r.Wait(2*time.Second, 2*time.Second)
	if s := p.progress(100); !strings.Contains(s, "213 of 288 epochs") ||
		strings.Contains(s, "left") {
		t.Errorf("at first the progress is %q, want 213 of 288 epochs and no time left", s)
	}
	tuitest.AddSwept(t, f, 28, runner.Done, 8) // 8 epochs more in 10 seconds; 67 are left
	r.Wait(10*time.Second, 10*time.Second)
	if s := p.progress(100); !strings.Contains(s, "221 of 288 epochs  about 1m24s left") {
		t.Errorf("ten seconds later %q", s)
	}
	delete(p.seen.all.Counts, runner.Running)
	if s := p.progress(100); !strings.Contains(s, "no run is training") {
		t.Errorf("without a run that trains %q", s)
	}
}

// TestWhatSlurmSaysIsShown: tasks that were lost, were put back into the queue or cannot be queried
// are named with the reason.
func TestWhatSlurmSaysIsShown(t *testing.T) {
	dir, bin := t.TempDir(), t.TempDir()
	f := tuitest.NewSweep(t, dir)
	for name, text := range map[string]string{
		"squeue": "echo '40|30|PENDING||2|BeginTime|'\n",
		"scontrol": "echo 'JobId=9 ArrayJobId=40 ArrayTaskId=31 JobState=NODE_FAIL " +
			"Reason=NodeDown Restarts=1 NodeList=n2'\n",
	} {
		script := []byte("#!/bin/sh\n" + text)
		if err := os.WriteFile(filepath.Join(bin, name), script, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	jobs := filepath.Join(f.Dir, ".sweep", "slurm")
	if err := os.MkdirAll(jobs, 0o755); err != nil {
		t.Fatal(err)
	}
	files := disk.Files{Owner: disk.Owner{ID: f.List.ID}}
	batches := map[string]any{"batches": []any{map[string]any{"job": "40", "tasks": []int{30, 31}}}}
	if err := files.Write(filepath.Join(jobs, "jobs.json"), batches); err != nil {
		t.Fatal(err)
	}
	r, _ := pageOf(t, dir, lab.Config{})
	r.Press("tab", "tab")
	s := tuitest.Text(r.Shot())
	for _, want := range []string{
		"30: erm rho=0.2 lr=0.002789, seed 1: Slurm: pending (BeginTime),", "requeued 2 times",
		"on Slurm", "3 in trouble", "seed 2: Slurm: node_fail (NodeDown) on", "n2, requeued once",
		"seed 2: loss is NaN", "7 queued"} {
		if !strings.Contains(s, want) {
			t.Errorf("no %q in\n%s", want, s)
		}
	}
	shared, _ := pageOf(t, dir, lab.Config{Shared: true})
	if shared.Press("tab", "tab"); strings.Contains(tuitest.Text(shared.Shot()), "Slurm") {
		t.Error("a shared view asks Slurm")
	}
	broken := []byte("#!/bin/sh\necho no controller >&2; exit 1\n")
	if err := os.WriteFile(filepath.Join(bin, "squeue"), broken, 0o755); err != nil {
		t.Fatal(err)
	}
	r.Wait(time.Minute, time.Second)
	if s := tuitest.Text(r.Shot()); !strings.Contains(s, "squeue: no controller") {
		t.Errorf("Slurm that does not answer:\n%s", s)
	}
}

// TestSeveralSweeps turns from one sweep to the next. A late answer about the previous sweep is not
// taken for the new one.
func TestSeveralSweeps(t *testing.T) {
	dir := t.TempDir()
	for i, name := range []string{"a", "b"} {
		tuitest.NewSweep(t, filepath.Join(dir, name))
		when := time.Unix(int64(1000-i), 0)
		if err := os.Chtimes(filepath.Join(dir, name, "sweep.json"), when, when); err != nil {
			t.Fatal(err)
		}
	}
	r, p := pageOf(t, dir, lab.Config{})
	late := p.reader.read(t.Context(), *r.Now)
	r.Press("s")
	if got, want := p.dir(), filepath.Join(dir, "b"); got != want {
		t.Errorf("after s the sweep %s is shown, want %s", got, want)
	}
	if v := r.View(); !strings.Contains(v, "(2 of 2)") {
		t.Errorf("after s the page lacks (2 of 2):\n%s", v)
	}
	before := p.seen
	if r.Send(late()); p.seen.reader != before.reader {
		t.Error("a look at another sweep was shown")
	}
	if err := os.Remove(filepath.Join(dir, "b", "sweep.json")); err != nil {
		t.Fatal(err)
	}
	r.Wait(time.Minute, 10*time.Second)
	if p.current() == nil {
		t.Error("a folder that is gone takes what was seen of it")
	}
}

// TestPoisonedSweep poisons one string of a sweep after another and shows the sweep: nothing
// controls the terminal.
func TestPoisonedSweep(t *testing.T) {
	dir := t.TempDir()
	text := "preset: csv\nset: {val_fraction: .2}\n" +
		"grid: {rho: [.1, 1], dataset: [\"csv:example\"], algo: [sfk, erm]}\n"
	file, errs := sweep.Parse("mine.yaml", []byte(text))
	if len(errs) > 0 {
		t.Fatalf("Parse: %v", errors.Join(errs...))
	}
	if _, err := sweep.Make(dir, []byte(text), file.Expand()); err != nil {
		t.Fatal(err)
	}
	tuitest.PoisonEach(t, dir, func(where string) {
		r, _ := pageOf(t, dir, lab.Config{})
		for _, key := range []string{"tab", "tab", "a", "right"} {
			r.Press(key)
			r.Fits(t, fmt.Sprint(where, ", ", key))
		}
	})
}

// TestScaleOfMap: the legend has the worst and the best value at the ends of the colours. Where all
// values are written alike there are no colours, and no setting of a method is marked.
func TestScaleOfMap(t *testing.T) {
	dir := t.TempDir()
	tuitest.NewSweep(t, filepath.Join(dir, "mine"))
	r, p := pageOf(t, dir, lab.Config{})
	r.Wait(5*time.Second, time.Second)
	worst, best := "", ""
	for i, at := range p.seen.all.Points {
		if text := strings.TrimSpace(p.written(i)); at.Value.Applies() {
			if worst == "" || text > worst {
				worst = text
			}
			if best == "" || text < best {
				best = text
			}
		}
	}
	screen := tuitest.Text(r.Shot())
	want := "validation loss  " + worst + " ████████ " + best + "  by rank  " + r.Lab.Theme.Best
	if !strings.Contains(screen, want) {
		t.Errorf("no scale %q:\n%s", want, screen)
	}
	for i := range p.seen.all.Points {
		p.seen.all.Points[i].Value = measure.NumIf(p.seen.all.Points[i].Value.Applies(), .75)
	}
	screen = tuitest.Text(r.Shot())
	_, grid, _ := strings.Cut(screen, "rho")
	if strings.Contains(grid, "██") {
		t.Errorf("equal values have colours:\n%s", screen)
	}
	if strings.Contains(grid, r.Lab.Theme.Best) {
		t.Errorf("one of equals is the best:\n%s", screen)
	}
}

// TestCutsOfTheMapAreMarked: where the map or the choice has more than there is room for, a mark
// says so: columns and rows of the map, columns of the choice, and lines below.
func TestCutsOfTheMapAreMarked(t *testing.T) {
	dir := t.TempDir()
	tuitest.NewSweep(t, dir)
	r, p := pageOf(t, dir, lab.Config{})
	cut := map[string]int{}
	for _, size := range [][2]int{{118, 36}, {30, 36}, {24, 8}, {20, 6}, {16, 30}} {
		for range p.grid.columns {
			w, h := size[0], size[1]
			m := p.plane(w, h)
			head := tuitest.Text(render.Shot(p.planeHeads(m), w, 1))
			before, after := m.column > 0, m.column+m.columns < len(p.grid.columns)
			if got := strings.Contains(head, cell.More); got != (before || after) {
				t.Errorf("%v: %q, columns before %v and after %v", size, head, before, after)
			}
			if rows := m.rows < len(p.grid.rows); strings.Contains(head, "rows") != rows {
				t.Errorf("%v: %q says that rows have no room, want %v", size, head, rows)
			} else if rows {
				cut["rows"]++
			}
			if before || after {
				cut["columns"]++
			}
			r.Press("right")
		}
	}
	for h := 1; h < 6; h++ {
		lines := p.scrolledLines([]string{"a", "b", "c", "d", "e", "f"}, h, false)
		if len(lines) != h || !strings.Contains(lines[h-1], fmt.Sprintf("… %d more", 7-h)) {
			t.Errorf("%d of 6 lines: %q", h, lines)
		}
	}
	for w := 20; w < 200; w++ {
		grid := p.Theme.Grid(p.seen.table.Cells(), w, 2)
		text := strings.Join(p.chosenLines(w), "\n")
		if strings.Contains(text, "without room") != (grid.Hidden() > 0) {
			t.Errorf("%d cells: %d columns are left out:\n%s", w, grid.Hidden(), text)
		}
		cut["choice"] += grid.Hidden()
	}
	if cut["rows"] == 0 || cut["columns"] == 0 || cut["choice"] == 0 {
		t.Errorf("nothing was cut: %v", cut)
	}
}
