package cell

import (
	"strings"
	"testing"
)

// TestApart: however little room there is, names that differ do so in their shortened forms, from
// four cells on.
func TestApart(t *testing.T) {
	names := []string{"hexagon", "hexagram", "hexagon", "a class of trains", "a class of brains",
		"", "ring", "六角形と円", "六角星と円"}
	for w := range 20 {
		short := Apart(names, w)
		for i := range names {
			if n := Width(short[i]); n > w {
				t.Errorf("in %d cells %q is %q, of %d cells", w, names[i], short[i], n)
			}
			for j := range i {
				if w >= 4 && (names[i] == names[j]) != (short[i] == short[j]) {
					t.Errorf("in %d cells %q and %q are %q and %q", w, names[i], names[j], short[i],
						short[j])
				}
			}
		}
	}
	if got := Apart(names[:2], 8); got[0] != "hexagon" || got[1] != "hexagram" {
		t.Errorf("names that fit are %q", got)
	}
}

// TestCutLeavesNoSeparator: a cut text ends in its mark, and not in a blank or a separator.
func TestCutLeavesNoSeparator(t *testing.T) {
	for w := range 30 {
		got := Cut("ρ = 0.2 · λ in [0.1, 54] · η", w)
		if strings.HasSuffix(got, " …") || strings.HasSuffix(got, "·…") {
			t.Errorf("in %d cells: %q", w, got)
		}
	}
	if got := ASCII(Cut("hexagon", 5)); got != "hexa~" {
		t.Errorf("in ASCII a cut is %q, want hexa~", got)
	}
}
