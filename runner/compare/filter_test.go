package compare_test

import (
	"testing"

	"drolab/presets/recorded"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// TestFilterOfLargeSeeds: two seeds that are one float64 are told apart.
func TestFilterOfLargeSeeds(t *testing.T) {
	const seed = 1<<53 + 1
	r := &record.Run{Meta: runner.Meta{Spec: spec.Defaults()}}
	r.Meta.Spec.Seed = seed
	for text, want := range map[string]bool{"seed=9007199254740993": true,
		"seed:9007199254740992": false, "seed!=9007199254740992": true,
		"seed=0_9007199254740993": true, "seed!=9007199254740993": false} {
		f, err := compare.ParseFilter(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := f(r); got != want {
			t.Errorf("%s of seed %d: %v, want %v", text, uint64(seed), got, want)
		}
	}
}

// FuzzFilter: typed text is a filter or an error, and a filter and its opposite divide the runs in
// two.
func FuzzFilter(f *testing.F) {
	for _, s := range []string{"-failed", "rho>=0.5", "algo:sfk", "-", "lr!=1e999",
		"=", "seed<", "-a=b:c"} {
		f.Add(s)
	}
	list, _ := recorded.Find("recorded:paper")
	f.Fuzz(func(t *testing.T, text string) {
		yes, no, err := compare.TermAndOpposite(text)
		if err != nil || yes == nil { // it is typed still
			return
		}
		for _, r := range append(list, &record.Run{}) {
			if r.Summary() != nil && yes(r) == no(r) {
				t.Errorf("%q and its opposite agree on %s", text, r.Meta.ID)
			}
		}
	})
}
