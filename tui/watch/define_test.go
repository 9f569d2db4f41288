package watch

import (
	"strings"
	"testing"

	"drolab/tui/internal/tuitest"
)

// TestBestIsDefined: i says of how many seeds the best is, as the manual does, because Compare has
// another sign with another rule.
func TestBestIsDefined(t *testing.T) {
	r := watching(t, 200, 100)
	r.Press("i")
	want := "marks the best figure of a column, of however few seeds"
	if s := tuitest.Text(r.Shot()); !strings.Contains(s, want) {
		t.Errorf("the definitions lack %q:\n%s", want, s)
	}
}
