package compare

import (
	"slices"
	"strings"
	"testing"

	"drolab/dro"
)

// TestQuestions: a network is not better than itself because it is measured at another radius, on
// other data, or by its own method's objective.
func TestQuestions(t *testing.T) {
	const chi, kl = "chi2", "kl"
	of := func(a dro.Algorithm) func([]float64, string, float64) []member {
		return func(worst []float64, set string, rho float64) []member {
			return newRuns(a, worst, at(set, rho))
		}
	}
	sfk, erm := of(dro.SFK), of(dro.ERM)
	a, b := accuraciesA, accuraciesB
	for _, c := range []struct {
		name string
		runs []member
		want map[string]string // rows that are marked, by measure
		note NoteKind
	}{
		{"one problem", slices.Concat(sfk(a, chi, .5), erm(b, chi, .5)),
			map[string]string{"robust_risk": "sfk", "worst_class_accuracy": "sfk",
				"full_grad_norm": ""}, ""},
		{"one name of χ² is as good as the other",
			slices.Concat(sfk(a, chi, .5), erm(b, "cressie-read", .5)),
			map[string]string{"robust_risk": "sfk"}, ""},
		{"two radii", slices.Concat(sfk(a, chi, .5), sfk(b, chi, 1.5)),
			map[string]string{"robust_risk": "", "worst_class_accuracy": "ρ .5"}, Problem},
		{"two sets", slices.Concat(sfk(a, chi, .5), sfk(b, kl, .5)),
			map[string]string{"robust_risk": "", "worst_class_accuracy": "uncertainty chi2"},
			Problem},
		{"a set without a radius",
			slices.Concat(sfk(a, "cvar", .5), erm(b, "cvar", 1.5)),
			map[string]string{"robust_risk": "sfk"}, ""}, // and ρ names no row
		{"a winner at each radius", slices.Concat(
			sfk(a, chi, .5), erm(b, chi, .5),
			sfk(b, chi, 1.5), erm(a, chi, 1.5)),
			map[string]string{"robust_risk": "sfk ρ .5 erm ρ 1.5", "worst_class_accuracy": ""},
			Problem},
		{"other data", slices.Concat(newRuns(dro.SFK, accuraciesA),
			newRuns(dro.ERM, accuraciesB, func(m *member) { m.meta.Checksum = "sha256:1" })),
			map[string]string{"worst_class_accuracy": "", "robust_risk": ""}, Dataset},
	} {
		table := tabulate(c.runs, Options{})
		for name, want := range c.want {
			if got := strings.Join(starred(table, column(t, table, name)), " "); got != want {
				t.Errorf("%s: %s marked in %q, want %q", c.name, name, got, want)
			}
		}
		if c.note != "" && !slices.Contains(kinds(table), c.note) {
			t.Errorf("%s: notes %v, want one about %q", c.name, table.Notes, c.note)
		}
		if has := slices.Contains(kinds(table), Problem); has && c.note != Problem {
			t.Errorf("%s: notes %v, want none about %q", c.name, table.Notes, Problem)
		}
	}
	table := tabulate(slices.Concat(sfk(a, chi, .5),
		sfk(b, chi, 1.5)), Options{})
	risk := table.Columns[column(t, table, "robust_risk")]
	norm := table.Columns[column(t, table, "full_grad_norm")]
	if n := len(risk.Tests) + len(norm.Tests); n+risk.Family != 0 {
		t.Errorf("%d tests in a family of %d, want none: %+v, %+v", n, risk.Family, risk, norm)
	}
	if problem := table.Rows[1].Problem; problem != "χ², ρ=1.5" {
		t.Errorf("the second row is of %q, want χ², ρ=1.5", problem)
	}
	const want = "runs differ in set or radius (χ², ρ=0.5; χ², ρ=1.5): the same network has " +
		"another robust risk and excess risk and dual gap and penalised gap at each, so only " +
		"runs with the same set and radius are tested"
	if note := noteOf(table, Problem); !strings.HasPrefix(note, want) {
		t.Errorf("note %q, want it to begin with %q", note, want)
	}
}
