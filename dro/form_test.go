package dro

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/dro/peertest"
)

// formless holds the methods without a form, each with the reason.
var formless = map[Algorithm]string{
	"batch":    "it solves for each batch",
	"doro":     "it solves for each batch",
	"nsgdm":    "its step looks at the batch that was weighed",
	"sfk-auto": "its default rule moves z by a batch before it weighs the batch",
}

// formCase is a method with settings and a set, and what its form must be.
type formCase struct {
	name     string
	method   Algorithm
	set      Set
	settings map[string]Auto
	kind     string
}

// formCases returns every method that has a form, some of them several times.
func formCases() []formCase {
	chi2 := CressieRead{K: 2}
	list := []formCase{
		{"sfk chi2", SFK, chi2, nil, FormChi2},
		{"sfk cvar", SFK, CVaR{Mu: .1}, nil, FormCVaR},
		{"pgd k 1.5", PGD, CressieRead{K: 1.5}, nil, FormCressieRead},
		{"pgd scvar", PGD, SmoothedCVaR{Mu: .2}, nil, FormSmoothedCVaR},
		{"pan kl", PAN, KL{}, nil, FormKL},
		{"dsgdc k 1.1", "dsgdc", CressieRead{K: 1.1}, nil, FormCressieRead},
		{"sfk-auto rule 1", SFKAuto, chi2, map[string]Auto{"c_rule": Fixed(1)}, FormChi2},
		{"sfk-auto rule 3", SFKAuto, KL{}, map[string]Auto{"c_rule": Fixed(3)}, FormKL},
		{"afr train", "afr", chi2, map[string]Auto{"afr_split": Fixed(1)}, FormByFlag},
		{"jtt", "jtt", chi2, map[string]Auto{"jtt_epochs": Fixed(1)}, FormByFlag},
		{"focal", "focal", chi2, nil, FormFocal},
		{"focal 3.5", "focal", chi2, map[string]Auto{"focal_gamma": Fixed(3.5)}, FormFocal},
		{"group", "group", chi2, map[string]Auto{"group_adjust": Fixed(2)}, FormGroups},
		{"tilted", "tilted", chi2, nil, FormTilted},
		{"scent", "scent", chi2, nil, FormEntropic},
		{"scent kl", "scent", KL{}, map[string]Auto{"scent_alpha": Fixed(.01)}, FormEntropic},
		{"scdro", "scdro", chi2, nil, FormEntropic},
		{"scdro kl", "scdro", KL{}, map[string]Auto{"scdro_beta": Fixed(.4)}, FormEntropic},
		{"reweight", "reweight", chi2, nil, FormByGroup},
		{"balanced", "balanced", chi2, nil, FormByGroup},
	}
	for _, a := range []Algorithm{ERM, "subsample", "dfr", "afr", "evals"} {
		list = append(list, formCase{string(a), a, chi2, nil, FormUniform})
	}
	return list
}

// drawnBatch returns a batch of float32 losses: ordinary ones, or such that a formula may fail on.
// Its groups are those that have training samples. wild says that a method's state does not survive
// it.
func drawnBatch(rng *rand.Rand, start Task) (b Batch, wild bool) {
	var groups []int
	for g, samples := range start.Groups {
		if samples > 0 {
			groups = append(groups, g)
		}
	}
	n, kind, same := 1+rng.IntN(64), rng.IntN(8), groups[rng.IntN(len(groups))]
	scale := math.Pow(10, 37*rng.Float64())
	for range n {
		l, g := rng.ExpFloat64(), groups[rng.IntN(len(groups))]
		switch kind {
		case 0: // ties
			l = math.Round(2*l) / 2
		case 1:
			l = 1.25
		case 2: // one class
			g = same
		case 3:
			l *= scale
		case 4:
			l /= scale
		}
		b.Losses = append(b.Losses, float64(float32(l)))
		b.Groups, b.Index = append(b.Groups, g), append(b.Index, rng.IntN(start.Samples))
	}
	b.Labels = b.Groups
	return b, kind == 3
}

