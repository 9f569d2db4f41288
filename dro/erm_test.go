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
	if _, dual := erm.(Dual); dual {
		t.Error("ERM has dual variables, want none")
	}
	if erm.Fresh() {
		t.Error("ERM wants a second batch, want none")
	}
	if got := reported(erm); len(got) > 0 {
		t.Errorf("ERM reports %v, want no measures", got)
	}
}
