package look

import (
	"bytes"
	"strings"
	"testing"

	cells "drolab/tui/cell"

	"charm.land/lipgloss/v2"
)

func TestMeter(t *testing.T) {
	var out bytes.Buffer
	m := &meter{out: cells.NewWriter(&out), name: "mnist"}
	for done := int64(0); done <= 1e8; done += 1e6 {
		m.show(done, 1e8)
	}
	m.end()
	if got := strings.Count(out.String(), "\n"); got != 10 ||
		!strings.HasSuffix(out.String(), "mnist: 100.0 MB of 100.0 MB\n") {
		t.Errorf("%d lines, want 10:\n%s", got, out.String())
	}
	if text := megabytes(170052171); text != "170.1 MB" {
		t.Errorf("%q", text)
	}
	m.show(5, 0) // the server does not report the size
	for width := 1; width < 100; width++ {
		m.width = width
		if w := lipgloss.Width(m.line(3, 7)); w >= width && width > 30 {
			t.Errorf("%d cells on a screen of %d", w, width)
		}
	}
}
