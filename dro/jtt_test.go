package dro

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
)

// testJTTTrainer returns Just Train Twice on the given number of training samples, with jtt_epochs
// 3.
func testJTTTrainer(t *testing.T, samples int, up float64) *jttTrainer {
	t.Helper()
	m, err := Find("jtt")
	if err != nil {
		t.Fatal(err)
	}
	start := task(m, nil, map[string]Auto{"jtt_epochs": Fixed(3), "jtt_up": Fixed(up)})
	start.Samples = samples
	trainer, err := m.New(start)
	if err != nil {
		t.Fatal(err)
	}
	return trainer.(*jttTrainer)
}

// spurious returns a separable problem. The label is the sign of the second feature, which is weak;
// the first is strong and follows the label in 20 samples, and its contrary in the last 2.
func spurious() *regressionProblem {
	l := &regressionProblem{loss: logistic}
	for i := range 22 {
		y, strong := float64(1-i%2*2), 1.0
		if i >= 20 {
			strong = -1
		}
		l.a, l.y = append(l.a, []float64{strong * y, .5 * y}), append(l.y, y)
	}
	return l
}

// correct reports for each sample whether the linear classifier x gets it right.
func (l *regressionProblem) correct(x []float64) []bool {
	right := make([]bool, len(l.y))
	for i, a := range l.a {
		right[i] = l.y[i]*(a[0]*x[0]+a[1]*x[1]) > 0
	}
	return right
}

// split returns the training split at x, as a runner does.
func (l *regressionProblem) split(x []float64) func() (Batch, error) {
	return func() (Batch, error) {
		return Batch{Losses: make([]float64, len(l.y)), Index: l.all(), Correct: l.correct(x)}, nil
	}
}

// The method matches the source, written out: ERM finds the samples that it gets wrong, then ERM
// trains anew on a training set that holds those samples up times. The minority is wrong after the
// first run and right after the second. ERM alone, for as many steps as both runs together, still
// gets it wrong.
func TestJustTrainTwiceIsERMOnAnUpsampledSet(t *testing.T) {
	const up, perEpoch, second, alpha = 20, 4, 60, .1
	l := spurious()
	j, x := testJTTTrainer(t, 22, up), []float64{0, 0}
	for epoch := 1; epoch <= 3; epoch++ {
		l.walk(j, x, perEpoch, alpha, 0, l.all)
		restart, err := j.EndEpoch(epoch, l.split(x))
		if restart != (epoch == 3) || err != nil {
			t.Fatalf("epoch %d: restart %v, error %v", epoch, restart, err)
		}
	}
	erm := []float64{0, 0}
	l.walk(&ermTrainer{}, erm, 3*perEpoch, alpha, 0, l.all)
	if !slices.Equal(x, erm) {
		t.Errorf("x %v after the first run, ERM's is %v", x, erm)
	}
	upsampled := &regressionProblem{loss: logistic}
	for i, right := range l.correct(erm) {
		copies := 1
		if !right {
			copies = up
		}
		if right != (i < 20) {
			t.Errorf("ERM gets sample %d right: %v", i, right)
		}
		upsampled.a = append(upsampled.a, slices.Repeat([][]float64{l.a[i]}, copies)...)
		upsampled.y = append(upsampled.y, slices.Repeat([]float64{l.y[i]}, copies)...)
	}

	x, want := []float64{0, 0}, []float64{0, 0}
	l.walk(j, x, second, alpha, 0, l.all)
	upsampled.walk(&ermTrainer{}, want, second, alpha, 0, upsampled.all)
	if math.Abs(x[0]-want[0])+math.Abs(x[1]-want[1]) > 1e-12 {
		t.Errorf("x %v, ERM on the upsampled set comes to %v", x, want)
	}
	l.walk(&ermTrainer{}, erm, second, alpha, 0, l.all)
	if right := l.correct(x); slices.Contains(right, false) {
		t.Errorf("the second run gets right %v", right)
	}
	if right := l.correct(erm); right[20] || right[21] {
		t.Errorf("ERM gets the minority right, so that nothing is shown: %v", right)
	}
}

