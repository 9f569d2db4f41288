package train

import (
	"context"
	"errors"
	"testing"
	"time"

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
		if got.Rounds < 3 {
			t.Errorf("%v: Rounds = %d, want 3 or more", shape, got.Rounds)
		}
		if len(got.Steps) != len(s.Algorithms) {
			t.Errorf("%v: Steps = %v, want the %d methods %v", shape, got.Steps, len(s.Algorithms),
				s.Algorithms)
		}
		for what, took := range map[string]time.Duration{"Train": got.Train, "Forward": got.Forward,
			"Steps[sfk]": got.Steps[dro.SFK], "Steps[pgd]": got.Steps[dro.PGD]} {
			if took <= 0 {
				t.Errorf("%v: %s = %v, want more than 0", shape, what, took)
			}
		}
		if erm := got.Steps[dro.ERM]; erm != got.Train {
			t.Errorf("%v: Steps[erm] = %v, want that of Train, %v", shape, erm, got.Train)
		}
		// The work of a linear layer, forward and for its weights.
		if want := float64(2 * 2 * 8 * shape.Len() * 4); got.FLOP != want {
			t.Errorf("%v: FLOP = %v, want %v", shape, got.FLOP, want)
		}
		if rate, share := got.Rate(); !(rate > 0 && share > 0) {
			t.Errorf("%v: Rate() = %v, %v, want both above 0", shape, rate, share)
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
		t.Errorf("images = %d after three batches of 8, want 24", r.images)
	}
}
