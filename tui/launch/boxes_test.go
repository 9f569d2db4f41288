package launch

import (
	"strings"
	"testing"

	"drolab/dro"
	"drolab/tui/cell"
	"drolab/tui/internal/tuitest"
)

// TestBoxesAreReached: the method under the cursor is on the screen, however many methods there
// are.
func TestBoxesAreReached(t *testing.T) {
	for _, w := range []int{40, 80, 120} {
		r, l, _ := launchOf(t)
		r.Size(w, 22)
		l.goTo(t, "algorithms")
		for i, a := range dro.Algorithms() {
			s := tuitest.Text(r.Shot())
			if l.box != i || !strings.Contains(s, cell.Unticked+string(a)) &&
				!strings.Contains(s, cell.Ticked+string(a)) {
				t.Errorf("%d cells: %s is under the cursor and not on the screen:\n%s", w, a, s)
			}
			for _, other := range dro.Algorithms() {
				if w >= 80 && !strings.Contains(s, string(other)) {
					t.Errorf("%d cells: %s is not on the screen:\n%s", w, other, s)
				}
			}
			r.Fits(t, string(a))
			r.Press("right")
		}
		// If the cursor is elsewhere, their line says how many more there are.
		r.Press("down")
		if s := tuitest.Text(r.Shot()); w == 80 && !strings.Contains(s, " more") {
			t.Errorf("%d cells: nothing says that there are more methods:\n%s", w, s)
		}
	}
}

// TestTickedBoxesAreSeen: a row that is too narrow for all methods shows the chosen ones.
func TestTickedBoxesAreSeen(t *testing.T) {
	_, l, _ := launchOf(t)
	last := dro.Algorithms()[len(dro.Algorithms())-1]
	l.spec().Algorithms = []dro.Algorithm{last}
	row := l.value("algorithms", 30)
	for _, want := range []string{string(last), "more"} {
		if !strings.Contains(row, want) {
			t.Errorf("%q lacks %q, though %s alone is chosen", row, want, last)
		}
	}
	l.spec().Algorithms = []dro.Algorithm{dro.SFK, dro.PGD, dro.ERM, "sfk-auto"}
	const names = "sfk pgd erm sfk-auto"
	if row := cell.OneLine(l.value("algorithms", 30)); !strings.Contains(row, names) ||
		strings.Contains(row, cell.Ticked) {
		t.Errorf("%q lacks the chosen %q", row, names)
	}
	wide := l.value("algorithms", 60)
	for _, want := range []string{cell.Ticked + "sfk-auto", cell.Unticked, " more"} {
		if !strings.Contains(wide, want) {
			t.Errorf("with room for boxes %q lacks %q", wide, want)
		}
	}
}
