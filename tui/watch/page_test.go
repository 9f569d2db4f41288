package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/plot"
	"drolab/tui/watch/panel"
)

// watching returns a rig on the page, half-way through four runs.
func watching(t testing.TB, w, h int) *rig {
	t.Helper()
	r := newRig(t, tuitest.NewScript(t), w, h)
	r.Wait(10*time.Second, time.Second/5)
	return r
}

// rig is a rig on this page over a script.
type rig struct {
	*tuitest.Rig
	watch *Page
	asked *tuitest.Asked
}

func newRig(t testing.TB, s *tuitest.Script, w, h int) *rig {
	t.Helper()
	return newRigOf(t, s, s, w, h)
}

// newRigOf is newRig over another source. The script is only the clock.
func newRigOf(t testing.TB, source lab.Source, s *tuitest.Script, w, h int) *rig {
	t.Helper()
	asked := &tuitest.Asked{}
	l := tuitest.NewLab(t, source, lab.Config{Verbs: asked, RunsDir: t.TempDir()}, w, h-2)
	p := New(l)
	r := &rig{tuitest.NewRig(l, p), p, asked}
	r.Now, r.Clock = s.Now, func(now time.Time) { s.Now = now }
	return r
}

func TestVerbs(t *testing.T) {
	for _, c := range []struct {
		name   string
		status runner.Status
		mine   bool
		keys   []string
		want   []string // the verbs that are asked
		says   string   // a part of the notice
	}{
		{"pause", runner.Running, true, []string{"p"}, []string{"pause"}, ""},
		{"go on", runner.Paused, true, []string{"p"}, []string{"resume"}, ""},
		{"resume paused", runner.Paused, true, []string{"r"}, []string{"resume"}, ""},
		{"checkpoint", runner.Running, true, []string{"C"}, []string{"checkpoint"}, ""},
		{"stop", runner.Running, true, []string{"x", "y"}, []string{"stop"}, ""},
		{"stop, then not", runner.Running, true, []string{"x", "esc"}, nil, ""},
		{"resume stopped", runner.Stopped, false, []string{"r"}, []string{"resume"}, ""},
		{"resume interrupted", runner.Interrupted, false, []string{"r"}, []string{"resume"}, ""},
		{"pause of another process", runner.Running, false, []string{"p"}, nil,
			"runs in another process"},
		{"stop of another process", runner.Running, false, []string{"x", "y"}, nil, ""},
		{"pause queued", runner.Queued, true, []string{"p"}, nil, "sfk s1 is queued"},
		{"pause done", runner.Done, true, []string{"p"}, nil, "sfk s1 is done: nothing to pause"},
		{"resume done", runner.Done, true, []string{"r"}, nil, "sfk s1 is done: nothing to resume"},
		{"resume running", runner.Running, true, []string{"r"}, nil,
			"sfk s1 is running: nothing to resume"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := watching(t, 120, 40)
			run := r.watch.Run()
			run.Status = c.status
			r.Mine[run.ID] = c.mine
			r.Press(c.keys...)
			if !slices.Equal(r.asked.List, c.want) {
				t.Errorf("asked %v, want %v", r.asked.List, c.want)
			}
			if !strings.Contains(r.Notice.Text, c.says) {
				t.Errorf("the footer says %q, want %q in it", r.Notice.Text, c.says)
			}
		})
	}
}

// TestCompareAndCopy: c asks for a table of the watched runs, and y hands what the panel shows to
// the terminal's clipboard. In a replay y goes to a checkpoint.
func TestCompareAndCopy(t *testing.T) {
	r := watching(t, 120, 40)
	r.Press("c", "y")
	if m, ok := tuitest.Sent[lab.Compare](r.Rig); !ok || len(m.Runs) != len(r.watch.Tracks) {
		t.Errorf("c asks for a table of %d runs", len(m.Runs))
	}
	if n := r.Notice.Text; !strings.HasPrefix(n, "Copied ") || !strings.HasSuffix(n, " rows") {
		t.Errorf("y: the footer says %q", n)
	}
	r.Press("R", "y")
	if n := r.Notice.Text; strings.HasPrefix(n, "Copied ") {
		t.Errorf("y in a replay: the footer says %q", n)
	}
}

// TestSearch: the log pane shows only lines with the words that were searched, in any case.
func TestSearch(t *testing.T) {
	r := watching(t, 120, 40)
	r.watch.Run().Notes = []panel.Note{{Step: 7, Text: "Loss is high"}, {Step: 8, Text: "calm"}}
	r.Press("w", "/")
	r.Type("loss")
	r.Press("enter")
	screen := tuitest.Text(r.Shot())
	if !strings.Contains(screen, "Loss is high") || strings.Contains(screen, "calm") ||
		!strings.Contains(screen, " with loss · ") {
		t.Errorf("after a search for loss:\n%s", screen)
	}
}

