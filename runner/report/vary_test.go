package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner/page"
	"drolab/runner/spec"
)

// A reading covers SFK and ERM alike where both read the setting, and the runs of the seeds that
// both have. The nearest reading comes first, and the page says that no reading has SFK above ERM.
// Two settings that are changed at once are a reading, and so are other data. One seed with another
// C is no column of Table 1.
func TestReadings(t *testing.T) {
	like, f, data := as(t, "paper-gentle"), newFolder(t), "sha256:0"
	published := recorded(t, "paper").Published
	add := func(a dro.Algorithm, seed uint64, points float64, change func(*spec.Spec)) {
		var classes []float64 // the last evaluation adds .02
		for _, x := range published.Rows[string(a)] {
			classes = append(classes, (x+points)/100-.02)
		}
		f.add(told{algorithm: a, seed: seed, rho: .5, preset: "paper-gentle", accuracy: classes,
			checksum: data, classes: strings.Fields("a b c d e f g h i j"),
			worst:  published.Mean(string(a))/100 - .1 + points/100,
			change: func(s *spec.Spec) { like(s); change(s) }})
	}
	for seed := uint64(1); seed <= 3; seed++ {
		add(dro.SFK, seed, -3+float64(seed)-2, func(*spec.Spec) {})
		add(dro.ERM, seed, max(1, 3*float64(seed)-5), func(*spec.Spec) {}) // 1, 1 and 4
	}
	mean := func(s *spec.Spec) { s.Pad = "mean" }
	add(dro.SFK, 1, -1, mean)
	add(dro.ERM, 1, 0, mean)
	add(dro.SFK, 2, 5, func(s *spec.Spec) { s.Init = "he" }) // ERM has no such run
	two := func(s *spec.Spec) { mean(s); s.Momentum = 0 }
	add(dro.SFK, 1, -9, two)
	add(dro.ERM, 1, -7, two)
	three := func(s *spec.Spec) { two(s); s.Init = "he" } // which are too many
	add(dro.SFK, 1, 0, three)
	add(dro.ERM, 1, 0, three)
	add(dro.SFK, 1, -2, func(s *spec.Spec) { s.SetOwn("c", dro.Fixed(100)) })
	add(dro.SFK, 1, -2.5, func(s *spec.Spec) { s.Lambda0 = .01 })
	data = "sha256:0123456789"
	for seed := uint64(1); seed <= 2; seed++ {
		add(dro.SFK, seed, -6, func(*spec.Spec) {})
		add(dro.ERM, seed, -2*float64(seed), func(*spec.Spec) {})
	}
	data = "sha256:fedcba9876"
	add(dro.SFK, 1, 9, func(*spec.Spec) {}) // ERM has no run on these data
	r := f.report()
	want := []struct {
		name                  string
		runs                  int
		fromSFK, fromERM, gap float64
		alike                 bool
	}{
		{half + ", pad mean", 1, 1, 0, -1, true},
		{half + ", c 100", 1, 2, 1, -3, false},
		{half + ", lambda0 0.01", 1, 2.5, 1, -3.5, false},
		{half, 3, 3, 2, -5, true},
		{half + ", data 01234567", 2, 6, 3, -3, true},
		{half + ", momentum 0 and pad mean", 1, 9, 7, -2, true},
	}
	if n := len(r.Problems[0].arms); n != 2 {
		t.Errorf("%d columns of Table 1, want sfk and erm", n)
	}
	if len(r.Readings) != len(want) {
		t.Fatalf("%d readings, want %d: %+v", len(r.Readings), len(want), r.Readings)
	}
	near := func(got, points float64) bool { return math.Abs(100*got-points) < 1e-9 }
	printed := published.Mean("sfk") - published.Mean("erm")
	for i, w := range want {
		d := &r.Readings[i]
		if d.Name != w.name || d.Runs != w.runs || d.Alike != w.alike ||
			!near(d.FromFirst.Float(), w.fromSFK) || !near(d.FromBase.Float(), w.fromERM) ||
			!near(d.Lead.Mean.Float(), w.gap+printed) {
			t.Errorf("line %d is %+v, want %+v", i+1, d, w)
		}
	}
	answer := "That lead is reached by 0 of these 6 readings. The nearest is " + half +
		", pad mean (1 seed): −0.4 points, ± 4.3 by the spread of the 3 seeds of " + half +
		". sfk's mean comes nearest to the printed 73.45 under " + half +
		", pad mean (1 seed): 72.5, where erm has 72.9."
	if text := page.Markdown(r.nearBlocks()...); !strings.Contains(text, answer) {
		t.Errorf("%s\nwant %s", text, answer)
	}
}

// Later claims are a family of their own. The claim about the number of a class's images is not
// supported if a class with more images is worse.
func TestFurtherClaims(t *testing.T) {
	like, f := as(t, "paper-gentle"), newFolder(t)
	for seed := uint64(1); seed <= 4; seed++ {
		var classes []float64
		for i := range 10 {
			classes = append(classes, .5+wobble(seed*uint64(i+1)))
		}
		classes[1] += .3
		for _, a := range []dro.Algorithm{dro.ERM, dro.SFK, dro.PGD} {
			objective := 2 + wobble(seed)
			if a == dro.PGD {
				objective -= .5 + wobble(2*seed)
			}
			f.add(told{algorithm: a, seed: seed, rho: .5, preset: "paper-gentle", change: like,
				classes: strings.Fields("a b c d e f g h i j"), accuracy: classes,
				trainLoss: objective, objective: []float64{objective, objective, objective},
				worst: .5, risk: objective})
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
	if len(verdicts) > 0 || later.Tests != len(later.Claims) {
		t.Errorf("missing: %v; %d tests of %d claims", verdicts, later.Tests, len(later.Claims))
	}
	tested := slices.DeleteFunc(slices.Clone(r.Reproduction), func(c *Finding) bool {
		return c.Verdict == NotTested
	})
	for _, c := range tested {
		got, want := c.Mean.Float(), .6-published.Mean(c.a())/100
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %g from Table 1, want %g", c.A, got, want)
		}
	}
	if len(tested) != 2 || len(r.Reproduction) != 6 {
		t.Errorf("%d of %d arms are compared with Table 1, want erm and sfk of 6", len(tested),
			len(r.Reproduction))
	}
}

// a returns the method of a claim's first arm.
func (c *Finding) a() string {
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
	if len(ownSettings(dro.SFK)) == 0 || len(ownSettings("unknown")) > 0 {
		t.Error("sfk has settings of its own, and an unknown method has none")
	}
}
