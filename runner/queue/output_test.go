package queue

import (
	"math"
	"testing"

	"drolab/dro"
)

// The certificate of Algorithm 1's output is of x after step t' and z before it. The checkpoint's
// own tensors, in one batch of all samples, give the same certificate.
func TestOutputCertificateByASecondRoad(t *testing.T) {
	spec := quick(dro.SFKAuto)
	tr := runAll(t, 1, spec)[0]
	last := tr.states[len(tr.states)-1]
	m := last.Method.Numbers
	if m["picked_step"] == 0 || m["picked_step"] == float64(last.Step) {
		t.Fatalf("t' is %v of %d steps: the output is the last iterate, and the test shows nothing",
			m["picked_step"], last.Step)
	}
	net, b := trainingSplit(t, &spec, last.Picked)
	losses, ratios := make([]float64, b.N), make([]float64, b.N)
	net.Losses(losses, b.X, b.Labels)
	p, err := spec.Problem()
	if err != nil {
		t.Fatal(err)
	}
	f := p.Evaluate(ratios, losses, dro.Z{Lambda: m["picked_lambda"], Eta: m["picked_eta"]}).Value
	w, err := dro.WorstCase(p.Set, nil, losses, p.Rho)
	if err != nil {
		t.Fatal(err)
	}
	net.Gradient(ratios)
	for name, want := range map[string]float64{
		"output_dual_gap": f - w.Risk, "output_grad_norm": net.GradientNorm(),
	} {
		got := last.Eval.Named(name).Float()
		if !(math.Abs(got-want) <= 1e-4*want) {
			t.Errorf("%s is %v, from the checkpoint %v", name, got, want)
		}
		for _, of := range []string{"dual_gap", "full_grad_norm"} {
			if got == last.Eval.Named(of).Float() {
				t.Errorf("%s is %v, which is %s of the last iterate", name, got, of)
			}
		}
		if n := tr.summary.Named(name); n.Float() != got {
			t.Errorf("%s is %v in the summary", name, n)
		}
	}
}

// A method without an output rule has no such figures in its summary.
func TestNoOutputNoCertificate(t *testing.T) {
	tr := runAll(t, 1, brief(dro.PGD))[0]
	for _, name := range []string{"output_dual_gap", "output_grad_norm"} {
		if n := tr.summary.Named(name); n.Applies() {
			t.Errorf("%s of PGD is %v", name, n)
		}
	}
}
