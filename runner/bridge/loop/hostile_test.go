//go:build unix

package loop_test

import (
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/bridge/internal/frame"
	"drolab/runner/record"
)

// TestRefused: what a script gets wrong is one line, which it hears and its run keeps.
func TestRefused(t *testing.T) {
	floats := func(x ...float64) frame.Array { return frame.Floats(x) }
	ints := func(x ...int) frame.Array { return frame.Ints(x) }
	weights := message("weights", "", "losses", "label", "index")
	good := []frame.Array{floats(1, 2), ints(0, 1), ints(0, 1)}
	type said struct {
		head   any
		arrays []frame.Array
	}
	step := said{message("step", "", "losses"), []frame.Array{floats(.1, 1), floats(1)}}
	for name, c := range map[string]struct {
		opening map[string]any // what is changed there
		say     []said
		want    string
	}{
		"version":      {map[string]any{"version": 9}, nil, "it speaks version 9 of the protocol"},
		"no start":     {map[string]any{"do": "weights"}, nil, "a script says \"weights\" first"},
		"setting":      {map[string]any{"settings": map[string]any{"method": "sfk", "rhoo": 1}}, nil, "rhoo"},
		"value":        {map[string]any{"settings": map[string]any{"method": "sfk", "rho": -1}}, nil, "a number > 0"},
		"methods":      {map[string]any{"settings": map[string]any{}}, nil, "want one of the methods"},
		"model":        {map[string]any{"settings": map[string]any{"method": "sfk", "model": "linear"}}, nil, "own network and data"},
		"no samples":   {map[string]any{"samples": map[string]int{}}, nil, "want how many the training split has"},
		"a split":      {map[string]any{"samples": map[string]int{"train": 99, "dev": 2}}, nil, "not \"dev\""},
		"counts":       {map[string]any{"samples": map[string]int{"train": 99}}, nil, "class_counts of the train split"},
		"huge":         {map[string]any{"samples": map[string]int{"train": 1 << 40}}, nil, "want 1 to 134217728"},
		"no restart":   {map[string]any{"restart": false, "settings": map[string]any{"method": "jtt"}}, nil, "go back to its start"},
		"select":       {map[string]any{"samples": map[string]int{"train": 360}}, nil, "want last, or samples to validate on"},
		"both":         {map[string]any{"resume": "x", "from": "y"}, nil, "and not both"},
		"no run":       {map[string]any{"resume": "x"}, nil, "resume: "},
		"nonsense":     {nil, []said{{map[string]any{"do": "dance\x1b[31m"}, nil}}, "does not know"},
		"no losses":    {nil, []said{{message("weights", "", "label"), good[1:2]}}, "want losses"},
		"none":         {nil, []said{{message("weights", "", "losses"), []frame.Array{floats()}}}, "there are no losses"},
		"nan":          {nil, []said{{weights, []frame.Array{floats(1, math.NaN()), good[1], good[2]}}}, "the loss of its sample 1 is NaN"},
		"label":        {nil, []said{{weights, []frame.Array{good[0], ints(0, 2), good[2]}}}, "want 0 to 1"},
		"index":        {nil, []said{{weights, []frame.Array{good[0], good[1], ints(0, 360)}}}, "want 0 to 359"},
		"length":       {nil, []said{{weights, []frame.Array{good[0], ints(0), good[2]}}}, "1 elements of type i8 where 2"},
		"type":         {nil, []said{{weights, []frame.Array{good[0], floats(0, 1), good[2]}}}, "whole numbers belong"},
		"arrays":       {nil, []said{{weights, good[:2]}}, "2 arrays, of which it names 3"},
		"stranger":     {nil, []said{{message("weights", "", "losses", "colour"), good[:2]}}, "an array that drolab does not know"},
		"twice":        {nil, []said{{weights, good}, {weights, good}}, "comes before the run.step"},
		"no draw":      {nil, []said{{weights, good}, {message("step", ""), step.arrays[:1]}, {weights, good}}, "give run.step(fresh=draw)"},
		"step first":   {nil, []said{step, {weights, good}}, "without run.weights before it"},
		"rate":         {nil, []said{{weights, good}, {step.head, []frame.Array{floats(-1, 1), floats(1)}}, {weights, good}}, "lr is -1"},
		"norm":         {nil, []said{{weights, good}, {step.head, []frame.Array{floats(1, math.Inf(1)), floats(1)}}, {weights, good}}, "gradient norm is +Inf"},
		"bare step":    {nil, []said{{weights, good}, {message("step", ""), nil}, {weights, good}}, "no step size and norm"},
		"short pass":   {nil, []said{{message("epoch", "", "losses", "label", "group"), []frame.Array{good[0], good[1], good[1]}}}, "2 samples of the train split came, which has 360"},
		"blind pass":   {nil, []said{{message("evaluate", "test", "losses"), []frame.Array{floats(make([]float64, 120)...)}}}, "give label"},
		"unjudged":     {nil, []said{{message("evaluate", "test", "losses", "label", "group"), []frame.Array{floats(make([]float64, 120)...), ints(make([]int, 120)...), ints(make([]int, 120)...)}}}, "give probability, or correct"},
		"no split":     {nil, []said{{message("evaluate", "dev", "losses"), good[:1]}}, "want train, val or test"},
		"twice a pass": {nil, []said{{message("epoch", "", "losses", "label", "index", "group"), []frame.Array{floats(make([]float64, 360)...), ints(make([]int, 360)...), ints(make([]int, 360)...), ints(make([]int, 360)...)}}}, "sample 0 came twice"},
		"names":        {nil, []said{{map[string]any{"do": "log", "names": make([]string, 65)}, good[:1]}, {weights, good}}, "want at most 64"},
		"in a block":   {nil, []said{{map[string]any{"do": "checkpoint"}, nil}, {weights, good}}, "comes within the block of run.checkpoint"},
		"end":          {nil, []said{{map[string]any{"do": "end", "status": "well"}, nil}}, "want done, stopped or failed"},
		"fails":        {nil, []said{{map[string]any{"do": "end", "status": "failed", "cause": "ValueError:\n no \x1b[31mroom"}, nil}}, "ValueError: no ?[31mroom"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := room(t.TempDir())
			told, tells := pipe(t)
			said, says := pipe(t)
			ended := make(chan error, 1)
			go func() { ended <- r.serve(context.Background(), told, says) }()
			s, err := newScript(said, tells, dro.SFK)
			if err != nil {
				t.Fatal(err)
			}
			for key, value := range c.opening {
				s.opening[key] = value
			}
			_, err = s.ask(s.opening)
			for _, m := range c.say {
				if err != nil {
					break
				}
				do := m.head.(map[string]any)["do"]
				if err = s.tell(m.head, m.arrays...); err == nil && do != "step" && do != "log" {
					_, err = s.Receive(&s.hear)
				}
				if err == nil && s.hear.Error != "" {
					err = refused{s.hear.Error}
				}
			}
			tells.Close()
			ours := <-ended
			said.Close()
			for _, err := range []error{err, ours} {
				if err == nil || !strings.Contains(err.Error(), c.want) ||
					strings.ContainsAny(err.Error(), "\n\x1b") {
					t.Errorf("%v, want %q", err, c.want)
				}
			}
			if !errors.As(err, &refused{}) {
				t.Errorf("the script hears %v", err)
			}
			runs, _ := record.List(string(r))
			for _, run := range runs {
				if run.Status() != runner.Failed || !strings.Contains(run.Summary().Cause, c.want) {
					t.Errorf("it is %s: %q", run.Status(), run.Summary().Cause)
				}
				if _, err := os.Stat(filepath.Join(run.Dir, "scratch")); err == nil {
					t.Error("the scratch folder is left")
				}
			}
			if len(runs) != min(1, len(c.say)) {
				t.Errorf("%d runs", len(runs))
			}
		})
	}
}