// The wrong samples weigh up times as much as the others, and the mean weight over the training
// samples is 1, in any order within a batch.
func TestJustTrainTwiceWeights(t *testing.T) {
	for _, c := range []struct {
		wrong []int
		up    float64
	}{{[]int{2, 5}, 20}, {nil, 20}, {[]int{0, 1, 2, 3, 4, 5, 6, 7}, 7}, {[]int{1}, .5}} {
		t.Run(fmt.Sprint(c.wrong), func(t *testing.T) {
			j := testJTTTrainer(t, 8, c.up)
			if got := reported(j)["upweighted"]; got != 0 {
				t.Errorf("upweighted %v before the first look", got)
			}
			b := Batch{Losses: make([]float64, 8), Index: []int{7, 3, 5, 1, 0, 2, 6, 4},
				Correct: make([]bool, 8)}
			for i, sample := range b.Index {
				b.Correct[i] = !slices.Contains(c.wrong, sample)
			}
			restart, err := j.EndEpoch(3, func() (Batch, error) { return b, nil })
			if !restart || err != nil {
				t.Fatalf("restart %v, error %v", restart, err)
			}
			w, sum := make([]float64, 8), 0.0
			j.Weights(w, b)
			for i, sample := range b.Index {
				sum += w[i]
				right := slices.Index(b.Correct, true)
				if slices.Contains(c.wrong, sample) && right >= 0 &&
					!within(w[i], c.up*w[right], 1e-14) {
					t.Errorf("wrong sample %d weighs %v, a right one %v", sample, w[i], w[right])
				}
			}
			if !within(sum, 8, 1e-14) {
				t.Errorf("weights %v have the sum %v, want 8", w, sum)
			}
			if ones := slices.Repeat([]float64{1}, 8); c.wrong == nil && !slices.Equal(w, ones) {
				t.Errorf("weights %v, want 1 each where no sample is wrong", w)
			}
			if got := reported(j)["upweighted"]; got != float64(len(c.wrong))/8 {
				t.Errorf("upweighted %v of %v", got, c.wrong)
			}
			again := testJTTTrainer(t, 8, c.up)
			err = again.Restore(j.State())
			if err != nil {
				t.Errorf("Restore: %v", err)
			}
			if !slices.Equal(again.flags, j.flags) {
				t.Errorf("restored flags %v, want %v", again.flags, j.flags)
			}
			if again.count != j.count {
				t.Errorf("restored count %d, want %d", again.count, j.count)
			}
		})
	}
}

// JTT looks once for the samples that are wrong. If the pass over the training split fails, it
// finds nothing. Earlier epochs ask for no pass, nor does an epoch after the samples are found. A
// fork may look later than jtt_epochs.
func TestJustTrainTwiceLooksOnce(t *testing.T) {
	j, failure := testJTTTrainer(t, 8, 20), errors.New("unreadable")
	for epoch, want := range map[int]error{1: nil, 2: nil, 3: failure, 4: failure} {
		restart, err := j.EndEpoch(epoch, func() (Batch, error) { return Batch{}, failure })
		if restart {
			t.Errorf("EndEpoch(%d) restarts the training, want none", epoch)
		}
		if err != want {
			t.Errorf("EndEpoch(%d) = %v, want %v", epoch, err, want)
		}
		if flags := j.State().Flags; flags != nil {
			t.Errorf("after EndEpoch(%d) the flags are %v, want none", epoch, flags)
		}
	}
	j.remember(make([]bool, 8))
	restart, err := j.EndEpoch(4, func() (Batch, error) { return Batch{}, failure })
	if restart || err != nil {
		t.Errorf("it looks twice: restart %v, error %v", restart, err)
	}
}
