//go:build unix

package pythontest

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"drolab/runner/bridge"

	"github.com/google/go-cmp/cmp"
)

const job = "peer/job.py"

// rule returns a step of size lr, with gradients clipped to the length clip.
func rule(lr, clip float64) bridge.Array { return bridge.Floats([]float64{lr, 0.9, 0, clip}) }

// places returns n samples, different ones at each step.
func places(step, n, of int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i * (step + 3) % of
	}
	return list
}

// ramp returns the weights i/by.
func ramp(n int, by float64) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = float64(i) / by
	}
	return list
}

func losses(split string, epoch int) message {
	return message{"do": "losses", "split": split, "epoch": epoch}
}

func mode(name string) message { return message{"do": "mode", "mode": name} }

// gradient gives weights and step asks for a step; both apply to the last losses.
func (p *program) gradient(weights []float64, add bool) {
	p.t.Helper()
	p.tell(message{"do": "gradient", "add": add}, bridge.Floats(weights))
}

func (p *program) step(lr, clip float64) float64 {
	p.t.Helper()
	return p.numbers(message{"do": "step"}, rule(lr, clip))[0]
}

// near compares numbers with a relative tolerance.
func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) || len(got) == 0 {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if d := math.Abs(got[i] - w); !(d <= tolerance*max(1, math.Abs(w))) {
			t.Fatalf("%s %d is %v, want %v", what, i, got[i], w)
		}
	}
}

// TestSameNumbersAsPyTorch: losses, norms, probabilities and the fresh draw agree with a loop in
// bare PyTorch that has the same weights and an optimiser with two step sizes.
func TestSameNumbersAsPyTorch(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out.json")
	folder, err := filepath.Abs("peer")
	must(t, err)
	if status, text := order(t, "peer/plain.py", out, "0.05", folder); status != 0 {
		t.Fatalf("plain.py ends with the status %d, want 0:\n%s", status, text)
	}
	text, err := os.ReadFile(out)
	must(t, err)
	var want struct {
		Losses, Norms, Probe, Probabilities []float64
		Norm                                float64
	}
	must(t, json.Unmarshal(text, &want))

	p := begin(t, job, "optimizer=sgd", "dropout=0", "noise=false")
	var all, norms, probed []float64
	for s := range 20 {
		index := bridge.Ints(places(s, 32, 300))
		all = append(all, p.numbers(losses("train", 0), index)...)
		p.gradient(ramp(32, 16), false)
		norms = append(norms, p.step(0.05, 0.5))
		p.tell(mode("probe"))
		probed = append(probed, p.numbers(losses("train", 0), index)...)
		p.tell(mode("train"))
	}
	near(t, "the loss", all, want.Losses, 1e-5)
	near(t, "the norm", norms, want.Norms, 1e-5)
	near(t, "the loss of the fresh draw", probed, want.Probe, 1e-5)

	p.tell(mode("evaluate"))
	index := bridge.Ints(places(-2, 100, 100))
	p.ask(losses("test", 0), index)
	_, got := p.ask(message{"do": "outputs",
		"want": []string{"classes", "confidences", "probabilities"}})
	probabilities, confidences := make([]float64, 200), make([]float64, 100)
	classes := make([]int, 100)
	must(t, got[0].Ints(classes, 2))
	must(t, got[1].Floats(confidences))
	must(t, got[2].Floats(probabilities))
	near(t, "the probability", probabilities, want.Probabilities, 1e-5)
	for i, c := range classes {
		row := probabilities[2*i : 2*i+2]
		if want := slices.Max(row); confidences[i] != want {
			t.Errorf("sample %d: confidence %v, want the greatest of %v", i, confidences[i], row)
		}
		if row[c] != confidences[i] {
			t.Errorf("sample %d: class %d of %v, want the one with %v", i, c, row, confidences[i])
		}
	}
	// The gradient of an evaluation, by halves: the second half is added.
	p.gradient(ramp(100, 100), false)
	p.ask(losses("test", 0), index)
	p.gradient(ramp(100, 100), true)
	near(t, "the norm", p.numbers(message{"do": "norm"}), []float64{want.Norm}, 1e-5)
	p.close()
}

// trained takes some steps, each with a fresh draw, and returns all their numbers.
func trained(p *program, from, to int) (list []float64) {
	p.t.Helper()
	for s := from; s < to; s++ {
		x, z := bridge.Ints(places(s, 32, 300)), bridge.Ints(places(s+1, 16, 300))
		p.tell(message{"do": "next", "split": "train", "epoch": s, "mode": "train"}, x)
		p.tell(message{"do": "next", "split": "train", "epoch": s, "mode": "probe"}, z)
		p.tell(mode("train"))
		list = append(list, p.numbers(losses("train", s), x)...)
		p.gradient(ramp(32, 16), false)
		list = append(list, p.step(0.02, 0))
		p.tell(mode("probe"))
		list = append(list, p.numbers(losses("train", s), z)...)
	}
	p.tell(mode("train"))
	return list
}

