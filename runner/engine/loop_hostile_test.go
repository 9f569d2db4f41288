//go:build unix

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/engine"
	"drolab/runner/record"
)

// line is a message of a script that goes wrong.
type line struct {
	head   map[string]any
	arrays []bridge.Array
}

// wrong holds the messages of a script after its start, and the error that the script must get.
type wrong struct {
	want string
	say  []line
}

func floats(x ...float64) bridge.Array { return bridge.Floats(x) }
func ints(x ...int) bridge.Array       { return bridge.Ints(x) }

// openings returns starts that drolab refuses: by error, the changes to a good start.
func openings() map[string]map[string]any {
	settings := func(key string, value any) map[string]any {
		return map[string]any{"settings": map[string]any{"method": "sfk", key: value}}
	}
	samples := func(of map[string]int) map[string]any { return map[string]any{"samples": of} }
	return map[string]map[string]any{
		"it speaks version 9 of the protocol":      {"version": 9},
		`a script says "weights" first`:            {"do": "weights"},
		"rhoo":                                     settings("rhoo", 1),
		"a number > 0":                             settings("rho", -1),
		"expected the name of one method":          {"settings": map[string]any{}},
		"own network, data and batches":            settings("model", "linear"),
		"expected how many the training split has": samples(map[string]int{}),
		`not "dev"`:                                samples(map[string]int{"train": 99, "dev": 2}),
		"class_counts of the train split":          samples(map[string]int{"train": 99}),
		"expected 1 to 134217728":                  samples(map[string]int{"train": 1 << 40}),
		"expected last, or samples to validate on": samples(map[string]int{"train": 360}),
		"go back to its start": {"restart": false,
			"settings": statedSettings("jtt")},
		"but not both":                 {"resume": "x", "from": "y"},
		"resume: ":                     {"resume": "x"},
		"the better side of 65 values": {"higher": make([]string, 65)},
	}
}

// wrongs returns messages that drolab refuses, by name.
func wrongs() map[string]wrong {
	good := []bridge.Array{floats(1, 2), ints(0, 1), ints(0, 1)}
	ask := func(has ...string) map[string]any { return message("weights", "", has...) }
	weights := line{ask("losses", "label", "index"), good}
	given := func(arrays ...bridge.Array) []line { return []line{{weights.head, arrays}} }
	step := func(fresh []string, arrays ...bridge.Array) []line {
		m := message("step", "")
		m["fresh"] = fresh
		return []line{weights, {m, arrays}, weights}
	}
	drawn, n := []string{"losses"}, make([]int, 360)
	pass := func(do, split string, losses int, has ...string) []line {
		arrays := []bridge.Array{floats(make([]float64, losses)...)}
		for range has[1:] {
			arrays = append(arrays, ints(n[:losses]...))
		}
		return []line{{message(do, split, has...), arrays}}
	}
	one := func(head map[string]any, more ...line) []line {
		return append([]line{{head, nil}}, more...)
	}
	return map[string]wrong{
		"nonsense":   {"does not know", one(map[string]any{"do": "dance\x1b[31m"})},
		"no losses":  {"expected losses", []line{{ask("label"), good[1:2]}}},
		"none":       {"there are no losses", []line{{ask("losses"), []bridge.Array{floats()}}}},
		"nan":        {"sample 1 is NaN", given(floats(1, math.NaN()), good[1], good[2])},
		"label":      {"expected 0 to 1", given(good[0], ints(0, 2), good[2])},
		"index":      {"expected 0 to 359", given(good[0], good[1], ints(0, 360))},
		"length":     {"1 elements of type i8 where 2", given(good[0], ints(0), good[2])},
		"type":       {"whole numbers belong", given(good[0], floats(0, 1), good[2])},
		"arrays":     {"2 arrays, of which it names 3", given(good[:2]...)},
		"stranger":   {"drolab does not know", []line{{ask("losses", "col\x1b[1m\n"), good[:2]}}},
		"twice":      {"comes before the run.step", []line{weights, weights}},
		"no draw":    {"give run.step(fresh=draw)", step(nil, floats(.1, 1))},
		"bare":       {"no step size and norm", step(nil)},
		"rate":       {"lr is -1", step(drawn, floats(-1, 1), floats(1))},
		"norm":       {"norm is +Inf", step(drawn, floats(1, math.Inf(1)), floats(1))},
		"nan drawn":  {"sample 0 is NaN", step(drawn, floats(1, 1), floats(math.NaN()))},
		"step first": {"without run.weights before it", step(drawn, floats(1, 1), floats(1))[1:]},
		"short pass": {"which has 360", pass("epoch", "", 2, "losses", "label", "group")},
		"blind pass": {"give label", pass("evaluate", "test", 120, "losses")},
		"unjudged": {"give probability, or correct",
			pass("evaluate", "test", 120, "losses", "label", "group")},
		"no split": {"expected train, val or test", pass("evaluate", "dev", 2, "losses")},
		"twice a pass": {"sample 0 came twice",
			pass("epoch", "", 360, "losses", "label", "group", "index")},
		"names": {"expected at most 64", []line{
			{map[string]any{"do": "log", "names": make([]string, 65)}, good[:1]}, weights}},
		"names in a step": {"expected at most 64", []line{weights,
			{map[string]any{"do": "log", "names": make([]string, 65)}, good[:1]}, weights}},
		"twice strangely": {"comes before the run.step",
			[]line{weights, {map[string]any{"do": "x\x1b[1m\n"}, nil}}},
		"in a block": {"within the block of run.checkpoint",
			one(map[string]any{"do": "checkpoint"}, weights)},
		"end": {"expected done, stopped or failed",
			one(map[string]any{"do": "end", "status": "well"})},
		"fails": {"ValueError: no ?[31mroom", one(map[string]any{"do": "end", "status": "failed",
			"cause": "ValueError:\n no \x1b[31mroom"})},
	}
}

