package runner

import (
	"testing"

	"drolab/runner/measure"
)

// Every bin of the histogram of ratios has a name.
func TestPlacesOfRatios(t *testing.T) {
	if got := (&Meta{}).Places(measure.PerRatio); len(got) != len(measure.RatioEdges()) {
		t.Errorf("places %v", got)
	}
}
