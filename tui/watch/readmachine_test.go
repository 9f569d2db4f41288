package watch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/eventlog"
	"drolab/runner/machine"
	"drolab/runner/record"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"
)

// box returns the samples of twenty minutes on a machine with so many GPUs, of which the run uses
// the last one.
func box(gpus int, start time.Time) (list []machine.Sample) {
	const gib = 1 << 30
	for i := range 120 {
		x := float64(i)
		s := machine.Sample{Time: start.Add(time.Duration(10*i) * time.Second),
			CPU:    machine.Part{Used: 9 + x/60, Of: 16},
			Memory: machine.Part{Used: gib * (30 + x/20), Of: gib * 126},
			Disk:   machine.Part{Used: gib * 812, Of: gib * 3600},
			Run:    machine.Processes{Memory: gib * 14, CPU: 8.4, Workers: 9, Busy: 8}}
		for k := range gpus {
			g := machine.GPU{Index: (k + gpus - 1) % gpus,
				Use:    machine.Part{Used: float64(36 + (i+k)%5), Of: 100},
				Memory: machine.Part{Used: gib * 41, Of: gib * 80}, Power: 310, Temperature: 61}
			if k == 0 {
				g.Run = gib * 40
			}
			s.GPUs = append(s.GPUs, g)
		}
		list = append(list, s)
	}
	return list
}

// onMachine shows the machine of the run under the cursor in the whole page.
func onMachine(r *driver, list []machine.Sample) {
	w := r.watch
	w.Board.Machine = panel.Machine{ID: w.Runs.Run().ID, Samples: list}
	w.screen.focus = slices.IndexFunc(w.Board.Panels,
		func(p panel.Panel) bool { return p.Title == "Machine" })
	w.screen.zoomed = true
	w.touch()
}

// TestMachineGolden holds the one golden screen of the panel.
func TestMachineGolden(t *testing.T) {
	r := watching(t, 80, 24)
	onMachine(r, box(2, tuitest.Epoch0()))
	e := r.Shot()
	tuitest.Golden(t, "machine", tuitest.Text(e)+tuitest.Styles(e))
}

// TestMachineFits: in every size, with any number of GPUs and figures, the panel fits its place,
// and names what matters first.
func TestMachineFits(t *testing.T) {
	r := watching(t, 80, 24)
	mig := box(1, tuitest.Epoch0())
	for i := range mig {
		mig[i].GPUs[0].Use, mig[i].GPUs[0].Power = machine.Part{}, 0
	}
	for name, list := range map[string][]machine.Sample{"none": nil, "no GPU": box(0, time.Time{}),
		"one": box(1, time.Time{}), "eight": box(8, time.Time{}), "MIG": mig,
		"nothing known": make([]machine.Sample, 7)} {
		for _, size := range tuitest.Sizes() {
			r.Size(size[0], size[1])
			onMachine(r, list)
			r.Fits(t, name)
			r.watch.screen.zoomed = false
			r.Fits(t, name)
			r.watch.screen.zoomed = true
			text := tuitest.Text(r.Shot())
			waits := strings.Contains(text, "waits for data: 38 % used, 8 workers")
			if waits != (name == "one" || name == "eight") && size[0] >= 80 {
				t.Errorf("%s at %v:\n%s", name, size, text)
			}
			if size[0] == 200 && len(list) > 0 && !strings.Contains(text, "disk") {
				t.Errorf("%s at %v lacks a part:\n%s", name, size, text)
			}
		}
	}
	r.Config.RunsDir = t.TempDir()
	onMachine(r, box(1, time.Time{}))
	r.Press("e")
	if r.Overlay == nil || strings.HasPrefix(r.Overlay.Lines[0], "0 rows") {
		t.Errorf("the export says %+v, want some rows", r.Overlay)
	}
}