// TestResume: a program that has loaded a checkpoint goes on with the same bits, with dropout,
// augmentation and the moments of its optimiser. The checkpoint holds the picked network.
func TestResume(t *testing.T) {
	for _, words := range [][]string{{}, {"optimizer=sgd", "workers=2"}, {"micro=10"}} {
		p, folder := begin(t, job, words...), t.TempDir()
		trained(p, 0, 4)
		p.ask(message{"do": "pick"})
		trained(p, 4, 6)
		p.ask(message{"do": "save", "folder": folder})
		want := trained(p, 6, 12)
		p.ask(message{"do": "swap"})
		p.tell(mode("evaluate"))
		want = append(want, p.numbers(losses("test", 0), bridge.Ints(places(0, 50, 100)))...)
		p.close()

		again := begin(t, job, words...)
		again.ask(message{"do": "load", "folder": folder})
		got := trained(again, 6, 12)
		again.ask(message{"do": "swap"})
		again.tell(mode("evaluate"))
		got = append(got, again.numbers(losses("test", 0), bridge.Ints(places(0, 50, 100)))...)
		again.close()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v: the numbers of the resumed run differ (-want +got):\n%s", words, diff)
		}
	}
}

// TestWrappers: a checkpoint of a compiled network, or of one in DDP, fits the bare network, and
// the reverse.
func TestWrappers(t *testing.T) {
	words := []string{"dropout=0", "noise=false"}
	for _, wrapped := range []string{"wrapped=compile", "wrapped=ddp"} {
		var saved [2]string
		var want []float64
		for i, w := range [][]string{words, append([]string{wrapped}, words...)} {
			saved[i] = t.TempDir()
			p := begin(t, job, w...)
			trained(p, 0, 3)
			p.ask(message{"do": "save", "folder": saved[i]})
			want = trained(p, 3, 5)
			p.close()
		}
		for i, w := range [][]string{append([]string{wrapped}, words...), words} {
			p := begin(t, job, w...)
			p.ask(message{"do": "load", "folder": saved[i]})
			near(t, wrapped, trained(p, 3, 5), want, 1e-6)
			p.close()
		}
	}
}

// TestFork: the optimiser settings that a fork changes take precedence over the checkpoint's.
func TestFork(t *testing.T) {
	folder := t.TempDir()
	p := begin(t, job, "optimizer=sgd", "dropout=0")
	trained(p, 0, 2)
	p.ask(message{"do": "save", "folder": folder})
	want := trained(p, 2, 5)
	p.close()
	for momentum, same := range map[float64]bool{0.9: true, 0.5: false} {
		p := start(t, job, "optimizer=sgd", "dropout=0")
		p.ask(greeting(message{"momentum": momentum, "lr": 0.3}, "optimizer=sgd", "dropout=0"))
		p.ask(message{"do": "load", "folder": folder})
		if got := trained(p, 2, 5); slices.Equal(got, want) != same {
			t.Errorf("momentum %v: the same numbers: %v", momentum, !same)
		}
		p.close()
	}
}

// TestAugmentation: the augmentation depends on the seed, the epoch and the sample, but not on the
// number of workers or the order of reading. Evaluations have none.
func TestAugmentation(t *testing.T) {
	var want []float64
	for _, workers := range []string{"workers=0", "workers=1", "workers=3"} {
		p := begin(t, job, workers, "dropout=0")
		got := trained(p, 0, 5)
		if want == nil {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: the numbers differ from those without workers (-want +got):\n%s",
				workers, diff)
		}
		ahead := bridge.Ints([]int{5, 6})
		p.tell(message{"do": "next", "split": "train", "epoch": 9, "mode": "train"}, ahead)
		p.tell(mode("probe"))
		at := func(epoch int, index ...int) []float64 {
			return p.numbers(losses("train", epoch), bridge.Ints(index))
		}
		a, b, c := at(1, 5, 6, 7), at(1, 5, 6, 7), at(2, 5, 6, 7)
		if !slices.Equal(a, b) {
			t.Errorf("%s: the losses of an epoch are %v and then %v, want the same", workers, a, b)
		}
		if slices.Equal(a, c) {
			t.Errorf("%s: the losses are %v in two epochs, want other augmentations", workers, a)
		}
		p.tell(mode("evaluate"))
		if d, e := at(1, 5, 6), at(2, 5, 6); !slices.Equal(d, e) {
			t.Errorf("%s: the same samples are evaluated as %v and then as %v, want the same",
				workers, d, e)
		}
		p.close()
	}
}

