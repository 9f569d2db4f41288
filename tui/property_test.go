package tui

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/record/recordtest"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// TestRandom presses random keys on screens of random sizes while runs go on.
func TestRandom(t *testing.T) {
	for seed := range uint64(6) {
		if testing.Short() && seed%3 > 0 { // one without groups and one with them
			continue
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, 1))
			environ := [][]string{nil, {"DROLAB_ASCII=1"}, {"NO_COLOR=1"}}[seed%3]
			s := tuitest.NewScript(t)
			if seed >= 3 { // with groups, a validation split and a selection
				s = tuitest.NewGroupScript(t)
			}
			r := newDriver(t, s, 80, 24, environ...)
			var keys []string
			for _, page := range r.keys {
				for _, b := range page {
					keys = append(keys, b.Keys.Keys()...)
				}
			}
			keys = append(keys, "0", "A", "é", "世", "-", ".", "y", "2", "2", "backspace")
			steps := 250
			if testing.Short() {
				steps = 12
			}
			for i := range steps {
				what := r.stir(rng, keys)
				if i%2 == 0 {
					r.fits(t, what)
				}
			}
		})
	}
}

// stir does one random thing and returns its description.
func (r *driver) stir(rng *rand.Rand, keys []string) string {
	x, y := rng.IntN(r.w+2), rng.IntN(r.h+2)
	switch n := rng.IntN(20); {
	case n < 10:
		k := keys[rng.IntN(len(keys))]
		r.Press(k)
		return "key " + k
	case n < 12:
		r.size(1+rng.IntN(220), 1+rng.IntN(70))
		return fmt.Sprintf("size %dx%d", r.w, r.h)
	case n < 13:
		r.size(40+rng.IntN(40), 12+rng.IntN(12))
		return "small size"
	case n < 14:
		r.Send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
		return fmt.Sprintf("click %d %d", x, y)
	case n < 15:
		r.Send(tea.MouseWheelMsg{X: x, Y: y, Button: []tea.MouseButton{tea.MouseWheelUp,
			tea.MouseWheelDown}[rng.IntN(2)]})
		return fmt.Sprintf("wheel %d %d", x, y)
	case n < 16:
		r.Send(tea.PasteMsg{Content: "rho=0.5\x1b[2J\nμ\x00"})
		return "paste"
	case n < 17:
		r.Send([]tea.Msg{tea.BlurMsg{}, tea.FocusMsg{}}[rng.IntN(2)])
		return "focus"
	}
	r.Wait(time.Duration(rng.IntN(2000))*time.Millisecond, time.Second/5)
	return "wait"
}

// TestHostile opens run directories that somebody else's program wrote.
func TestHostile(t *testing.T) {
	s := tuitest.NewScript(t)
	dir := string(s.Folder)
	for id := range s.Logs {
		s.Logs[id] = hostileEvents(s.Logs[id])
	}
	nasty := map[string]string{
		"1-garbage/run.json":   "\x00\x1b[31m{{{",
		"2-empty/events.jsonl": "",
		"3-dir/run.json/x":     "",
		"4-huge/run.json": `{"spec":{"algorithms":["sfk"]},"preset":"` +
			strings.Repeat("A", 1<<20) + `"}`,
		"4-huge/events.jsonl": strings.Repeat("x", 3<<20) + "\n" +
			`{"seq":1,"type":"status","status":"running"}` + "\n",
		"5-\x1b[2J/run.json": `{"spec":{"algorithms":["\u001b[2J"],"epochs":-5},` +
			`"preset":"\u001b]0;x\u0007","classes":["\u001b[1m"],"steps":-1,"steps_per_epoch":-9}`,
		"5-\x1b[2J/events.jsonl": `{"seq":1,"type":"warning","step":-9223372036854775808,` +
			`"message":"\u001b[2J\u202e"}` + "\n",
		"6-nan/run.json": `{"spec":{"algorithms":["pgd"]},` +
			`"box":{"Lambda":[1,-1],"Eta":[0,0]}}`,
		"6-nan/events.jsonl": `{"seq":1,"type":"step","step":9223372036854775807,` +
			`"loss":"NaN","lambda":"+Inf","eta":1e308}` + "\n",
		"7-none/run.json": `{"spec":{"algorithms":[]}}`,
		"8-nogroups/run.json": `{"spec":{"algorithms":["erm"]},` +
			`"groups":null,"train_counts":[-1]}`,
		"8-nogroups/events.jsonl": `{"seq":1,"type":"eval","step":5,` +
			`"class_accuracy":[1e300,"-Inf",null,2,3],"class_weight":["NaN"]}` + "\n",
		"9-secret/run.json":        `{"spec":{"algorithms":["sfk"]}}`,
		"9-secret/checkpoints/a/b": "",
	}
	for name, text := range nasty {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := newDriver(t, s, 100, 30)
	for _, page := range []string{"1", "2", "3", "4"} {
		r.Press(page)
		r.fits(t, "page "+page)
		for _, size := range testsize.Few(1, tuitest.Sizes()...) {
			r.size(size[0], size[1])
			r.Wait(time.Second, time.Second/5)
			r.fits(t, "page "+page)
		}
	}
	// The real directories, one after the other, in all panels.
	r.Source = s.Folder
	runs, problems := s.List()
	if len(problems) == 0 {
		t.Fatal("no directory was refused: the test's files are not tuitest.Hostile enough")
	}
	for _, run := range runs {
		r.Press("esc")
		r.Send(lab.Watch{IDs: []string{run.Meta.ID}})
		for range 6 { // panels
			r.Press("tab", "f", "a", "l", "w", "z")
			r.Wait(time.Second, time.Second/2)
			r.fits(t, "run "+run.Meta.ID)
		}
		r.Press("i")
		r.fits(t, "definitions of "+run.Meta.ID)
	}
}

// hostileEvents replaces the numbers and texts of a log by the worst that a log can hold.
func hostileEvents(events []runner.Event) []runner.Event {
	bad := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e308, -1e308, 0}
	for i, e := range events {
		switch e := e.(type) {
		case *runner.StepEvent:
			for j, name := range []string{"loss", "lambda", "eta"} {
				e.Set(name, measure.Num(bad[(i+j)%6]))
			}
			e.Min.Set("loss", measure.Num(bad[(i+3)%6]))
			e.Max.Set("loss", measure.Num(bad[(i+4)%6]))
			e.ImagesPerSecond = measure.Num(bad[(i+5)%6])
		case *runner.EvalEvent:
			e.ByGroup.Set("class_accuracy", e.ByGroup.Named("class_accuracy")[:i%10])
			e.ByGroup.Set("class_weight",
				append(e.ByGroup.Named("class_weight"), measure.Num(bad[i%6]), measure.Number{}))
			e.Set("test_loss", measure.Num(bad[i%6]))
			e.Set("test_accuracy", measure.Num(bad[(i+1)%6]))
		case *runner.WarningEvent:
			e.Message = tuitest.Hostile + strings.Repeat(tuitest.Hostile, 200)
		case *runner.StatusEvent:
			e.Status, e.Cause = runner.Status(tuitest.Hostile), tuitest.Hostile
		}
	}
	back := *events[len(events)-1].Header()
	back.Step, back.Time = -5, back.Time.Add(time.Second)
	return append(events, &runner.ResumeEvent{Head: back})
}

