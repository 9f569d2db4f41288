package watch

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/data/source"
	"drolab/runner/record"
	"drolab/runner/record/recordtest"
	"drolab/runner/spec"
	"drolab/tui/cell"
	"drolab/tui/internal/render"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
)

// TestEyeBytes: a slow run whose heaviest samples all change every 16 seconds sends, in two and a
// half minutes, at most a tenth more bytes than the same run without samples. The first frame
// counts. With -short it takes a third of the time.
func TestEyeBytes(t *testing.T) {
	testsize.NotShort(t, "draws two whole trainings, as TestEye does in small")
	heavy, none := sentBy(t, true), sentBy(t, false)
	t.Logf("%d bytes, %d without samples", heavy, none)
	if 10*heavy > 11*none {
		t.Errorf("%d bytes, want at most a tenth above %d", heavy, none)
	}
}

// sentBy returns the number of bytes that a scripted run on pictures sends at 200×60, watched from
// its start.
func sentBy(t *testing.T, heavy bool) (bytes int) {
	t.Helper()
	seconds := 150
	if testing.Short() {
		seconds = 50
	}
	store, err := record.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := tuitest.Meta(dro.SFK, tuitest.Epoch0())
	m.Spec.Samples = 400
	d, err := source.Open(m.Spec.Dataset, m.Spec.DataOptions(""))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	m.Checksum = d.Checksum
	r, err := store.Create(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	log := tuitest.Training(dro.SFK, 0, 16/tuitest.Pace, seconds/16)
	log = slices.DeleteFunc(log, func(e runner.Event) bool { // one step in two seconds stays
		_, step := e.(*runner.StepEvent)
		return step && e.Header().Step%40 > 0
	})
	for k, e := range log {
		if e, ok := e.(*runner.EvalEvent); ok && heavy {
			for i := range runner.MostHeavy {
				at := (k*runner.MostHeavy + i) % d.Train.Len()
				e.Heaviest = append(e.Heaviest, runner.Heavy{Index: at,
					Ratio: 7 - float64((k+i)%50)/10, Label: d.Train.Label(at)})
			}
		}
	}
	watch := newDriver(t, &tuitest.Script{Folder: lab.Folder(store.Dir()), Now: tuitest.Epoch0(),
		Logs: map[string][]runner.Event{m.ID: log}}, 200, 60)
	watch.Round = time.Second
	wire := render.NewRenderer(200, 58)
	for range seconds * 5 / 2 {
		watch.Wait(2*time.Second/5, 2*time.Second/5)
		bytes += wire.Frame(t, watch.View())
	}
	if drawn := strings.Contains(watch.View(), "▀"); drawn != heavy {
		t.Fatalf("samples: %v, want %v\n%s", drawn, heavy, tuitest.Text(watch.Shot()))
	}
	return bytes
}

// watchingEye returns a driver that watches a trained run of a data set at 200×60.
func watchingEye(t *testing.T, dataset string, shared bool) *driver {
	t.Helper()
	s := spec.Defaults()
	s.Algorithms, s.Model, s.Dataset, s.Samples = []dro.Algorithm{dro.PGD}, "linear", dataset, 200
	s.Augment, s.Batch, s.Epochs = false, 16, 1
	run := recordtest.Train(t, s)
	r := newDriverOf(t, lab.Folder(filepath.Dir(run.Dir)), tuitest.NewScript(t), 200, 60)
	r.watch.Config.Shared = shared
	r.Wait(2*time.Second, time.Second/5)
	return r
}

// strip returns the adversary's eye as it is drawn under the panels.
func (r *driver) strip() string {
	l := r.watch.layout().eye
	var lines []string
	for _, line := range r.watch.View(200, 58)[l.Y:][:l.H] {
		lines = append(lines, cell.Strip(line))
	}
	return strings.Join(lines, "\n")
}

// TestEye: the eye shows pictures, the columns of tables or the numbers of samples with features,
// each with its ratio and its class.
func TestEye(t *testing.T) {
	for dataset, want := range map[string]string{
		"shapes":      "━",
		"csv:example": " · ",
		"spurious":    "sample",
	} {
		t.Run(dataset, func(t *testing.T) {
			r := watchingEye(t, dataset, false)
			strip := r.strip()
			h := r.watch.Runs.Run().Eval.Heaviest[0]
			class := r.watch.Runs.Run().Meta.Classes[h.Label]
			for _, text := range []string{want, cell.Cut(class, 4)[:2],
				"The adversary's eye"} {
				if !strings.Contains(strip, text) {
					t.Errorf("no %q in\n%s", text, strip)
				}
			}
			if drawn := strings.Contains(strip, "▀"); drawn != (dataset == "shapes") {
				t.Errorf("pictures: %v\n%s", drawn, strip)
			}
		})
	}
}

// TestSharedViewsHaveNoData: a shared view has numbers, classes and ratios, but none of the data,
// which are not opened.
func TestSharedViewsHaveNoData(t *testing.T) {
	r := watchingEye(t, "shapes", true)
	strip := r.strip()
	h := r.watch.Runs.Run().Eval.Heaviest[0]
	if s, why := r.watch.Board.Eye.Sample(r.watch.Runs.Run().ID, h.Index); s != nil || why != "" {
		t.Errorf("a shared view has %+v, %q", s, why)
	}
	if strings.Contains(strip, "▀") {
		t.Errorf("a shared view shows pictures:\n%s", strip)
	}
	class := cell.Cut(r.watch.Runs.Run().Meta.Classes[h.Label], 4)[:2]
	for _, want := range []string{"sample", class} {
		if !strings.Contains(strip, want) {
			t.Errorf("a shared view lacks %q:\n%s", want, strip)
		}
	}
}

// TestEyeWithoutData: without the data, the eye names the samples and the reason. A log that names
// a sample beyond the end of the data does no harm.
func TestEyeWithoutData(t *testing.T) {
	r := watchingEye(t, "shapes", false)
	eval := r.watch.Runs.Run().Eval
	list := eval.Heaviest
	look := func(m string) string {
		meta := *r.watch.Runs.Run().Meta
		meta.ID, meta.Spec.Dataset = "run of "+m, m
		r.Send(r.watch.Board.Eye.Fetch(time.Unix(1e9, 0), 0, &meta, eval)())
		_, why := r.watch.Board.Eye.Sample(meta.ID, list[0].Index)
		return why
	}
	if why := look("cifar10"); !strings.Contains(why, "drolab data fetch") {
		t.Errorf("without data: %q", why)
	}
	list[3].Index = 1 << 30
	if why := look("shapes"); !strings.Contains(why, "no training sample 1073741824") {
		t.Errorf("a sample that is not there: %q", why)
	}
}

// TestEyeHasRoom: the strip is shown where there is room for it, unless its panel is in view.
func TestEyeHasRoom(t *testing.T) {
	r := watchingEye(t, "shapes", false)
	for _, c := range []struct {
		w, h int
		keys []string
		want bool
	}{
		{200, 60, nil, true},
		{200, 60, []string{"z"}, false},
		{200, 60, []string{"z", "shift+tab", "shift+tab"}, false},
		{120, 40, nil, false},
		{80, 24, nil, false},
	} {
		r.Press(c.keys...)
		r.Size(c.w, c.h)
		if got := r.watch.layout().eye.H > 0; got != c.want {
			t.Errorf("%d×%d after %v: %v, want %v", c.w, c.h, c.keys, got, c.want)
		}
	}
}

// TestEyeAtTheEnd: the samples of the last evaluation are shown as soon as the run has ended.
func TestEyeAtTheEnd(t *testing.T) {
	r := watchingEye(t, "shapes", false)
	last := *r.watch.Runs.Run().Eval
	last.Step++
	r.watch.Runs.Run().Eval = &last
	r.Round = time.Hour
	for i, status := range []runner.Status{runner.Running, runner.Done} {
		r.watch.Runs.Run().Status = status
		if cmd := r.watch.fetchEye(*r.Now); cmd != nil {
			r.Send(cmd())
		}
		shown := r.watch.Board.Eye.Evaluation(r.watch.Runs.Run().ID)
		if got := shown.Step; got != last.Step-1+int64(i) {
			t.Errorf("%s: the samples of step %d are shown, the last are of %d", status, got,
				last.Step)
		}
	}
}

// TestEyeTakesWhatMapsLeave: the eye is below the panels as soon as they keep the rows of a map
// with its ticks and its key, and takes none of these.
func TestEyeTakesWhatMapsLeave(t *testing.T) {
	r := watchingEye(t, "shapes", false)
	shown := 0
	for h := 30; h < 80; h++ {
		r.Size(120, h)
		l := r.watch.layout()
		least := l.panels[0].H
		for _, p := range l.panels {
			least = min(least, p.H)
		}
		want := len(r.watch.Runs.Run().Meta.Classes) + 3 + 2
		if l.eye.H > 0 && least < want {
			t.Errorf("%d lines: a panel has %d lines beside the eye, want %d", h, least, want)
		}
		if l.eye.H == 0 && r.watch.panelRows(10) >= want {
			t.Errorf("%d lines: no eye, though panels would keep %d lines", h,
				r.watch.panelRows(10))
		}
		if l.eye.H > 0 && shown == 0 {
			shown = h
		}
	}
	if shown == 0 || shown >= 54 {
		t.Errorf("the eye comes at %d lines, want fewer than 54", shown)
	}
}
