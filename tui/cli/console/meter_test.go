package console

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"drolab/tui/cell"

	"charm.land/lipgloss/v2"
)

func TestMeter(t *testing.T) {
	var out bytes.Buffer
	megabytes := func(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
	m := &Meter{out: cell.NewWriter(&out), name: "mnist", amount: megabytes}
	for done := int64(0); done <= 1e8; done += 1e6 {
		m.Show(done, 1e8, 0)
	}
	m.End()
	if got := strings.Count(out.String(), "\n"); got != 10 ||
		!strings.HasSuffix(out.String(), "mnist: 100.0 MB of 100.0 MB\n") {
		t.Errorf("%d lines, want 10:\n%s", got, out.String())
	}
	m.Show(5, 0, 0) // the server does not report the size
	for width := 1; width < 100; width++ {
		m.width = width
		if w := lipgloss.Width(m.line(3, 7, time.Hour)); w >= width && width > 40 {
			t.Errorf("%d cells on a screen of %d", w, width)
		}
	}
}

// A reading of ten thousand shows nothing in its first half second, and then a line for each tenth
// with the time that is left. It ends with its context.
func TestMeterOfAReading(t *testing.T) {
	var out bytes.Buffer
	at := time.Unix(0, 0)
	m := &Meter{out: cell.NewWriter(&out), name: "reading runs", amount: plainCount,
		delay: readingDelay, now: func() time.Time { return at }}
	ctx, stop := context.WithCancel(context.Background())
	tell := m.Progress(ctx)
	for done := 0; done <= 10_000; done += 100 {
		if err := tell(done, 10_000); err != nil {
			t.Fatal(err)
		}
		if got := out.Len() > 0; got != (done >= 1000) {
			t.Fatalf("%d of 10000: something is shown: %v\n%s", done, got, &out)
		}
		at = at.Add(100 * time.Millisecond) // a thousand a second
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, want := range []string{"reading runs: 1000 of 10000, ETA 9s",
		"reading runs: 2000 of 10000, ETA 8s"} {
		if lines[i] != want {
			t.Errorf("%q, want %q", lines[i], want)
		}
	}
	if got, want := lines[len(lines)-1], "reading runs: 10000 of 10000"; got != want ||
		len(lines) != 10 {
		t.Errorf("%d lines, want 10; the last is %q, want %q", len(lines), got, want)
	}
	out.Reset()
	if err := (&Meter{out: m.out}).Progress(ctx)(50, 99); err != nil || out.Len() > 0 {
		t.Errorf("a reading of few: %v, %q", err, out.String())
	}
	stop()
	if err := tell(1, 10_000); err == nil || !strings.HasPrefix(err.Error(), "interrupted: ") {
		t.Errorf("after its context: %v", err)
	}
}
