package runs

import (
	"slices"
	"strings"
	"testing"

	"drolab/runner/record"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
)

// TestFold: seeds share a line with their mean and deviation, and what is asked of
// the line is asked of all of them.
func TestFold(t *testing.T) {
	r, p := runsOf(t, tuitest.NewArchive(t))
	r.Size(120, 38)
	apart := len(p.shown)
	if p.folded {
		t.Error("seeds are together")
	}
	r.Press("o")
	if len(p.shown) >= apart {
		t.Fatalf("%d lines, and %d runs", len(p.shown), apart)
	}
	p.at = slices.IndexFunc(p.shown, func(r *record.Run) bool { return len(p.lineOf(r)) > 1 })
	all := p.lineOf(p.current())
	text := tuitest.Text(r.Shot())
	if !strings.Contains(text, "n=2") || !strings.Contains(text, "±") ||
		!strings.Contains(text, "newest of 2 seeds") {
		t.Errorf("no mean over seeds is shown:\n%s", text)
	}
	worst := slices.IndexFunc(p.columns, func(c runColumn) bool { return c.head == "worst %" })
	of := func(l line) string { return p.columns[worst].cell(l) }
	if together := of(all); together == of(line{all[0]}) || !strings.Contains(together, "±") {
		t.Errorf("together %s, the first %s", together, of(line{all[0]}))
	}
	r.Press("enter")
	if m, ok := tuitest.Sent[lab.Watch](r.Rig); !ok || !slices.Equal(m.IDs, ids(all)) {
		t.Errorf("watched are %v, want %v", m.IDs, ids(all))
	}
	r.Press("space")
	if len(p.chosen) != len(all) {
		t.Errorf("%d runs are selected, want the line's %d", len(p.chosen), len(all))
	}
	r.Fits(t, "folded")
	if r.Press("o"); len(p.shown) != apart {
		t.Errorf("apart again, %d lines", len(p.shown))
	}
}
