package lab_test

import (
	"strings"
	"testing"

	"drolab/tui/kit"
	"drolab/tui/lab"
)

// TestDefinedOnce: a definition is on a screen once, and the exact definition does not repeat the
// plain sentence.
func TestDefinedOnce(t *testing.T) {
	l := &lab.Lab{Theme: &kit.Theme{}}
	l.Body = kit.Area(0, 0, 200, 60)
	names := []string{"test_accuracy", "loss"}
	o := l.Defined("", append(lab.Define(names), lab.Define(names[1:])...))
	text := strings.Join(o.Lines, " ")
	for what, want := range map[string]int{"Train loss: ": 1, "Exactly: ": 1,
		"of all test samples classified correctly": 1} {
		if n := strings.Count(text, what); n != want {
			t.Errorf("%q stands %d times, want %d, in\n%s", what, n, want, text)
		}
	}
}