// TestMicrobatch: a batch in parts is weighted as a whole batch.
func TestMicrobatch(t *testing.T) {
	whole, parts := begin(t, job, "norm=false", "dropout=0"),
		begin(t, job, "norm=false", "dropout=0", "micro=7")
	near(t, "number", trained(parts, 0, 8), trained(whole, 0, 8), 1e-4)
	whole.close()
	parts.close()
}

// TestLoneSample: no part of a batch has a single sample, unless the program asks for one.
func TestLoneSample(t *testing.T) {
	for micro, want := range map[string]string{"micro=31": "", "micro=3": "", "micro=2": "",
		"micro=1": "raise microbatch"} {
		p := begin(t, job, micro, "dropout=0")
		p.tell(losses("train", 0), bridge.Ints(places(0, 31, 300)))
		said, _ := p.answer()
		line, _ := said["error"].(string)
		if want != "" {
			wantLine(t, micro, line, want)
			continue
		}
		p.gradient(ramp(31, 16), false)
		p.ask(losses("train", 0), bridge.Ints(places(0, 32, 300)))
		p.gradient(ramp(32, 16), false)
		p.step(0.02, 0)
		p.ask(losses("train", 0), bridge.Ints(places(0, 4, 300)))
		p.gradient(ramp(4, 4), false)
		p.step(0.02, 0)
		p.close()
	}
}

// TestAccumulate checks the two halves of a step of normalised momentum by their norms.
func TestAccumulate(t *testing.T) {
	p := begin(t, job, "dropout=0", "noise=false", "norm=false")
	index := bridge.Ints(places(0, 32, 300))
	accumulate := func() []float64 {
		p.ask(losses("train", 0), index)
		p.gradient(ramp(32, 16), false)
		return p.numbers(message{"do": "accumulate"}, rule(0.1, 0))
	}
	first := p.numbers(losses("train", 0), index)
	a := accumulate()
	b := accumulate() // x has not moved
	near(t, "‖g‖", b[:1], a[:1], 1e-6)
	near(t, "‖v‖", []float64{a[1], b[1]}, []float64{0.1 * a[0], 0.19 * a[0]}, 1e-5)
	p.ask(message{"do": "advance"}, bridge.Floats([]float64{0.5}))
	if second := p.numbers(losses("train", 0), index); slices.Equal(first, second) {
		t.Error("advance does not move x")
	}
	p.close()
}

// TestRestart: a restart gives the first network and a new optimiser, to the bit.
func TestRestart(t *testing.T) {
	p := begin(t, job, "dropout=0")
	want := trained(p, 0, 3)
	p.ask(message{"do": "restart"})
	if diff := cmp.Diff(want, trained(p, 0, 3)); diff != "" {
		t.Errorf("the numbers after a restart differ (-want +got):\n%s", diff)
	}
	p.close()
}

// TestHalfPrecision: a step whose gradients overflow is skipped under a scaler. Losses under
// autocast are close to the losses without it.
func TestHalfPrecision(t *testing.T) {
	p := begin(t, job, "scaler=true", "dropout=0")
	index, huge := bridge.Ints(places(0, 32, 300)), make([]float64, 32)
	for i := range huge {
		huge[i] = 3e38
	}
	p.ask(losses("train", 0), index)
	p.gradient(huge, false)
	if said, _ := p.ask(message{"do": "step"}, rule(0.1, 0)); said["skipped"] != true {
		t.Errorf("the step is answered %v, want skipped to be true", said)
	}
	plain := begin(t, job, "dropout=0")
	want := trained(plain, 0, 4)
	near(t, "number under a scaler", trained(p, 0, 4), want, 1e-4)
	half := begin(t, job, "dropout=0", "bf16=true")
	near(t, "number in bf16", trained(half, 0, 1), want[:49], 0.1)
	for _, p := range []*program{p, plain, half} {
		p.close()
	}
}

// TestLog: the values that a program logs come with the next answer, non-finite ones as NaN.
func TestLog(t *testing.T) {
	p := begin(t, job)
	said, got := p.ask(losses("train", 0), bridge.Ints(places(0, 8, 300)))
	values := make([]float64, 2)
	must(t, got[1].Floats(values))
	names, err := json.Marshal(said["log"])
	must(t, err)
	if want := `["asked","none"]`; string(names) != want {
		t.Errorf("the names are %s, want %s", names, want)
	}
	if values[0] != 8 {
		t.Errorf("asked = %v, want 8", values[0])
	}
	if !math.IsNaN(values[1]) {
		t.Errorf("none = %v, want NaN", values[1])
	}
	p.close()
}