// TestRefused: a mistake of a script is reported in one line, which the script receives and its run
// records.
func TestRefused(t *testing.T) {
	for want, change := range openings() {
		refuse(t, want, change, wrong{want, nil})
	}
	for name, c := range wrongs() {
		refuse(t, name, nil, c)
	}
}

func refuse(t *testing.T, name string, change map[string]any, c wrong) {
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		r := runsDir(t.TempDir())
		told, tells := pipe(t)
		said, says := pipe(t)
		ended := make(chan error, 1)
		go func() { ended <- r.serve(context.Background(), told, says) }()
		s, err := newScript(said, tells, dro.SFK)
		if err != nil {
			t.Fatal(err)
		}
		for key, value := range change {
			s.opening[key] = value
		}
		_, err = s.ask(s.opening)
		for _, m := range c.say {
			if err != nil {
				break
			}
			do := m.head["do"]
			if err = s.tell(m.head, m.arrays...); err == nil && do != "step" && do != "log" {
				_, err = s.Receive(&s.hear, bridge.MostHead, bridge.MostBody)
			}
			if err == nil && s.hear.Error != "" {
				err = refused{s.hear.Error}
			}
		}
		tells.Close()
		ours := <-ended
		said.Close()
		for of, err := range map[string]error{"the script": err, "the run": ours} {
			wantError(t, of, err, c.want)
			wantLine(t, of, fmt.Sprint(err))
		}
		if !errors.As(err, &refused{}) {
			t.Errorf("the script has the error %v, want one that drolab has answered", err)
		}
		runs, _ := record.List(string(r))
		for _, run := range runs {
			wantStatus(t, "the run", run, runner.Failed)
			if cause := run.Summary().Cause; !strings.Contains(cause, c.want) {
				t.Errorf("the run has the cause %q, want one with %q", cause, c.want)
			}
			if _, err := os.Stat(filepath.Join(run.Dir, "scratch")); err == nil {
				t.Error("the scratch folder is left")
			}
		}
		if want := min(1, len(c.say)); len(runs) != want {
			t.Errorf("%d runs, want %d", len(runs), want)
		}
	})
}

// TestLongMessage: a message that is longer than the samples of the script allow ends the run
// before it is read.
func TestLongMessage(t *testing.T) {
	_, theirs, ours := runsDir(t.TempDir()).serveScript(t, dro.SFK, func(s *script) {
		s.trouble = func(messages int) {
			if messages == 2 {
				s.Send(message("weights", "", "losses"), floats(make([]float64, 1<<18)...))
			}
		}
	})
	if theirs == nil {
		t.Error("the script has no error")
	}
	wantError(t, "the run", ours, "its body has 2097152 bytes: expected at most 1077376")
}

