package docs

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/presets"
	"drolab/presets/recorded"
	"drolab/runner/spec"
)

// TestRegisteredRuns checks the runs of docs/registration.md. The command on the page starts
// exactly the arms and seeds that the page lists, with the settings of the presets that it names
// and of the runs that were recorded before.
func TestRegisteredRuns(t *testing.T) {
	type arm struct {
		method dro.Algorithm
		rho    float64
	}
	seeds, byArm := map[arm][]uint64{}, map[arm]spec.Spec{}
	all := 0
	for name, of := range map[string]string{"registered": "paper",
		"registered-gentle": "paper-gentle"} {
		p, err := presets.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		like, err := presets.Load(of)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Check(&p.Spec); len(err) > 0 {
			t.Errorf("Check of %s: %v", name, err)
		}
		for _, one := range p.Spec.Expand() {
			a := arm{one.Algorithm(), one.Rho}
			seeds[a], byArm[a] = append(seeds[a], one.Seed), one
			all++
			want := like.Spec
			want.Algorithms, want.Seed, want.Seeds = one.Algorithms, one.Seed, 1
			want.RiskRadii = one.RiskRadii
			if !want.Equal(&one) || one.Precision != "fp32" {
				t.Errorf("%s: %s differs from %s", name, one.Algorithm(), of)
			}
		}
	}
	var want []arm
	for _, method := range []dro.Algorithm{dro.SFK, dro.SFKAuto, dro.PGD, dro.PAN} {
		want = append(want, arm{method, .5}, arm{method, 1.5})
	}
	want = append(want, arm{dro.ERM, 1.5}, arm{"group", 1.5})
	if all != 120 || len(seeds) != len(want) {
		t.Errorf("%d runs of %d arms, want 120 of %d", all, len(seeds), len(want))
	}
	for _, a := range want {
		if !slices.Equal(seeds[a], []uint64{5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}) {
			t.Errorf("%s at ρ = %g: seeds %d, want 5 to 16", a.method, a.rho, seeds[a])
		}
	}
	likeRecorded(t, func(method dro.Algorithm, rho float64) (spec.Spec, bool) {
		s, ok := byArm[arm{method, rho}]
		return s, ok
	})
	page, err := os.ReadFile("registration.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"drolab run registered registered-gentle ", "**120**",
		"**family of 24 tests**"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("docs/registration.md does not say %q", want)
		}
	}
}

// likeRecorded checks that enough runs recorded before have the settings of the registered runs,
// and that none of them has a registered seed.
func likeRecorded(t *testing.T, find func(dro.Algorithm, float64) (spec.Spec, bool)) {
	t.Helper()
	runs, err := recorded.Find("recorded:paper")
	if errors.Is(err, recorded.ErrEmpty) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	same := map[dro.Algorithm]int{}
	for _, r := range runs {
		s := r.Meta.Spec
		one, ok := find(s.Algorithm(), s.Rho)
		one.Seed = s.Seed
		if ok && one.Equal(&s) {
			same[s.Algorithm()]++
		}
		if s.Seed >= 5 {
			t.Errorf("%s is of a registered seed, and recorded before", r.Meta.ID)
		}
	}
	least := map[dro.Algorithm]int{dro.SFK: 8, dro.SFKAuto: 4, dro.PGD: 8, dro.PAN: 8, dro.ERM: 4}
	for method, n := range least {
		if same[method] < n {
			t.Errorf("%d recorded runs of %s have the registered settings, want %d", same[method],
				method, n)
		}
	}
}
