package queue

import (
	"math"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

func warnings(tr *trace) string {
	var list []string
	for _, e := range tr.events {
		if w, ok := e.(*runner.WarningEvent); ok {
			list = append(list, w.Message)
		}
	}
	return strings.Join(list, "\n")
}

// The error of a broken run names the cure: settings of z where z broke, lr where the weights
// broke.
func TestBrokenRunsNameTheCure(t *testing.T) {
	wide, steep := quick(dro.SFK), quick(dro.ERM)
	wide.Uncertainty, wide.Lambda0, wide.Lambda, wide.Rho = "kl", .001, .002, .01
	steep.LR = 1e38
	pgd := wide
	pgd.Algorithms = []dro.Algorithm{dro.PGD}
	for _, c := range []struct {
		spec       spec.Spec
		want, lack string
	}{
		{wide, "raise c, take sfk-auto, or narrow the box", "lower lr, or"},
		{pgd, "lower lr_z", "lower lr, or"},
		{steep, "lower lr, or check the data", "raise c"},
	} {
		tr := runAll(t, 1, c.spec)[0]
		if tr.summary.Status != runner.Failed {
			t.Errorf("%s: the run is %s, want %s", c.spec.Algorithm(), tr.summary.Status,
				runner.Failed)
		}
		cause := tr.summary.Cause
		if !strings.Contains(cause, c.want) {
			t.Errorf("%s: the cause is %q, want one with %q", c.spec.Algorithm(), cause, c.want)
		}
		if strings.Contains(cause, c.lack) {
			t.Errorf("%s: the cause is %q, want one without %q", c.spec.Algorithm(), cause, c.lack)
		}
	}
	wide.Algorithms = []dro.Algorithm{dro.SFKAuto}
	if tr := runAll(t, 1, wide)[0]; tr.summary.Status != runner.Done {
		t.Errorf("by sfk-auto the run is %s: %s", tr.summary.Status, tr.summary.Cause)
	}
}

// A run warns of ratios that are all 0 and of a step to the corner, even at steps that are not
// logged.
func TestWarningsOfSteps(t *testing.T) {
	pan, s := brief(dro.PAN), brief(dro.SFK)
	pan.Eta, pan.LogEvery = 9, 1000
	const none = "likelihood ratio of a batch is 0"
	if got := warnings(runAll(t, 1, pan)[0]); strings.Count(got, none) != 1 {
		t.Errorf("warnings:\n%s", got)
	}
	s.SetOwn("c", dro.Fixed(1e-3))
	s.LogEvery = 1000
	if got := warnings(runAll(t, 1, s)[0]); strings.Count(got, "c is too small") != 1 {
		t.Errorf("warnings:\n%s", got)
	}
	s.Algorithms = []dro.Algorithm{dro.SFKAuto}
	if got := warnings(runAll(t, 1, s)[0]); strings.Contains(got, "raise c") {
		t.Errorf("warnings of sfk-auto:\n%s", got)
	}
}

// An evaluation warns of a bound that excludes the optimum, and of a batch that is too small.
func TestWarningsOfEvaluations(t *testing.T) {
	losses := make([]float64, 1000)
	for i := range losses {
		losses[i] = 3 * math.Pow(float64(i)/1000, 4)
	}
	set, p := dro.KL{}, &dro.Problem{Set: dro.KL{}, Rho: .5, Coordinates: dro.Unshifted}
	worst, err := dro.WorstCase(set, nil, losses, p.Rho)
	if err != nil {
		t.Fatal(err)
	}
	l, eta := worst.Z.Lambda, worst.Z.Eta
	spec := brief(dro.PGD)
	for _, c := range []struct {
		lambda, eta [2]float64
		at          float64
		batch       int
		want        string
	}{
		{[2]float64{l / 3, 2 * l}, [2]float64{0, 2 * eta}, l, 128, ""},
		{[2]float64{l / 3, l / 2}, [2]float64{0, 2 * eta}, l / 2, 128, "Raise lambda_max"},
		{[2]float64{2 * l, 3 * l}, [2]float64{0, 2 * eta}, 2 * l, 128, "Lower lambda0 to"},
		{[2]float64{2 * l, 3 * l}, [2]float64{0, 2 * eta}, 3 * l, 128, ""},
		{[2]float64{l / 3, 2 * l}, [2]float64{0, 2 * eta}, l / 3, 128, "λ is at its lower bound"},
		{[2]float64{l / 3, 2 * l}, [2]float64{0, eta / 2}, l, 128, "Raise eta_max"},
		{[2]float64{l / 3, 2 * l}, [2]float64{2 * eta, 3 * eta}, l, 128, "Lower eta_min"},
		{[2]float64{l / 3, 2 * l}, [2]float64{0, 2 * eta}, l, 8, "Raise batch"},
	} {
		p.Box = dro.Box{Lambda: c.lambda, Eta: c.eta}
		spec.Batch = c.batch
		settings := spec.MeasureSettings()
		e := measure.Evaluation{Settings: settings, Problem: p,
			Train: &measure.Pass{Losses: losses, Worst: worst},
			Z:     &dro.Z{Lambda: c.at, Eta: eta}}
		var got []string
		e.Warn(settings, func(_, message string) { got = append(got, message) })
		if c.want == "" {
			if len(got) > 0 {
				t.Errorf("box %v, λ %v, batch %d: warnings %q, want none", p.Box, c.at, c.batch,
					got)
			}
			continue
		}
		if len(got) != 1 || !strings.Contains(got[0], c.want) {
			t.Errorf("box %v, λ %v, batch %d: warnings %q, want one with %q", p.Box, c.at, c.batch,
				got, c.want)
		}
	}
}

// PAN's own certificate, computed a second way: F less its least value over a fine grid of η at
// PAN's λ.
func TestPenalisedGapIsOfTheOwnProblem(t *testing.T) {
	spec := brief(dro.PAN)
	tr := runAll(t, 1, spec)[0]
	last := tr.states[len(tr.states)-1]
	net, b := trainingSplit(t, &spec, last.Parameters)
	losses := make([]float64, b.N)
	net.Losses(losses, b.X, b.Labels)
	p, err := spec.Problem()
	if err != nil {
		t.Fatal(err)
	}
	z := dro.Z{Lambda: last.Method.Numbers["lambda"], Eta: last.Method.Numbers["eta"]}
	least := math.Inf(1)
	for i := range 20001 {
		least = min(least, p.Evaluate(nil, losses,
			dro.Z{Lambda: z.Lambda, Eta: -5 + 1e-3*float64(i)}).Value)
	}
	want := p.Evaluate(nil, losses, z).Value - least
	got := last.Eval.Named("penalised_gap").Float()
	gap := last.Eval.Named("dual_gap")
	if !(math.Abs(got-want) < 1e-5) {
		t.Errorf("the penalised gap is %v, want %v, by a grid", got, want)
	}
	if !(got > 1e-4) {
		t.Errorf("the penalised gap is %v, want more than 1e-4, so that something is shown", got)
	}
	if !(gap.Float() >= got) {
		t.Errorf("the dual gap is %v, want at least the penalised gap, %v", gap, got)
	}
}

// The checkpoint holds what sfk-auto has learned, both before its memory is full and after the
// oldest losses have left it.
func TestAutomaticStepsAreResumed(t *testing.T) {
	for _, rule := range []float64{1, 2, 3} {
		settings := brief(dro.SFKAuto)
		settings.LogEvery, settings.CheckpointEvery = 1, 1
		settings.SetOwn("c_rule", dro.Fixed(rule))
		whole := runAll(t, 1, settings)[0]
		for _, step := range []int64{3, 21} {
			expectSameRun(t, stoppedAndResumed(t, settings, step, 1), whole)
		}
	}
}

// A run warns of a drop of lr after its end, in words that also suit one epoch.
func TestLateDropIsTold(t *testing.T) {
	one, two := quick(dro.ERM), quick(dro.ERM)
	one.Epochs, one.LRDropEpoch = 1, 7
	two.Epochs, two.LRDropEpoch = 2, 7
	runs := runAll(t, 1, one, two)
	for i, want := range []string{"lr_drop_epoch is 7 and the run has 1 epoch: ",
		"lr_drop_epoch is 7 and the run has 2 epochs: "} {
		if got := warnings(runs[i]); !strings.Contains(got, want) {
			t.Errorf("warnings %q, want %q", got, want)
		}
	}
}

// Only methods with a box are warned of the box: the others have no λ and η to keep in it.
func TestOnlyMethodsWithABoxAreWarnedOfIt(t *testing.T) {
	for _, m := range dro.Methods() {
		t.Run(string(m.Name), func(t *testing.T) {
			s := brief(m.Name)
			s.EtaMax, s.Lambda, s.Epochs = .01, s.Lambda0, 1
			if m.ReadsKey("jtt_epochs") {
				s.Epochs = 2
			}
			tr := runAll(t, 1, s)[0]
			boxed := false
			for _, e := range tr.events {
				if e, ok := e.(*runner.EvalEvent); ok {
					boxed = boxed || e.Named("dual_gap").Applies() ||
						e.Named("penalised_gap").Applies()
				}
			}
			const bound = "the bound B that the theory assumes"
			if warned := strings.Contains(warnings(tr), bound); warned != boxed {
				t.Errorf("a box is %v, and warned of %v: %s", boxed, warned, warnings(tr))
			}
		})
	}
}
