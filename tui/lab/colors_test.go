package lab

import (
	"fmt"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/lists"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/kit"
)

// configurations returns a run of each of some methods, in the order of their starts, each with
// settings of its own.
func configurations(preset string, methods ...dro.Algorithm) (runs []*record.Run) {
	for i, method := range methods {
		r := &record.Run{}
		r.Meta.ID, r.Meta.Preset = fmt.Sprint(preset, i), preset
		r.Meta.Created = time.Unix(int64(len(preset)+i), 0)
		r.Meta.Spec.Algorithms, r.Meta.Spec.LR = []dro.Algorithm{method}, .1*float64(i+1)
		runs = append(runs, r)
	}
	return runs
}

func metas(runs []*record.Run) []*runner.Meta {
	return lists.Map(runs, func(r *record.Run) *runner.Meta { return &r.Meta })
}

// TestVariants: a method has one colour and one mark, whatever is shown with it. Its configurations
// are numbered in the order of their starts, and have the same number among all runs, among some,
// and in any order.
func TestVariants(t *testing.T) {
	runs := configurations("p", dro.SFK, dro.ERM, dro.SFK, dro.SFK, dro.PGD, dro.SFK)
	want := []string{"●", "◆", "●₂", "●₃", "■", "●₄"}
	colors, theme := ColorsOf(runs), kit.BareTheme(false)
	for _, shown := range [][]int{{0, 1, 2, 3, 4, 5}, {5, 4, 3, 2, 1, 0}, {3, 5}, {2}, {1, 5}} {
		some := lists.Map(shown, func(i int) *record.Run { return runs[i] })
		for k, n := range colors.ForRuns(metas(some)) {
			if got := theme.Mark(n); got != want[shown[k]] {
				t.Errorf("of the runs %v, run %d has the mark %s, want %s", shown, shown[k], got,
					want[shown[k]])
			}
			if alone := colors.Number(some[k].Configuration(), &some[k].Meta); alone != n {
				t.Errorf("run %d has the number %d among %v, and %d in the list of all", shown[k],
					n, shown, alone)
			}
		}
	}
}

// TestVariantsThatMeet: configurations of two presets have different numbers where they meet, and
// so have those of which the folder does not know and those that are too many for a digit.
func TestVariantsThatMeet(t *testing.T) {
	both := append(configurations("p", dro.SFK, dro.SFK), configurations("qq", dro.SFK, dro.ERM)...)
	colors := ColorsOf(both)
	if a, b := colors[both[0].Configuration()], colors[both[2].Configuration()]; a != 1 || b != 1 {
		t.Fatalf("the first configurations of two presets are variants %d and %d, want 1, 1", a, b)
	}
	many := make([]dro.Algorithm, kit.Variants+4)
	for i := range many {
		many[i] = dro.PGD
	}
	late := configurations("p", many...)
	for name, shown := range map[string]struct {
		colors Colors
		runs   []*record.Run
		want   string
	}{
		"two presets": {colors, both, "●●₂●₃◆"},
		"unknown":     {nil, both, "●●₂●₃◆"},
		"late":        {ColorsOf(late), late[kit.Variants:], "■₂■₃■₄■₅"},
		"many":        {ColorsOf(late), late, "■■₂■₃■₄■₅■₆■₇■₈■₉■₊■₊■₊■₊■₊"},
	} {
		got := ""
		for _, n := range shown.colors.ForRuns(metas(shown.runs)) {
			got += kit.BareTheme(false).Mark(n)
		}
		if got != shown.want {
			t.Errorf("%s: the marks are %s, want %s", name, got, shown.want)
		}
	}
}

// TestAnyNumberOfMethods: methods have different marks, in ASCII too, however many there are.
func TestAnyNumberOfMethods(t *testing.T) {
	marks := map[rune]bool{}
	for i := range kit.Colors + cell.Letters {
		marks[cell.Mark(int(kit.MethodNumber(i)), true)] = true
	}
	if want := kit.Colors + cell.Letters; len(marks) != want {
		t.Errorf("%d methods have %d marks", want, len(marks))
	}
}
