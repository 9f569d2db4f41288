package cell

import "testing"

// TestMarks: the marks of all shapes and letters differ, in ASCII too.
func TestMarks(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		seen := map[rune]bool{}
		for i := range Marks {
			seen[Mark(i, ascii)] = true
		}
		for i := range Letters {
			seen[Mark(Marks*ShapeRows+i, ascii)] = true
		}
		if len(seen) != Marks+Letters {
			t.Errorf("ASCII %v: %d marks for %d series", ascii, len(seen), Marks+Letters)
		}
	}
}
