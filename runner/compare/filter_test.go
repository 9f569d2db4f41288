package compare_test

import (
	"testing"

	"drolab/presets/recorded"
	"drolab/runner/compare"
	"drolab/runner/record"
)

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