// TestForms: PyTorch computes from a method's form the weights that the method gives, on 1000
// batches of every method that has one.
func TestForms(t *testing.T) {
	peertest.Python(t, "numpy", "torch") // else nobody reads the cases
	rng, path := testRand(50), filepath.Join(t.TempDir(), "cases")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := json.NewEncoder(f)
	for _, c := range formCases() {
		if err := writeForms(lines, rng, c); err != nil {
			t.Fatalf("writing the weights of %s: %v", c.name, err)
		}
	}
	out := string(peertest.Run(t, "numpy torch", "peer/forms.py", "../runner/bridge/python", path))
	if n := strings.Count(out, "\n"); n != len(formCases()) {
		t.Errorf("%d methods: %s", n, out)
	}
	for line := range strings.Lines(out) {
		var name string
		var n, differ int
		var most float64
		fmt.Sscan(line, &name, &n, &differ, &most)
		exact := strings.HasPrefix(name, "focal") && most <= 1e-15
		if n < 1000*20 || differ > 0 && !exact {
			t.Errorf("%s: of %d weights %d differ, by up to %g", name, n, differ, most)
		}
	}
}

// formTrainer returns the trainer of a case, and the task that it starts from. A trainer that looks
// at a whole split has done so: every third sample is wrong.
func formTrainer(c formCase) (Trainer, Task, error) {
	m, err := Find(c.method)
	if err != nil {
		return nil, Task{}, err
	}
	p := &Problem{Set: c.set, Rho: .5, Coordinates: DefaultCoordinates(c.set)}
	p.Box = DefaultBox(c.set, p.Rho, p.Coordinates, .1, 10)
	start := task(m, p, c.settings)
	if c.method == "group" {
		start.Groups = []int{4, 16, 0, 20}
	}
	trainer, err := m.New(start)
	if err != nil {
		return nil, start, err
	}
	if e, ok := trainer.(Epochal); ok {
		_, err = e.EndEpoch(1, func() (Batch, error) {
			b := Batch{Index: indices(start.Samples), Correct: make([]bool, start.Samples)}
			for i := range b.Correct {
				b.Correct[i] = i%3 > 0
			}
			return b, nil
		})
	}
	return trainer, start, err
}

// writeForms writes 1000 batches of a method with the form before each and the weights.
func writeForms(to *json.Encoder, rng *rand.Rand, c formCase) error {
	trainer, start, err := formTrainer(c)
	if err != nil {
		return err
	}
	bytes := func(v any) []byte {
		b, _ := binary.Append(nil, binary.LittleEndian, v)
		return b
	}
	for step := range 1000 {
		b, wild := drawnBatch(rng, start)
		state, form := trainer.State(), trainer.Form(nil)
		if form.Kind != c.kind {
			return fmt.Errorf("the form is %q, want %q", form.Kind, c.kind)
		}
		w, losses := make([]float64, len(b.Losses)), make([]float32, len(b.Losses))
		at, flags := make([]int64, len(b.Losses)), make([]int64, len(form.Flags))
		for i := range losses {
			losses[i], at[i] = float32(b.Losses[i]), int64(b.Groups[i])
			if form.Flags != nil {
				at[i] = int64(b.Index[i])
			}
		}
		for i, is := range form.Flags {
			if is {
				flags[i] = 1
			}
		}
		trainer.Before(b)
		trainer.Weights(w, b)
		if wild {
			trainer.Restore(state)
		} else {
			trainer.After(b, Step{T: int64(step + 1), Rate: .05, GradNorm: 1})
		}
		err := to.Encode(map[string]any{"method": c.name, "kind": form.Kind,
			"numbers": bytes(form.Numbers), "losses": bytes(losses), "at": bytes(at),
			"flags": bytes(flags), "weights": bytes(w)})
		if err != nil {
			return err
		}
	}
	return nil
}

// TestFormless: every method has a form or a reason why it has none, and so has every set.
func TestFormless(t *testing.T) {
	for _, m := range Methods() {
		has := slices.ContainsFunc(formCases(), func(c formCase) bool {
			return c.method == m.Name && c.settings["c_rule"].IsAuto()
		})
		if has == (formless[m.Name] != "") {
			t.Errorf("%s: a case in formCases: %v, a reason in formless: %q, want one of the two",
				m.Name, has, formless[m.Name])
		}
		if formless[m.Name] == "" {
			continue
		}
		p := &Problem{Set: CressieRead{K: 2}, Rho: .5, Coordinates: Paper}
		p.Box = DefaultBox(p.Set, p.Rho, p.Coordinates, .1, 10)
		if f := newTrainer(t, m.Name, p, nil).Form(nil); f.Kind != FormNone {
			t.Errorf("%s has the form %q", m.Name, f.Kind)
		}
	}
	type stranger struct{ KL }
	d := &dualBase{problem: Problem{Set: stranger{}}, z: Z{1, 0}}
	if f := d.Form(nil); f.Kind != FormNone {
		t.Errorf("a set of another package has the form %q", f.Kind)
	}
}