// TestRunsHostile: run directories that another program wrote are listed, filtered, sorted,
// compared and used for estimates without harm.
func TestRunsHostile(t *testing.T) {
	dir := t.TempDir()
	put := func(id string, m *runner.Meta, s *runner.Summary) {
		a := tuitest.Archive{Folder: lab.Folder(dir)}
		s.Status = runner.Done
		a.Add(t, id, m, runner.Done, "")
		rewrite(t, filepath.Join(dir, id, "summary.json"), s)
	}
	bad := tuitest.Archived(dro.SFK, 1, tuitest.Hostile, tuitest.Epoch0())
	bad.Spec.Dataset, bad.Spec.Model = tuitest.Hostile, tuitest.Hostile
	bad.Spec.Uncertainty = tuitest.Hostile
	bad.Groups = []string{tuitest.Hostile, "", strings.Repeat("世", 300)}
	bad.Host.Version, bad.Host.CPU = tuitest.Hostile, tuitest.Hostile
	put("a", bad, &runner.Summary{Cause: tuitest.Hostile,
		Results: runner.Results{
			Measures: measure.Values{
				{Name: "test_loss", Number: measure.Num(-1e308)},
				{Name: "worst_class_accuracy", Number: measure.Num(1e300)},
			},
			ByGroup: measure.Lists{{Name: "class_accuracy",
				Numbers: []measure.Number{measure.Num(1e300)}}}}})
	odd := tuitest.Archived(dro.PGD, 1<<63, strings.Repeat("long", 400),
		tuitest.Epoch0().Add(-1<<40))
	odd.Spec.ValFraction, odd.Spec.Epochs, odd.ClassCounts.Train = 1, -1<<62, []int{-5}
	put("b", odd, &runner.Summary{ImagesPerSecond: measure.Num(1e-300), Epochs: -1e300,
		Steps: -1 << 62})
	put("c", tuitest.Archived(dro.ERM, 1, "shapes", tuitest.Epoch0()), &runner.Summary{
		Results: runner.Results{ByGroup: measure.Lists{{Name: "class_accuracy",
			Numbers: make([]measure.Number, 5000)}}}})
	recordtest.Reseal(t, dir)
	for name, text := range map[string]string{"garbage": "\x00{{", "empty": "", "x\x1b[2J": "[]"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, name, "run.json")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, environ := range testsize.Few(1, nil, []string{"DROLAB_ASCII=1"}) {
		r := browsing(t, lab.Folder(dir), "3", 120, 40, environ...)
		if s := tuitest.Text(r.shot(t)); !strings.Contains(s, " 3 unreadable ") {
			t.Fatalf("not three runs and three problems:\n%s", s)
		}
		for _, size := range testsize.Few(1, tuitest.Sizes()...) {
			r.size(size[0], size[1])
			for _, k := range []string{"3", "down", "down", "s", "space", "/", "a", "enter", "esc",
				"a", "D", "esc", "c", "v", "down", "m", "v", "right", "3", "1", "tab", "down"} {
				r.Press(k)
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