// TestSavedIsBounded: the files that a script saves are refused if they are larger than the setting
// checkpoint_gb allows.
func TestSavedIsBounded(t *testing.T) {
	for gb, most := range map[float64]int64{100: 1 << 40, .001: 1e6 + 1} {
		_, theirs, ours := runsDir(t.TempDir()).serveScript(t, dro.ERM, func(s *script) {
			s.opening["settings"].(map[string]any)["checkpoint_gb"] = gb
			s.grows = most
		})
		for of, err := range map[string]error{"the script": theirs, "the run": ours} {
			what := fmt.Sprintf("%s, which saves %d bytes with %v GB allowed", of, most, gb)
			wantError(t, what, err, "setting checkpoint_gb")
		}
	}
}

// TestStopOfPacking: a script saves for a stop, and another stop ends the packing of files that
// take long.
func TestStopOfPacking(t *testing.T) {
	r := runsDir(t.TempDir())
	client := engine.NewClient(engine.Client{RunsDir: string(r),
		RuntimeDir: os.Getenv("XDG_RUNTIME_DIR")})
	stop := func() {
		run, err := record.Find(string(r), "latest")
		if err == nil {
			err = client.Stop(run.Meta.ID)
		}
		if err != nil {
			t.Error(err)
		}
	}
	var asking sync.WaitGroup
	var ended atomic.Bool // a full disk refuses the files before any is packed
	_, theirs, ours := r.serveScript(t, dro.ERM, func(s *script) {
		s.grows = 1 << 30
		once := false
		s.trouble = func(int) {
			if once || s.hear.Folder == "" { // it is not about to say that it has saved
				return
			}
			once = true
			stop()
			asking.Go(func() {
				for range await(t) {
					found, _ := filepath.Glob(string(r) + "/*/checkpoints/.new-*")
					if found != nil {
						stop()
					}
					if found != nil || ended.Load() {
						return
					}
				}
			})
		}
	})
	ended.Store(true)
	asking.Wait()
	for of, err := range map[string]error{"the script": theirs, "the run": ours} {
		wantError(t, of, err, "to stop at once: drolab.start(resume=...) continues from")
	}
}

// TestDiscarded: the files of a discarded checkpoint are gone when the script hears so. A script
// whose files cannot be removed hears that instead.
func TestDiscarded(t *testing.T) {
	t.Run("removed", func(t *testing.T) {
		_, theirs, ours := runsDir(t.TempDir()).serveScript(t, dro.ERM, func(s *script) {
			s.instead = func(folder string) error {
				_, err := s.ask(map[string]any{"do": "discard"})
				if _, gone := os.Stat(folder); !errors.Is(gone, os.ErrNotExist) {
					t.Errorf("after the answer %q, the folder is there: %v", s.hear.Error, gone)
				}
				return err
			}
		})
		if theirs != nil || ours != nil {
			t.Errorf("the script hears %v, the run ends with %v: want neither", theirs, ours)
		}
	})
	t.Run("left", func(t *testing.T) {
		const want = "checkpoint: the discarded files cannot be removed: "
		away := filepath.Join(t.TempDir(), "away")
		var answered error
		_, _, ours := runsDir(t.TempDir()).serveScript(t, dro.ERM, func(s *script) {
			s.instead = func(folder string) error {
				scratch := filepath.Dir(folder) // a file in its place refuses every removal in it
				err := errors.Join(os.Rename(scratch, away), os.WriteFile(scratch, nil, 0o600))
				if err != nil {
					t.Error(err)
				}
				_, answered = s.ask(map[string]any{"do": "discard"})
				return answered
			}
		})
		for of, err := range map[string]error{"answer": answered, "run": ours} {
			wantError(t, of, err, want)
		}
	})
}

