package lab_test

import (
	"cmp"
	"strings"
	"testing"

	"drolab/tui/internal/tuitest"
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
	for what, want := range map[string]int{"Batch loss: ": 1, "Exactly: ": 1,
		"of all test samples classified correctly": 1} {
		if n := strings.Count(text, what); n != want {
			t.Errorf("%q stands %d times, want %d, in\n%s", what, n, want, text)
		}
	}
}

// TestOneName: a name is that of one measure. The plain sentence of a measure begins with its own
// name and not with that of another one.
func TestOneName(t *testing.T) {
	defined := map[string]string{} // the name of the measure by the name that its sentence gives
	for _, m := range tuitest.Measures() {
		tuitest.OneName(t, m.Title, &m.Measure)
		tuitest.OneName(t, m.Head(), &m.Measure)
		for _, text := range lab.Define([]string{m.Name}) {
			name, _, _ := strings.Cut(text, ":")
			tuitest.OneName(t, strings.ToLower(name), &m.Measure)
			if other := cmp.Or(defined[name], m.Name); other != m.Name {
				t.Errorf("%q begins the definitions of %s and of %s, want two names", name, other,
					m.Name)
			}
			defined[name] = m.Name
		}
	}
	if len(defined) < 30 {
		t.Errorf("%d names are defined, want 30 or more", len(defined))
	}
}
