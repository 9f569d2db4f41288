package runner

import (
	"drolab/runner/measure"
	"testing"
)

// Every bin of the histogram of ratios has a name.
func TestPlacesOfRatios(t *testing.T) {
	if got := (&Meta{}).Places(measure.PerRatio); len(got) != len(measure.RatioEdges()) {
		t.Errorf("places %v", got)
	}
}
