package runner

import "testing"

// Every bin of the histogram of ratios has a name.
func TestPlacesOfRatios(t *testing.T) {
	if got := (&Meta{}).Places(PerRatio); len(got) != len(RatioEdges()) {
		t.Errorf("places %v", got)
	}
}
