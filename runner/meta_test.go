package runner

import (
	"slices"
	"testing"

	"drolab/runner/spec"

	"drolab/runner/measure"
)

// Every bin of the histogram of ratios has a name.
func TestPlacesOfRatios(t *testing.T) {
	if got := (&Meta{}).Places(measure.PerRatio); len(got) != len(measure.RatioEdges()) {
		t.Errorf("places %v", got)
	}
}

// TestEndsPart: the ends of a run's parts are as far apart as whole steps allow, and the last one
// is the end of the run.
func TestEndsPart(t *testing.T) {
	for _, c := range []struct {
		steps int64
		parts int
		want  []int64
	}{
		{1720, 4, []int64{430, 860, 1290, 1720}},
		{10, 4, []int64{2, 5, 7, 10}},
		{3, 4, []int64{1, 2, 3}},
		{10, 0, nil},
	} {
		m := Meta{Steps: c.steps, CheckpointParts: c.parts}
		var got []int64
		for step := range c.steps + 1 {
			if m.EndsPart(step) {
				got = append(got, step)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d steps in %d parts end at %v, want %v", c.steps, c.parts, got, c.want)
		}
	}
}

// TestPartsAreBounded: a run.json cannot ask for more parts than any program makes, which would
// keep every checkpoint.
func TestPartsAreBounded(t *testing.T) {
	for parts, usable := range map[int]bool{-1: false, 0: true, 4: true, 100: true, 101: false,
		1 << 62: false} {
		m := Meta{StepsPerEpoch: 1, Steps: 1, Spec: spec.Defaults(), CheckpointParts: parts}
		if err := m.Usable(); (err == nil) != usable {
			t.Errorf("Usable() with %d parts = %v, want usable %v", parts, err, usable)
		}
	}
}

// TestConfiguration: runs that differ in the seed, and in how often they are looked at or saved,
// have one configuration, as in comparisons. Any other setting makes another one.
func TestConfiguration(t *testing.T) {
	of := func(change func(*spec.Spec)) string {
		m := Meta{Spec: spec.Defaults()}
		change(&m.Spec)
		return m.Configuration()
	}
	plain := of(func(*spec.Spec) {})
	for name, c := range map[string]struct {
		change func(*spec.Spec)
		same   bool
	}{
		"seed":             {func(s *spec.Spec) { s.Seed = 7 }, true},
		"log_every":        {func(s *spec.Spec) { s.LogEvery = 1 }, true},
		"checkpoint_every": {func(s *spec.Spec) { s.CheckpointEvery = 43 }, true},
		"checkpoint_keep":  {func(s *spec.Spec) { s.CheckpointKeep = 100 }, true},
		"rho":              {func(s *spec.Spec) { s.Rho *= 2 }, false},
		"epochs":           {func(s *spec.Spec) { s.Epochs++ }, false},
	} {
		if same := of(c.change) == plain; same != c.same {
			t.Errorf("runs that differ in %s have one configuration: %v, want %v", name, same,
				c.same)
		}
	}
}