// TestResumeOfProgram: resuming a run that has ended starts its program anew, and so asks if the
// user has not started that program before. A paused run still has its program.
func TestResumeOfProgram(t *testing.T) {
	r := watching(t, 120, 40)
	run, path := r.watch.Run(), filepath.Join(t.TempDir(), "train.py")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.Config.Programs = bridge.Approvals(t.TempDir())
	run.Meta.Spec.Model, r.Mine[run.ID] = "program:"+path, true
	run.Status = runner.Paused
	if r.Press("r"); len(r.asked.List) != 1 {
		t.Fatalf("paused: asked %v", r.asked.List)
	}
	run.Status = runner.Stopped
	if r.Press("r"); len(r.asked.List) != 1 || r.Overlay == nil {
		t.Fatalf("stopped: asked %v", r.asked.List)
	}
	r.Press("y")
	if _, err := r.Config.Programs.Check(path); err != nil || len(r.asked.List) != 2 {
		t.Errorf("trusted: asked %v, %v", r.asked.List, err)
	}
}

func TestMany(t *testing.T) {
	s := tuitest.NewScript(t)
	store, err := record.Open(string(s.Folder))
	if err != nil {
		t.Fatal(err)
	}
	const more = lab.MaxWatched + 10
	for i := range more {
		m := tuitest.Meta(dro.PGD, tuitest.Epoch0())
		m.Spec.Seed = uint64(i + 2)
		rec, err := store.Create(m, nil)
		if err != nil {
			t.Fatal(err)
		}
		rec.Close()
	}
	var ids []string
	runs, _ := s.List()
	for _, run := range runs {
		ids = append(ids, run.Meta.ID)
	}
	r := newRig(t, s, 80, 24)
	r.Send(lab.Watch{IDs: ids})
	if n := len(r.watch.Tracks); n != lab.MaxWatched {
		t.Errorf("%d runs are watched, want %d", n, lab.MaxWatched)
	}
	methods := map[dro.Algorithm]bool{}
	for _, track := range r.watch.Tracks {
		if methods[track.Meta.Spec.Algorithm()] = true; track.Meta.Spec.Seed > lab.MaxWatched-3 {
			t.Errorf("a run of seed %d is watched, one of a lower seed is not",
				track.Meta.Spec.Seed)
		}
	}
	if len(methods) != 4 {
		t.Errorf("of the methods only %v are watched", methods)
	}
	said := fmt.Sprintf("%d runs found. %d are watched", more+4, lab.MaxWatched)
	if f := r.Notice.Text; !strings.Contains(f, said) {
		t.Errorf("the footer says %q", f)
	}
	// Every run can be reached, and is on the screen when it is under the cursor.
	for range lab.MaxWatched {
		label := r.watch.Run().Label
		if !strings.Contains(tuitest.Text(r.Shot()), label) {
			t.Errorf("%s is under the cursor and not on the screen", label)
		}
		r.Press("down")
	}
}

// TestFewer: of more settings than there are colours, as many as there are colours are watched,
// with their first seeds.
func TestFewer(t *testing.T) {
	var runs []*record.Run
	for seed := range uint64(4) {
		for i := range kit.Colors + 4 {
			m := tuitest.Meta(dro.PGD, tuitest.Epoch0())
			m.Spec.Seed, m.Spec.Rho = seed, float64(i+1)
			runs = append(runs, &record.Run{Meta: *m})
		}
	}
	list := panel.Watchable(runs)
	radii := map[float64]bool{}
	for _, r := range list {
		if radii[r.Meta.Spec.Rho] = true; r.Meta.Spec.Seed > 2 {
			t.Errorf("seed %d of ρ = %g is watched", r.Meta.Spec.Seed, r.Meta.Spec.Rho)
		}
	}
	if len(list) != lab.MaxWatched || len(radii) != kit.Colors {
		t.Errorf("%d runs of %d settings", len(list), len(radii))
	}
}

// TestFewerKeepsSeeds: a configuration with more seeds takes precedence over those with one,
// wherever it is in the list.
func TestFewerKeepsSeeds(t *testing.T) {
	var runs []*record.Run
	add := func(rho float64, seed uint64) {
		m := tuitest.Meta(dro.PGD, tuitest.Epoch0())
		m.Spec.Seed, m.Spec.Rho = seed, rho
		runs = append(runs, &record.Run{Meta: *m})
	}
	for i := range kit.Colors + 4 {
		add(float64(i+1), 1)
	}
	add(.5, 1)
	add(.5, 2)
	seen := 0
	for _, r := range panel.Watchable(runs) {
		if r.Meta.Spec.Rho == .5 {
			seen++
		}
	}
	if seen != 2 {
		t.Errorf("%d of the two seeds are watched", seen)
	}
}

