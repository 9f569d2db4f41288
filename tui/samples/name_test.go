package samples

import (
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/tui/cell"
)

// TestTitleNamesTheMethod: however few cells there are, the name of the run says its method and is
// no longer than they are.
func TestTitleNamesTheMethod(t *testing.T) {
	for _, id := range []string{"shapes-sfk-auto-s1-20261130-005047-6tl3", "renamed",
		"shapes-sfk-s1"} {
		m := &runner.Meta{ID: id}
		m.Spec.Algorithms = []dro.Algorithm{"sfk-auto"}
		for cells := 8; cells < 60; cells++ {
			name := nameWithMethod(m, cells)
			if !strings.Contains(name, "sfk-auto") || cell.Width(name) > cells {
				t.Errorf("%d cells: %q", cells, name)
			}
		}
	}
}