// TestAbsent: a measure that a script gives nothing for is absent, and the log says so once.
func TestAbsent(t *testing.T) {
	for without, want := range map[string]struct{ warning, measure string }{
		"train":      {"no pass over the training split", "dual_gap"},
		"grad_norm":  {"no grad_norm", "grad_norm"},
		"batch":      {"a batch of the script has 32 samples", "excess_risk"},
		"confidence": {"val_auroc needs probabilities", "auroc"},
	} {
		r := runsDir(t.TempDir())
		id := r.train(t, dro.SFK, func(s *script) {
			settings := s.opening["settings"].(map[string]any)
			switch s.without = without; without {
			case "batch":
				delete(settings, without)
			case "confidence":
				settings["select"] = "val_auroc"
			}
		})
		text, err := os.ReadFile(filepath.Join(string(r), id, "events.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), want.warning); n != 1 {
			t.Errorf("without %s the log says %q %d times, want once", without, want.warning, n)
		}
		run, err := record.Find(string(r), id)
		if err != nil {
			t.Fatal(err)
		}
		wantStatus(t, "without "+without, run, runner.Done)
		s := run.Summary()
		if got := s.Named(want.measure); got.Applies() {
			t.Errorf("without %s: %s = %v, want none", without, want.measure, got)
		}
		if !s.Named("test_accuracy").Applies() {
			t.Errorf("without %s: test_accuracy is missing", without)
		}
		if absent := without == "grad_norm"; (s.PaperIterate == nil) != absent {
			t.Errorf("without %s: the iterate of the paper is %v, want it absent: %v", without,
				s.PaperIterate, absent)
		}
	}
}

// TestMoreSteps: a script that takes more steps than were planned is told so, once. It has no
// patience that could end.
func TestMoreSteps(t *testing.T) {
	const want = "more than the 15 steps that were planned (epochs=3, steps_per_epoch=5)"
	r := runsDir(t.TempDir())
	id := r.train(t, dro.ERM, func(s *script) {
		s.opening["steps_per_epoch"] = 5 // it takes 11
		settings := s.opening["settings"].(map[string]any)
		settings["schedule"], settings["log_every"] = "linear", 7
	})
	text, err := os.ReadFile(filepath.Join(string(r), id, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for said, times := range map[string]int{want: 1, "patience": 0, `"type":"warning"`: 1} {
		if n := strings.Count(string(text), said); n != times {
			t.Errorf("the log has %q %d times: want %d", said, n, times)
		}
	}
	var steps []string // step 15 is the planned last one, and step 33 the last
	for name := range r.log(t, id) {
		if strings.HasPrefix(name, "step ") {
			steps = append(steps, strings.TrimPrefix(name, "step "))
		}
	}
	slices.Sort(steps)
	if got, want := strings.Join(steps, " "), "14 15 21 28 33 7"; got != want {
		t.Errorf("steps %s are logged: want %s", got, want)
	}
}

// mutator changes bytes of one of the writes that pass through it.
type mutator struct {
	io.Writer
	rng  *rand.Rand
	left int // writes up to the changed one
}

func (m *mutator) Write(b []byte) (int, error) {
	n := len(b)
	if m.left--; m.left == 0 {
		b = append([]byte(nil), b...)
		switch m.rng.IntN(4) {
		case 0:
			b = b[:m.rng.IntN(len(b))]
		case 1:
			b = append(b[:m.rng.IntN(len(b))], make([]byte, 40)...)
		default:
			for range 1 + m.rng.IntN(4) {
				b[m.rng.IntN(min(len(b), 1+m.rng.IntN(300)))] = byte(m.rng.Uint32())
			}
		}
	}
	m.Writer.Write(b)
	return n, nil
}

// TestMutatedFrames changes bytes of a frame on its way to drolab. The run ends in one line, or is
// interrupted when the script goes, or goes on, but never panics or waits without end.
func TestMutatedFrames(t *testing.T) {
	most := testsize.Pick(20, 40, 1000)
	var noticed atomic.Int64
	t.Run("seeds", func(t *testing.T) {
		for part := range 2 {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				r := runsDir(t.TempDir())
				for i := part; i < most; i += 2 {
					rng := rand.New(rand.NewPCG(uint64(i), 5))
					told, tells := pipe(t)
					said, says := pipe(t)
					ended := make(chan error, 1)
					go func() { ended <- r.serve(context.Background(), told, says) }()
					to := &mutator{Writer: tells, rng: rng, left: 1 + rng.IntN(40)}
					s, err := newScript(said, to, dro.SFK)
					if err != nil {
						t.Fatal(err)
					}
					// Either side may wait for the rest of a frame that never comes.
					s.trouble = func(int) {
						said.SetReadDeadline(time.Now().Add(30 * time.Millisecond))
					}
					s.run()
					tells.Close()
					if err := <-ended; err != nil {
						noticed.Add(1)
						wantLine(t, fmt.Sprint("seed ", i), err.Error())
						if n := len(err.Error()); n > 600 {
							t.Errorf("seed %d: an error of %d bytes, want at most 600: %q", i, n,
								err)
						}
					}
					said.Close()
				}
				if found, _ := filepath.Glob(filepath.Join(string(r), ".panic*")); len(found) > 0 {
					t.Errorf("panics: %q", found)
				}
			})
		}
	})
	if n := int(noticed.Load()); n < most/4 {
		t.Errorf("of %d mutated frames %d are noticed, want %d or more", most, n, most/4)
	}
}
