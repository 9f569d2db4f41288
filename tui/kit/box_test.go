package kit

import (
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
)

// TestPanelNote: a note that has no room loses its last parts, in ASCII too.
func TestPanelNote(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		theme := NewTheme(colorprofile.ASCII, true, ascii)
		for w, want := range map[int]string{50: "log · by λ · mean of 5", 34: "log", 12: ""} {
			head := theme.Panel("Loss", "log · by λ · mean of 5", false, true, nil, w, 3)[0]
			if !strings.Contains(head, theme.Greek(want)) ||
				strings.Contains(head, "log") != (want != "") {
				t.Errorf("ASCII %v, %d cells: %q, want %q in it", ascii, w, head, want)
			}
		}
	}
}