// TestAbsent: what a script does not give is absent, and said once.
func TestAbsent(t *testing.T) {
	for without, want := range map[string]struct{ warning, measure string }{
		"train":     {"no pass over the training split", "dual_gap"},
		"grad_norm": {"no grad_norm", "grad_norm"},
	} {
		r := room(t.TempDir())
		id := r.well(t, dro.SFK, func(s *script) { s.without = without })
		text, err := os.ReadFile(filepath.Join(string(r), id, "events.jsonl"))
		if n := strings.Count(string(text), want.warning); err != nil || n != 1 {
			t.Errorf("without %s %q is said %d times: %v", without, want.warning, n, err)
		}
		run, err := record.Find(string(r), id)
		if err != nil {
			t.Fatal(err)
		}
		if s := run.Summary(); s.Status != runner.Done || s.Of(want.measure).Applies() ||
			!s.Of("test_accuracy").Applies() || (s.PaperIterate == nil) != (without == "grad_norm") {
			t.Errorf("without %s: %s, %v", without, s.Status, s.PaperIterate)
		}
	}
}

// mutator changes bytes of one of the writes that pass through it.
type mutator struct {
	io.Writer
	rng  *rand.Rand
	left int // writes before
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

// TestMutatedFrames changes bytes of a frame on its way to drolab: the run ends in one line, or is
// left when the script goes, or goes on; never in a panic or a wait without end.
func TestMutatedFrames(t *testing.T) {
	most := 1000
	if testing.Short() || os.Getenv("DROLAB_LONG") == "" {
		most = 40
	}
	var noticed atomic.Int64
	t.Run("seeds", func(t *testing.T) {
		for part := range 2 {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				r := room(t.TempDir())
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
					// Either side may wait for the rest of a frame that is no more.
					s.trouble = func(int) { said.SetReadDeadline(time.Now().Add(30 * time.Millisecond)) }
					s.run()
					tells.Close()
					if err := <-ended; err != nil {
						noticed.Add(1)
						if strings.ContainsAny(err.Error(), "\n\x1b") || len(err.Error()) > 600 {
							t.Errorf("seed %d: %q", i, err)
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
		t.Errorf("of %d mutated frames %d are noticed", most, n)
	}
}
