package lab

import (
	"fmt"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/tui/cell"
	"drolab/tui/kit"
)

// TestMethodsColours: a method has one colour, whatever is shown with it, and each of its variants
// has a mark that nothing else there has. Both stay the same from day to day.
func TestMethodsColours(t *testing.T) {
	var runs []*runner.Meta
	for _, method := range []dro.Algorithm{dro.SFK, dro.ERM, dro.SFK, dro.SFK, dro.PGD, dro.SFK} {
		m := &runner.Meta{Preset: "p"}
		m.Spec.Algorithms = []dro.Algorithm{method}
		m.Spec.LR = .1 * float64(len(runs)+1)
		runs = append(runs, m)
	}
	numbers := Colors(nil).ForRuns(runs)
	known, marks := Colors{}, map[rune]bool{}
	for i, m := range runs {
		if n := numbers[i]; n%kit.Colors != methodNumber(m) || i < 2 && n != methodNumber(m) {
			t.Errorf("%s has the number %d, want its method's, %d, or a variant of it",
				m.Spec.Algorithm(), n, methodNumber(m))
		}
		mark := cell.Mark(int(numbers[i]), false)
		if marks[mark] {
			t.Errorf("two have the mark %c", mark)
		}
		marks[mark] = true
		known[m.Configuration()] = numbers[i]
	}
	if again := known.ForRuns(runs[3:]); fmt.Sprint(again) != fmt.Sprint(numbers[3:]) {
		t.Errorf("%v, and alone %v", numbers[3:], again)
	}
	many := make([]*runner.Meta, 40) // more than there are marks
	for i := range many {
		many[i] = &runner.Meta{}
		many[i].Spec.Algorithms, many[i].Spec.LR = []dro.Algorithm{dro.PGD}, float64(i)
	}
	for _, n := range Colors(nil).ForRuns(many) {
		if n%kit.Colors != methodNumber(many[0]) {
			t.Errorf("a variant has the number %d", n)
		}
	}
}

// TestAnyNumberOfMethods: methods that are shown together have different marks, in ASCII too,
// however many there are, and also where they have the same number.
func TestAnyNumberOfMethods(t *testing.T) {
	const different = kit.Colors + cell.Letters
	for _, shown := range []struct{ count, apart int }{{different, 1}, {12, different}} {
		for first := range 2 * different {
			var methods []uint8
			for k := range shown.count {
				methods = append(methods, kit.MethodNumber(first+k*shown.apart))
			}
			given, marks := kit.Numbers(methods...), map[rune]bool{}
			for _, m := range methods {
				marks[cell.Mark(int(given.Next(m, uint8(first))), true)] = true
			}
			if len(marks) != shown.count {
				t.Fatalf("from method %d on, %d have %d marks", first, shown.count, len(marks))
			}
		}
	}
}
