package dro

import (
	"slices"
	"testing"
)

func TestERM(t *testing.T) {
	erm := newTrainer(t, ERM, nil, nil)
	w := make([]float64, 4)
	erm.Weights(w, Batch{Losses: []float64{1, 2, 3, 6}})
	if !slices.Equal(w, []float64{1, 1, 1, 1}) {
		t.Errorf("weights %v, want 1", w)
	}
	if _, dual := erm.(Dual); dual || erm.Fresh() || len(reported(erm)) > 0 {
		t.Errorf("ERM has dual variables, an own batch or measures: %v", reported(erm))
	}
}
