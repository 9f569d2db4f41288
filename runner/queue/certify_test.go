package queue

import (
	"math"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/certificate"
	"drolab/runner/measure"
)

// frozen freezes the last checkpoint of a run that has ended.
func frozen(t *testing.T, tr *trace) *certificate.Frozen {
	t.Helper()
	last := *tr.states[len(tr.states)-1]
	past := &runner.Past{Meta: tr.meta, From: &last}
	f, err := certificate.Freeze(t.Context(), past, certificate.Means{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// The figures certified from a checkpoint are those that the run measured itself: on every split,
// at its radii, by class and by group, and at the paper's output.
func TestCertifyFindsWhatTheRunMeasured(t *testing.T) {
	spec := brief(dro.SFK)
	spec.ValFraction, spec.CertifyEvery = .25, 1
	tr := runAll(t, 1, spec)[0]
	f, e := frozen(t, tr), tr.states[len(tr.states)-1].Eval
	g := certificate.Grid{Sets: []dro.Set{f.Problem().Set}, Radii: []float64{spec.Rho}}
	for split, name := range map[string]string{
		runner.SplitTest: "robust_risk", runner.SplitVal: "val_robust_risk",
		runner.SplitTrain: "train_robust_risk",
	} {
		p, err := f.Pass(split)
		if err != nil {
			t.Fatal(err)
		}
		list, err := f.Certify(p, g)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := list[0].Risk.Float(), e.Named(name).Float(); got != want {
			t.Errorf("%s: R_ρ is %v, the run had %v", split, got, want)
		}
		if split != runner.SplitTrain {
			continue
		}
		for part, want := range e.ByGroup.Named("group_ratio") {
			if got := list[0].ByGroup[part]; got != want {
				t.Errorf("weight of group %d is %v, the run had %v", part, got, want)
			}
		}
		for part, want := range e.ByGroup.Named("class_weight") {
			if got := list[0].ByClass[part]; got != want {
				t.Errorf("weight of class %d is %v, the run had %v", part, got, want)
			}
		}
	}
	for _, at := range []struct {
		gap, norm string
		before    func() error
	}{
		{"dual_gap", "full_grad_norm", func() error { return nil }},
		{"output_dual_gap", "output_grad_norm", f.UseOutput},
	} {
		if err := at.before(); err != nil {
			t.Fatal(err)
		}
		s, err := f.Stationarity()
		if err != nil {
			t.Fatal(err)
		}
		if want := e.Named(at.gap).Float(); s.DualGap != want {
			t.Errorf("%s is %v, want %v, as the run had it", at.gap, s.DualGap, want)
		}
		if want := e.Named(at.norm).Float(); math.Abs(s.GradNorm/want-1) > 1e-6 {
			t.Errorf("%s is %v, want %v, as the run had it", at.norm, s.GradNorm, want)
		}
	}
}

// Two runs are compared on the same samples, and the difference is that of their risks.
func TestContrasts(t *testing.T) {
	runs := runAll(t, 1, brief(dro.PGD), brief(dro.ERM), quick(dro.ERM))
	a, b := frozen(t, runs[0]), frozen(t, runs[1])
	pa, err := a.Pass(runner.SplitTest)
	if err != nil {
		t.Fatal(err)
	}
	pb, err := b.Pass(runner.SplitTest)
	if err != nil {
		t.Fatal(err)
	}
	g := certificate.Grid{Sets: []dro.Set{dro.KL{}, dro.CVaR{Mu: .2}}, Radii: []float64{.1, 1},
		How: dro.Confidence{Draws: 39, Seed: 1}}
	list, err := g.Contrasts(pa, pb, certificate.Contrast{})
	if err != nil {
		t.Fatal(err)
	}
	var radii []measure.Number
	for _, c := range list {
		radii = append(radii, c.Rho)
	}
	// KL at two radii, and CVaR, which has none, once.
	if want := []measure.Number{measure.Num(.1), measure.Num(1), {}}; !slices.Equal(radii, want) {
		t.Fatalf("the contrasts are at the radii %v, want %v", radii, want)
	}
	one, _ := dro.WorstCase(dro.KL{}, nil, pa.Losses, 1)
	two, _ := dro.WorstCase(dro.KL{}, nil, pb.Losses, 1)
	if want := one.Risk - two.Risk; math.Abs(list[1].Difference-want) > 1e-12 {
		t.Errorf("difference %v, want %v", list[1].Difference, want)
	}
	if err := certificate.SameSamples(a.Meta, b.Meta, runner.SplitTest); err != nil {
		t.Error(err)
	}
	other := runs[2].meta
	err = certificate.SameSamples(a.Meta, other, runner.SplitTest)
	if err == nil || !strings.Contains(err.Error(), "samples differ") {
		t.Errorf("runs on other data are paired: %v", err)
	}
	held := *b.Meta
	held.Spec.ValFraction = .3
	if err := certificate.SameSamples(a.Meta, &held, runner.SplitTest); err != nil {
		t.Errorf("SameSamples(test) with another hold-out = %v, want nil", err)
	}
	if err := certificate.SameSamples(a.Meta, &held, runner.SplitVal); err == nil {
		t.Error("SameSamples(val) with another hold-out = nil, want an error")
	}
}

func TestFreezeRefuses(t *testing.T) {
	tr := runAll(t, 1, brief(dro.PGD))[0]
	last := *tr.states[len(tr.states)-1]
	means := certificate.Means{}
	past := &runner.Past{Meta: tr.meta}
	if _, err := certificate.Freeze(t.Context(), past, means, 1); err == nil {
		t.Error("a run without a checkpoint is frozen")
	}
	other := *tr.meta
	other.Checksum = "sha256:0"
	past = &runner.Past{Meta: &other, From: &last}
	if _, err := certificate.Freeze(t.Context(), past, means, 1); err == nil {
		t.Error("other data are taken")
	}
	f := frozen(t, tr)
	if err := f.UseOutput(); err == nil || !strings.Contains(err.Error(), "no output rule") {
		t.Errorf("the output of PGD: %v", err)
	}
	if _, err := f.Pass(runner.SplitVal); err == nil {
		t.Error("a validation split that is not there")
	}
	if _, err := f.Pass("all"); err == nil {
		t.Error("a split of no name")
	}
}
