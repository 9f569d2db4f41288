package train

import (
	"context"
	"errors"
	"testing"

	"drolab/dro"
	"drolab/runner/data"
	"drolab/runner/spec"
)

func TestMeasureSteps(t *testing.T) {
	s := spec.Defaults()
	s.Model, s.Batch = "linear", 8
	for _, shape := range []data.Shape{{C: 3, H: 8, W: 8}, {C: 5, H: 1, W: 1}} {
		got, err := MeasureSteps(context.Background(), s, shape, 4, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got.Rounds < 3 || got.Train <= 0 || got.Forward <= 0 || len(got.Steps) != 4 ||
			got.Steps[dro.SFK] <= 0 || got.Steps[dro.PGD] <= 0 || got.Steps[dro.ERM] != got.Train {
			t.Errorf("%v: %+v: want every kind of step measured three times", shape, got)
		}
		if rate, share := got.Rate(); got.FLOP != float64(2*2*8*shape.Len()*4) ||
			!(rate > 0 && share > 0) {
			t.Errorf("%v: %+v: rate %v, %v of the peak: want the work of a linear layer, forward "+
				"and for its weights",
				shape, got, rate, share)
		}
	}
}

func TestMeasureStepsStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := spec.Defaults()
	s.Model = "linear"
	if _, err := MeasureSteps(ctx, s, data.Shape{C: 1, H: 4, W: 4}, 2, 1, 0); err == nil {
		t.Error("a cancelled measurement gives figures")
	}
}

// A loss that is not finite is an error here, as in any run.
func TestMeasureStepsThatDiverge(t *testing.T) {
	s := spec.Defaults()
	s.Model, s.Batch, s.LR = "linear", 8, 1e30
	_, err := MeasureSteps(context.Background(), s, data.Shape{C: 3, H: 8, W: 8}, 4, 1, 0)
	var broken *BrokenError
	if !errors.As(err, &broken) {
		t.Errorf("error %v, want what broke", err)
	}
}

func TestImagesAreCounted(t *testing.T) {
	s := spec.Defaults()
	s.Model, s.Batch = "linear", 8
	r, err := benchRun(s, dro.ERM, newNoise(data.Shape{C: 1, H: 8, W: 8}, 2, 32), 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for range 3 {
		if err := r.train(); err != nil {
			t.Fatal(err)
		}
	}
	if r.images != 3*8 {
		t.Errorf("%d images in three batches of 8", r.images)
	}
}
