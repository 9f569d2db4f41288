package compare

import (
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/spec"
)

func TestNames(t *testing.T) {
	run := func(a dro.Algorithm, preset, parent string, change func(*spec.Spec)) *runner.Meta {
		s := spec.Defaults()
		s.Algorithms, s.Seed = []dro.Algorithm{a}, 1
		if change != nil {
			change(&s)
		}
		return &runner.Meta{Preset: preset, Parent: parent, Spec: s}
	}
	rho := func(x float64) func(*spec.Spec) { return func(s *spec.Spec) { s.Rho = x } }
	both := func(s *spec.Spec) { s.Rho, s.LR = 1, 0.5 }
	parent := run(dro.SFK, "a", "", nil)
	parent.ID = "sfk-1"
	fork := func(change func(*spec.Spec)) *runner.Meta {
		m := run(dro.SFK, "a", "sfk-1@7", change)
		m.Spec.Lambda = 3 // where it begins
		return m
	}
	for _, c := range []struct {
		runs []*runner.Meta
		want []string
	}{
		{[]*runner.Meta{run(dro.SFK, "a", "", nil)}, []string{"sfk"}},
		{[]*runner.Meta{run(dro.SFK, "a\nb", "", nil), run(dro.SFK, "c", "", both)},
			[]string{"a b", "c"}},
		{[]*runner.Meta{run(dro.SFK, "a", "", nil), run(dro.SFK, "a", "",
			func(s *spec.Spec) { s.Seed = 2 })},
			[]string{"sfk", "sfk"}},
		{[]*runner.Meta{run(dro.SFK, "a", "", nil), run(dro.PGD, "a", "", rho(.3))},
			[]string{"sfk", "pgd"}},
		{[]*runner.Meta{run(dro.SFK, "a", "", rho(.2)), run(dro.SFK, "a", "", rho(.5)),
			run(dro.SFK, "a", "", both)}, []string{"ρ .2", "ρ .5", "ρ 1"}},
		{[]*runner.Meta{run(dro.SFK, "a", "", rho(.2)), run(dro.SFK, "a", "", rho(.5)),
			run(dro.ERM, "a", "", nil)}, []string{"sfk ρ .2", "sfk ρ .5", "erm"}},
		{[]*runner.Meta{run(dro.SFK, "a", "", nil), run(dro.SFK, "b", "", both)},
			[]string{"a", "b"}},
		{[]*runner.Meta{run(dro.SFK, "a", "", rho(.5)), run(dro.SFK, "b", "", rho(1.5)),
			run(dro.ERM, "b", "", rho(1.5)),
			run(dro.SFK, "b", "", func(s *spec.Spec) { s.Rho, s.Seed = 1.5, 2 })},
			[]string{"sfk ρ .5", "sfk ρ 1.5", "erm", "sfk ρ 1.5"}},
		{[]*runner.Meta{run(dro.SFK, "a", "", func(s *spec.Spec) { s.LR = .01 }),
			run(dro.SFK, "a", "x@387", func(s *spec.Spec) { s.LR = .005 })},
			[]string{"lr .01", "fork @387 lr .005"}},
		{[]*runner.Meta{run(dro.SFK, "a", "", nil), run(dro.SFK, "a", "", rho(2)),
			run(dro.ERM, "a", "", nil),
			run(dro.SFK, "a", "", func(s *spec.Spec) { s.Momentum = .5 }),
			run(dro.SFK, "a", "", nil),
			run(dro.SFK, "a", "", func(s *spec.Spec) { s.LR = .5 })},
			[]string{"sfk", "sfk ρ 2", "erm", "sfk momentum .5", "sfk", "sfk lr .5"}},
		{[]*runner.Meta{parent, fork(rho(2)), fork(both), fork(nil), run(dro.ERM, "a", "", nil)},
			[]string{"sfk", "sfk fork ρ 2", "sfk fork ρ 1 lr .5", "sfk fork @7", "erm"}},
		{[]*runner.Meta{parent, fork(rho(2))}, []string{"sfk", "fork ρ 2"}},
	} {
		if got := Names(c.runs); !slices.Equal(got, c.want) {
			t.Errorf("names %q, want %q", got, c.want)
		}
	}
}

// TestNumberRepeats: of things with one name, each further one has its number, and no name is given
// twice.
func TestNumberRepeats(t *testing.T) {
	for _, c := range []struct{ names, want []string }{
		{[]string{"sfk", "pgd", "sfk", "sfk"}, []string{"sfk", "pgd", "sfk #2", "sfk #3"}},
		{[]string{"a", "a", "a #2"}, []string{"a", "a #3", "a #2"}},
		{[]string{"a #2", "a", "a"}, []string{"a #2", "a", "a #3"}},
		{[]string{"a", "a #2", "a", "a #2"}, []string{"a", "a #2", "a #3", "a #2 #2"}},
	} {
		together := func(int) time.Time { return time.Time{} }
		if got := NumberRepeats(c.names, together); !slices.Equal(got, c.want) {
			t.Errorf("names of %q: %q, want %q", c.names, got, c.want)
		}
	}
	backwards := func(i int) time.Time { return time.Unix(int64(-i), 0) }
	want := []string{"sfk #3", "pgd", "sfk #2", "sfk"}
	got := NumberRepeats([]string{"sfk", "pgd", "sfk", "sfk"}, backwards)
	if !slices.Equal(got, want) {
		t.Errorf("where the last started first: %q, want %q", got, want)
	}
}

// TestBriefs: the words that names share go first, and the words that tell the names apart stay.
func TestBriefs(t *testing.T) {
	for _, c := range []struct{ names, briefs string }{
		{"sfk,pgd,erm", "sfk,pgd,erm"},
		{"pgd ρ .2 lr .1,pgd ρ .5 lr .1,erm", "ρ.2 lr.1,ρ.5 lr.1,erm"},
		{"pgd ρ .2,pgd ρ .5,pgd ρ 1,pan ρ .2", "ρ.2,ρ.5,ρ1,pan ρ.2"},
		{"sfk ρ .2,pgd ρ .2", "sfk ρ.2,pgd ρ.2"},
		{"pgd ρ .2,pgd lr .2", "ρ.2,lr.2"},
		{"fork @387 lr .005,pgd", "fork @387 lr.005,pgd"},
		{"ρ .2,ρ .2", "ρ.2,ρ.2"},
		{"momentum .5,uncertainty kl", "momentum.5,uncertainty kl"},
	} {
		names := strings.Split(c.names, ",")
		var got []string
		for i, briefs := range Briefs(names) {
			last := names[i]
			if len(briefs) > 0 {
				last = briefs[len(briefs)-1]
			}
			got = append(got, last)
		}
		if text := strings.Join(got, ","); text != c.briefs {
			t.Errorf("%s: %s, want %s", c.names, text, c.briefs)
		}
	}
}
