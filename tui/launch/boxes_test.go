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
	if strings.Contains(row, "ticked") {
		t.Errorf("%q counts ticked boxes, and all of them are in sight", row)
	}
	l.spec().Algorithms = dro.Algorithms()[:5]
	if row := l.value("algorithms", 30); !strings.Contains(row, "more, 4 ticked") {
		t.Errorf("%q does not say that it hides 4 ticked boxes", row)
	}
}