// TestInterrupted: a run whose process died is shown as interrupted, although only the lock of its
// directory says so.
func TestInterrupted(t *testing.T) {
	store, err := record.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := tuitest.Meta(dro.SFK, tuitest.Epoch0())
	rec, err := store.Create(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := rec.Append(&runner.StatusEvent{Status: runner.Running}); err != nil {
		t.Fatal(err)
	}
	s := &tuitest.Script{Folder: lab.Folder(store.Dir()), Now: tuitest.Epoch0()}
	r := newRig(t, s, 80, 24)
	r.Source = s.Folder
	r.Press("2")
	r.Wait(5*time.Second, time.Second)
	if st := r.watch.Run().Status; st != runner.Running {
		t.Fatalf("status %s, want running", st)
	}
	rec.Close()
	r.Wait(5*time.Second, time.Second)
	if st := r.watch.Run().Status; st != runner.Interrupted {
		t.Errorf("status %s after the process died, want interrupted", st)
	}
}

// TestSmoothing: a smoother gives the same curve whether points are pushed one by one or the whole
// curve is filtered anew.
func TestSmoothing(t *testing.T) {
	r := watching(t, 120, 40)
	for range 4 { // the number of smoothers
		smooth := func() (values []float64) {
			for _, tr := range r.watch.Tracks {
				if s := tr.Curves["loss"].Smooth; s != nil {
					values = append(values, s.At(s.XRange().Hi))
				}
			}
			return values
		}
		pushed, name := smooth(), r.watch.SmoothBy(0)
		if filtered := smooth(); !slices.Equal(pushed, filtered) {
			t.Errorf("%s: %v pushed, %v filtered", name, pushed, filtered)
		}
		r.Press("s")
		r.Wait(time.Second, time.Second/5)
	}
}

// TestMouse clicks a row and a panel.
func TestMouse(t *testing.T) {
	r := watching(t, 120, 40)
	l := r.watch.layout()
	r.Send(kit.Click{X: 5, Y: l.runs.Y + 3}) // below the column heads, the third run
	if r.watch.At != 2 {
		t.Errorf("run %d is under the cursor, want the third", r.watch.At)
	}
	p := l.panels[3]
	r.Send(kit.Click{X: p.X + 2, Y: p.Y + 2})
	if r.watch.Panels[r.watch.focus].Title != "Where the adversary looks, by class" ||
		r.watch.zoomed {
		t.Errorf("panel %v, zoomed %v", r.watch.focus, r.watch.zoomed)
	}
	r.Send(kit.Click{X: p.X + 2, Y: p.Y + 2})
	if !r.watch.zoomed {
		t.Error("a click on the panel that has the focus does not zoom it")
	}
}

// TestBarsScroll: wheel and keys reach every class on a small screen, and move nothing where all
// classes are in view.
func TestBarsScroll(t *testing.T) {
	r := watching(t, 40, 12)
	r.Press("tab")
	r.Press("f")
	first, last := r.watch.Run().Meta.Classes[0], r.watch.Run().Meta.Classes[9]
	shows := func(first, last bool, what string) {
		t.Helper()
		s := tuitest.Text(r.Shot())
		if strings.Contains(s, "circle ") != first || strings.Contains(s, "triangle") != last {
			t.Errorf("%s: the screen shows\n%s", what, s)
		}
	}
	if first != "circle" || last != "triangle" {
		t.Fatalf("the classes are from %s to %s", first, last)
	}
	shows(true, false, "at first")
	r.Press("pgdown", "pgdown", "pgdown", "pgdown")
	shows(false, true, "four pages down")
	r.Press("pgup", "pgup", "pgup", "pgup")
	shows(true, false, "four pages up")
	over := kit.Wheel{X: 5, Y: 8, Down: true}
	for range 20 {
		r.Send(over)
	}
	shows(false, true, "the wheel down")
	r.Size(120, 38)
	shows(true, true, "on a large screen")
	l := r.watch.layout().panels[1]
	r.Send(kit.Wheel{X: l.X + 5, Y: l.Y + 3, Down: true},
		kit.Wheel{X: l.X + 5, Y: l.Y + 3, Down: true})
	shows(true, true, "the wheel where all fits")
	if r.Press("pgdown"); r.Notice.Text == "" {
		t.Error("nothing says that there is nothing to scroll")
	}
}

// forkOf adds a run to the script that continues from a step of another run, at half the pace of
// that run and two hours later.
func forkOf(t *testing.T, s *tuitest.Script, parent string, step int) string {
	t.Helper()
	store, err := record.Open(string(s.Folder))
	if err != nil {
		t.Fatal(err)
	}
	m := tuitest.Meta(dro.SFK, tuitest.Epoch0().Add(time.Hour))
	m.Parent = fmt.Sprintf("%s@%d", parent, step)
	r, err := store.Create(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	at := func(step int, seconds float64) runner.Head {
		return runner.Head{Step: int64(step), Time: tuitest.Epoch0().Add(2*time.Hour +
			time.Duration(seconds*float64(time.Second)))}
	}
	s.Logs[m.ID] = []runner.Event{&runner.CheckpointEvent{Head: at(step, 0), File: "a"},
		&runner.StatusEvent{Head: at(step, 0), Status: runner.Running}}
	for i := 10; i <= 40; i += 10 {
		e := &runner.StepEvent{Head: at(step+i, float64(i)*2*tuitest.Pace),
			Values: measure.Values{{Name: "loss", Number: measure.Num(9)}}}
		e.Min, e.Max = e.Values, e.Values
		s.Logs[m.ID] = append(s.Logs[m.ID], e)
	}
	return m.ID
}

func sfkOf(s *tuitest.Script) string {
	for id := range s.Logs {
		if strings.Contains(id, "-sfk-") {
			return id
		}
	}
	panic("no such run")
}

func watchOnly(t *testing.T, s *tuitest.Script, id string) *panel.Track {
	t.Helper()
	s.Now = tuitest.Epoch0().Add(3 * time.Hour) // the logs are complete
	r := newRig(t, s, 120, 40)
	r.Send(lab.Watch{IDs: []string{id}})
	r.Wait(2*time.Second, time.Second/5)
	r.Fits(t, "a fork")
	return r.watch.Tracks[0]
}

// TestForkGoesOnItsParentsCurves: up to the checkpoint, the curves of a fork are those of its
// parent.
func TestForkGoesOnItsParentsCurves(t *testing.T) {
	s := tuitest.NewScript(t)
	parent := sfkOf(s)
	s.Logs[parent] = slices.Insert(s.Logs[parent], 3,
		runner.Event(&runner.KnobEvent{Head: runner.Head{Step: 15, Time: tuitest.Epoch0()},
			Key: "lr",
			Old: measure.Num(.01), New: measure.Num(7)}))
	f := watchOnly(t, s, forkOf(t, s, parent, 160))
	loss := f.Curves["loss"].Raw
	if v := loss.At(150); !(v < 9) {
		t.Errorf("the loss at step 150 is %v, want the parent's", v)
	}
	if v, w := loss.At(170), loss.At(200); v != 9 || w != 9 || f.Step != 200 {
		t.Errorf("the loss at step 170 is %v, at 200 %v, the run at %d: want its own", v, w, f.Step)
	}
	if i := slices.IndexFunc(f.Markers, func(m plot.Marker) bool {
		return m.Letter == 'f' &&
			m.X == 160
	}); i < 0 {
		t.Errorf("no mark at the fork: %v", f.Markers)
	}
	if f.Spec.LR == 7 {
		t.Error("the fork has a setting that its parent was given live")
	}
	if f.Seconds < 160*tuitest.Pace*.9 || f.Seconds > 160*tuitest.Pace*1.1+40*2*tuitest.Pace+1 {
		t.Errorf("%v s of training, want the parent's and its own and none between", f.Seconds)
	}
}

// TestForkWithoutItsParent: the curves of a fork whose parent is missing start at the fork, and its
// speed is not overestimated.
func TestForkWithoutItsParent(t *testing.T) {
	for _, parent := range []string{"shapes-sfk-s1-gone", "../x", "latest", "\x1b[31mred"} {
		s := tuitest.NewScript(t)
		f := watchOnly(t, s, forkOf(t, s, parent, 160))
		if n := f.Curves["loss"].Raw.Len(); n != 4 {
			t.Errorf("of %q: %d losses, want its own 4", parent, n)
		}
		left, ok := f.Remaining()
		steps := float64(tuitest.Steps*tuitest.Epochs - 200)
		want := time.Duration(steps * 2 * tuitest.Pace * float64(time.Second))
		if !ok || left < want*9/10 || left > want*11/10 {
			t.Errorf("of %q: %v left, want %v", parent, left, want)
		}
	}
}
