package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner/record/recordtest"
)

// Later claims are a family of their own. The claim about the number of a class's images is not
// supported if a class with more images is worse.
func TestFurtherClaims(t *testing.T) {
	like, f := as(t, "paper-gentle"), newFolder(t)
	for seed := uint64(1); seed <= 4; seed++ {
		var classes []float64
		for i := range 10 {
			classes = append(classes, .5+recordtest.Deviation(seed*uint64(i+1)))
		}
		classes[1] += .3
		for _, a := range []dro.Algorithm{dro.ERM, dro.SFK, dro.PGD} {
			objective := 2 + recordtest.Deviation(seed)
			if a == dro.PGD {
				objective -= .5 + recordtest.Deviation(2*seed)
			}
			f.Add(recordtest.Result{Method: a, Seed: seed, Rho: .5, Preset: "paper-gentle",
				Change:  like,
				Classes: strings.Fields("a b c d e f g h i j"), Accuracy: classes,
				TrainLoss: objective, Objective: []float64{objective, objective, objective},
				Worst: .5, Risk: objective})
		}
	}
	r := f.report()
	verdicts := map[string]Verdict{"pgd train-risk": Supported, "sfk c=1000 train-risk": Undecided,
		"erm limited-samples": NotSupported, "sfk c=1000 robust-risk-pgd": NotSupported,
		"sfk c=1000 train-loss-along": NotSupported}
	later, published := r.Families[1], recorded(t, "paper").Published
	for _, c := range later.Claims {
		name := c.A + " " + c.Key
		if c.Verdict == NotTested && strings.HasPrefix(c.Few, "no run of ") {
			continue // there are no runs of pan, nor at the other radius
		}
		if c.Verdict != verdicts[name] {
			t.Errorf("%s: %s, want %s: %+v", name, c.Verdict, verdicts[name], c.Difference)
		}
		delete(verdicts, name)
	}
	if len(verdicts) > 0 {
		t.Errorf("there are no verdicts on %v", verdicts)
	}
	if later.Tests != len(later.Claims) {
		t.Errorf("%d tests of %d claims, want as many", later.Tests, len(later.Claims))
	}
	tested := slices.DeleteFunc(slices.Clone(r.Reproduction), func(c *Finding) bool {
		return c.Verdict == NotTested
	})
	for _, c := range tested {
		got, want := c.Mean.Float(), .6-published.Mean(methodOf(c))/100
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %g from Table 1, want %g", c.A, got, want)
		}
	}
	if len(tested) != 2 || len(r.Reproduction) != 6 {
		t.Errorf("%d of %d arms are compared with Table 1, want erm and sfk of 6", len(tested),
			len(r.Reproduction))
	}
}

// methodOf returns the method of a claim's first arm.
func methodOf(c *Finding) string {
	method, _, _ := strings.Cut(c.A, " ")
	return method
}

// A run is no probe for a setting that its method does not read.
func TestParticularSettingsAreRead(t *testing.T) {
	for _, m := range dro.Methods() {
		for _, s := range ownSettings(m.Name) {
			if !s.ReadBy(&m) {
				t.Errorf("%s does not read %s", m.Name, s.Key)
			}
		}
	}
	if len(ownSettings(dro.SFK)) == 0 {
		t.Error("sfk has no settings of its own")
	}
	if list := ownSettings("unknown"); len(list) > 0 {
		t.Errorf("an unknown method has the settings %v, want none", list)
	}
}
