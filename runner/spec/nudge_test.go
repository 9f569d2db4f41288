package spec

import (
	"slices"
	"testing"

	"drolab/dro"
)

// TestNudge steps through values as arrow keys do, and stops at the bounds of the setting.
func TestNudge(t *testing.T) {
	for _, c := range []struct {
		key, from string
		by        int
		want      []string
	}{
		{"lr", "0.05", 1, []string{"0.1", "0.2", "0.5", "1", "2"}},
		{"lr", "0.05", -1, []string{"0.02", "0.01", "0.005", "0.002", "0.001", "0.0005"}},
		{"lr", "0.03", 1, []string{"0.05"}},
		{"momentum", "0.9", 1, []string{"0.95", "0.975", "0.988"}},
		{"weight_decay", "0.0005", -1, []string{"0", ""}},
		{"weight_decay", "0", 1, []string{"0.001", "0.002"}},
		{"epochs", "8", 1, []string{"10", "20", "50"}},
		{"epochs", "1", -1, []string{""}},
		{"warmup", "0", 1, []string{"1", "2"}},
		{"schedule", `"constant"`, 1, []string{""}},
		{"eta", "-1", 1, []string{"-0.5", "-0.2"}},
		{"no such", "", 1, []string{""}},
	} {
		s := Defaults()
		s.Algorithms = []dro.Algorithm{dro.SFK}
		if c.from != "" {
			if err := s.Assign(c.key, []byte(c.from)); err != nil {
				t.Fatalf("Assign(%s, %s): %v", c.key, c.from, err)
			}
		}
		for _, want := range c.want {
			got, ok := s.Nudge(c.key, c.by)
			if got != want || ok != (want != "") {
				t.Errorf("%s from %s: Nudge(by %d) = %q, %v, want %q, %v", c.key, c.from, c.by,
					got, ok, want, want != "")
				break
			}
			if ok {
				if err := s.Assign(c.key, []byte(got)); err != nil {
					t.Fatalf("Assign(%s, %s): %v", c.key, got, err)
				}
			}
		}
	}
}

// TestNudgeStays nudges every setting of every method that a fork may change. Each neighbour is
// valid, differs from the value, and leaves the method as it is.
func TestNudgeStays(t *testing.T) {
	for _, a := range dro.Algorithms() {
		s := Defaults()
		s.Algorithms = []dro.Algorithm{a}
		keys := s.Forkable()
		if len(keys) == 0 || keys[0] != "lr" {
			t.Fatalf("%s: a fork may change %v, want lr first", a, keys)
		}
		if slices.Contains(keys, "batch") {
			t.Fatalf("%s: a fork may change %v, want no batch", a, keys)
		}
		for _, key := range keys {
			for _, by := range []int{-1, 1} {
				text, ok := s.Nudge(key, by)
				if ok && text == s.Text(key) {
					t.Errorf("%s: %s nudged by %d stays %s", a, key, by, text)
				}
			}
		}
	}
}