// TestMachineScale: where there is room, each figure has a line across the panel with its scale.
// The GPU comes first, and the past fills the line whatever the number of samples.
func TestMachineScale(t *testing.T) {
	r := watching(t, 200, 60)
	for _, samples := range []int{3, 60} {
		onMachine(r, box(1, tuitest.Epoch0())[:samples])
		text := tuitest.Text(r.Shot())
		gpu, disk := strings.Index(text, "GPU 0  "), strings.Index(text, "disk  ")
		if gpu < 0 || disk < gpu {
			t.Errorf("of %d samples the GPU is not first:\n%s", samples, text)
		}
		for _, want := range []string{" 100 % ", " 80 GiB ", " 16 cores ", " 9 workers "} {
			if !strings.Contains(text, want) {
				t.Errorf("of %d samples the scale lacks %q:\n%s", samples, want, text)
			}
		}
		if n := strings.Count(text, "▅"); n < 100 {
			t.Errorf("of %d samples the past has %d cells of one height, want a line of them",
				samples, n)
		}
	}
}

// TestNoMachine: without figures the panel says why there are none.
func TestNoMachine(t *testing.T) {
	r := watching(t, 120, 40)
	onMachine(r, nil)
	run := r.watch.Runs.Run()
	for _, c := range []struct {
		status  runner.Status
		seconds float64
		want    string
	}{
		{runner.Running, 5, "There are no figures yet. drolab looks at the machine every 10 s."},
		{runner.Done, 5, "There are no figures. The run took 5s, and drolab looks"},
		{runner.Done, 500, "No figures of the machine were recorded."},
	} {
		run.Status, run.Seconds, run.Share = c.status, c.seconds, 1
		r.watch.touch()
		if text := tuitest.Text(r.Shot()); !strings.Contains(text, c.want) {
			t.Errorf("%s after %g s, the panel lacks %q:\n%s", c.status, c.seconds, c.want, text)
		}
	}
}

// TestMachineIsRead: the page reads the samples of the run under the cursor from its folder, those
// that come, and in a replay shows no sample that is later than the replay.
func TestMachineIsRead(t *testing.T) {
	dir := t.TempDir()
	store, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	m := tuitest.Meta(dro.ERM, tuitest.Epoch0())
	m.ID = ""
	to, err := store.Create(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	list := box(1, time.Now())
	see := func(s []machine.Sample) {
		for i := range s {
			to.(runner.Observer).Observe(&s[i])
		}
	}
	see(list[:4])
	run, err := record.Find(dir, m.ID)
	if err != nil {
		t.Fatal(err)
	}
	l := tuitest.NewLab(t, nil, lab.Config{}, 80, 24)
	w := New(l)
	w.Runs.Tracks = []*panel.Track{panel.NewTrack(panel.RunLog{Run: run, Log: run.Tail()})}
	now := time.Now()
	look := func() machineMsg {
		now = now.Add(machineInterval)
		msg := w.readMachine(now)().(machineMsg)
		w.Update(msg)
		return msg
	}
	if msg := look(); !msg.Changes() {
		t.Error("new samples change nothing")
	}
	if n := len(w.Board.Figures()); n != 4 {
		t.Errorf("%d samples are shown, want 4", n)
	}
	if w.readMachine(now) != nil {
		t.Error("it reads without a pause")
	}
	if msg := look(); msg.Changes() {
		t.Error("a look without new samples changes the screen")
	}
	if n := len(w.Board.Figures()); n != 4 {
		t.Errorf("after a second look %d samples are shown, want 4", n)
	}
	see(list[4:7])
	if msg := look(); !msg.Changes() {
		t.Error("three more samples change nothing")
	}
	if n := len(w.Board.Figures()); n != 7 {
		t.Errorf("%d samples are shown, want 7", n)
	}
	old := panel.OpenReplay(sourceOf{}, run)
	w.Runs.Tracks[0] = panel.NewTrack(old)
	w.Runs.Tracks[0].Add([]runner.Event{&runner.StatusEvent{Head: runner.Head{
		Time: list[2].Time.Add(time.Second)}, Status: runner.Running}})
	if got := len(w.Board.Figures()); got != 3 {
		t.Errorf("in a replay %d samples are shown, want 3", got)
	}
	if _, err := os.Stat(filepath.Join(run.Dir, "system.jsonl")); err != nil {
		t.Error(err)
	}
}

// sourceOf is a source that opens runs.
type sourceOf struct{ lab.Source }

func (sourceOf) Open(r *record.Run) eventlog.Log { return r.Tail() }
