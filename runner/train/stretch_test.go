package train

import (
	"testing"
	"time"
)

// TestStretch: pauses that most steps do not see make the pace slower by their part of the time.
func TestStretch(t *testing.T) {
	const ms = time.Millisecond
	took := [][]time.Duration{{4 * ms, 4 * ms, 54 * ms, 4 * ms}, {ms, ms, ms, 51 * ms}}
	if got := stretch(took, 120*ms); got != 6 {
		t.Errorf("stretch() = %v, want 6: 120 ms for 20 ms of steps", got)
	}
	if got := stretch(took, 10*ms); got != 1 {
		t.Errorf("stretch() = %v, want 1", got)
	}
	fast, slow := StepTimes{Train: 4 * ms, Stretch: 1}, StepTimes{Train: 4 * ms, Stretch: 2}
	if a, b := fast.Pace(8).Images, slow.Pace(8).Images; a != 2000 || b != 1000 {
		t.Errorf("the paces are %v and %v samples a second, want 2000 and 1000", a, b)
	}
}
