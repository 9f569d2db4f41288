package sweep

import (
	"slices"
	"strings"
	"testing"
)

func TestExpand(t *testing.T) {
	l := parse(t, small).Expand()
	// erm does not read c: 2 radii × 3 draws × 2 methods × 2 seeds.
	if n := len(l.Runs); n != 24 {
		t.Fatalf("the list has %d runs, want 24", n)
	}
	if want := []string{"rho", "lr", "c"}; !slices.Equal(l.Keys, want) {
		t.Fatalf("the keys %q vary, want %q", l.Keys, want)
	}
	first, second := &l.Runs[0], &l.Runs[1]
	if first.Setting != second.Setting {
		t.Errorf("the first two runs have the settings %d and %d, want the same setting",
			first.Setting, second.Setting)
	}
	if first.Seed+1 != second.Seed {
		t.Errorf("the first two runs have the seeds %d and %d, want successive ones", first.Seed,
			second.Seed)
	}
	if first.ID == second.ID {
		t.Errorf("the first two runs have the same name, %s", first.ID)
	}
	for i, r := range l.Runs {
		s, err := l.Spec(i)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(); err != nil {
			t.Errorf("run %d: Validate(): %v", i, err)
		}
		fixed := map[string]string{"epochs": "2", "select": "val_loss", "seeds": "1"}
		for key, want := range fixed {
			if got := s.Text(key); got != want {
				t.Errorf("run %d: %s is %s, want %s", i, key, got, want)
			}
		}
		if s.LR < .001 || s.LR > .1 {
			t.Errorf("run %d: lr %g is outside of its range", i, s.LR)
		}
		if got := newNamer(&s).id(l.Name, &s); got != r.ID {
			t.Errorf("run %d: named %s, its spec is %s", i, r.ID, got)
		}
		if _, ok := r.Values["c"]; ok != (r.Algorithm == "sfk") {
			t.Errorf("run %d of %s: varies in c: %v", i, r.Algorithm, ok)
		}
	}
	// Every draw occurs at every point of the grid.
	if a, b := l.Runs[0].Values["lr"], l.Runs[6].Values["lr"]; string(a) != string(b) {
		t.Errorf("the first draw is %s at one point and %s at another", a, b)
	}
}

func TestTheSameFileGivesTheSameList(t *testing.T) {
	ids := func(text string) (ids []string) {
		for _, r := range parse(t, text).Expand().Runs {
			ids = append(ids, r.ID)
		}
		return ids
	}
	a := ids(small)
	if !slices.Equal(a, ids(small)) {
		t.Error("twice the same file gives two lists")
	}
	// More draws keep the draws that there were, and another seed of the draws does not.
	more := ids(strings.Replace(small, "draws: 3", "draws: 5", 1))
	for _, id := range a {
		if !slices.Contains(more, id) {
			t.Errorf("with more draws %s is no more", id)
		}
	}
	if other := ids(strings.Replace(small, "seed: 7", "seed: 8", 1)); slices.Equal(a, other) {
		t.Error("the seed of the draws changes nothing")
	}
	// Names are permanent: a change here makes every existing sweep start anew.
	if got, want := a[0], "mine-sfk-s1-a7e6cdc12ff4967c"; got != want {
		t.Errorf("the first run is named %s, was %s", got, want)
	}
}

// beta1 varies for AdamW alone, and momentum is not read with it: no run occurs twice.
func TestSettingsVaryWhereTheyAreRead(t *testing.T) {
	l := parse(t, `
preset: csv
grid: {optimizer: [sgd, adamw], beta1: [.8, .9], momentum: [0, .9], algo: [erm]}
set: {epochs: 2, val_fraction: .2}
`).Expand()
	of := map[string]int{}
	for i, r := range l.Runs {
		s, err := l.Spec(i)
		if err != nil {
			t.Fatal(err)
		}
		if s.Text("optimizer")+s.Text("beta1") == "sgd0.8" {
			t.Errorf("run %d has beta1 = 0.8 with the optimizer sgd, which does not read it", i)
		}
		of[s.Optimizer]++
		if _, ok := r.Values["beta1"]; ok != (s.Optimizer == "adamw") {
			t.Errorf("%s varies in beta1: %v", s.Optimizer, ok)
		}
	}
	if of["sgd"] != 2 || of["adamw"] != 2 {
		t.Errorf("runs %v, want two of each", of)
	}
}

// TestMethodsVaryInWhatTheyRead: erm does not read c, and so has one run a seed.
func TestMethodsVaryInWhatTheyRead(t *testing.T) {
	l := parse(t, "preset: csv\ngrid: {c: [10, 100, 1000], algo: [sfk, erm]}\nset: "+
		"{val_fraction: .2}").Expand()
	counts := map[string]int{}
	for _, r := range l.Runs {
		counts[string(r.Algorithm)]++
	}
	if counts["sfk"] != 3 || counts["erm"] != 1 {
		t.Errorf("the methods have so many runs: %v, want 3 of sfk and 1 of erm", counts)
	}
}
