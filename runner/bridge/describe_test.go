package bridge

import (
	"encoding/json"
	"testing"

	"drolab/runner/spec"
)

// TestSettingsKeepLargeSeeds: a program gets the seed of its run among the settings to the last
// digit, and its own words beside them.
func TestSettingsKeepLargeSeeds(t *testing.T) {
	s := spec.Defaults()
	s.Seed = 1<<53 + 1 // no float64
	settings, err := settingsOf(&s, spec.Program{Path: "train.py", Words: []string{"width=2"}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(settings)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Seed  uint64
		Rho   float64
		Width string
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("reading the settings: %v:\n%s", err, text)
	}
	if got.Seed != s.Seed {
		t.Errorf("the seed %d is given as %d", s.Seed, got.Seed)
	}
	if got.Rho != s.Rho {
		t.Errorf("rho = %v, want %v", got.Rho, s.Rho)
	}
	if got.Width != "2" {
		t.Errorf("width = %q, want 2", got.Width)
	}
}
