package watch

import (
	"strings"
	"testing"
	"time"

	"drolab/tui/internal/tuitest"
)

// While runs are live a line below the table says how busy the machine is, asked for once in a
// while; when they have ended it goes.
func TestBoxLine(t *testing.T) {
	r := newRig(t, tuitest.NewScript(t), 120, 40)
	asked := 0
	r.Config.Box = func(time.Time) string { asked++; return "load 1.5 of 2 \x1bcores" }
	r.Wait(11*time.Second, time.Second/5)
	lines := strings.Split(tuitest.Text(r.Shot()), "\n")
	if !strings.Contains(strings.Join(lines[5:7], " "), "load 1.5 of 2 ?cores") || asked != 3 {
		t.Errorf("asked %d times in 11 s:\n%s", asked, strings.Join(lines, "\n"))
	}
	r.Fits(t, "box")
	r.Wait(20*time.Second, time.Second)
	if s := tuitest.Text(r.Shot()); strings.Contains(s, "load 1.5") {
		t.Errorf("no run is live:\n%s", s)
	}
}
