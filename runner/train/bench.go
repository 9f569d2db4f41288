package train

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/machine"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// StepTimes holds the median durations of training steps on one batch each, input pipeline
// included, as a run takes them. It holds medians and not means, since one step that the machine
// interrupts can take as long as a hundred others.
type StepTimes struct {
	Train   time.Duration // the baseline: forward, backward, update
	Forward time.Duration // loading and losses only
	Best    time.Duration // the minimum of the baseline's steps, least disturbed by other work
	// Steps is the duration of a whole step of each method, the baseline included.
	Steps  map[dro.Algorithm]time.Duration
	Rounds int // the number of measurements of each duration
	// Stretch is the time that the rounds took over the sum of the medians, where the quota of a
	// control group makes this process pause: most steps fall between the pauses. It is 1 without
	// a quota.
	Stretch float64

	FLOP float64 // of real work in a Train step: no padding zeros, see nn.Net.FLOPs
	Peak float64 // FLOP/s of multiply-adds without memory, measured in the same rounds

	Layers []nn.LayerTime // the times of the layers in a Train step, measured afterwards
}

// profileRounds is the number of times that each layer is timed. It is small, since a step of a
// deep model takes seconds.
const profileRounds = 5

// Rate returns the FLOP/s of real work in a training step, and the share of the peak that this is,
// mostly in [0, 1]. The peak is measured on the same threads at the same time, so the share stays
// the same on a busy machine.
func (t *StepTimes) Rate() (rate, share float64) {
	rate = t.FLOP / t.Train.Seconds()
	return rate, rate / t.Peak
}

// MeasureSteps times steps of the spec's model, batch and set, by each of its methods and the
// baseline, on noise of the given shape, for about the given time. The kinds of steps take turns,
// so that other work on the machine disturbs them equally. The error is about a setting that no run
// can have, or it is the error of ctx.
func MeasureSteps(
	ctx context.Context, s spec.Spec, shape data.Shape, classes, threads int, budget time.Duration,
) (StepTimes, error) {
	src := newNoise(shape, classes, 4*s.Batch)
	base, err := benchRun(s, dro.Baseline(), src, classes, threads)
	if err != nil {
		return StepTimes{}, err
	}
	defer base.Close()
	net := base.Net.(*native).net
	flop := 0.0
	things := []func() error{base.train, base.forward, func() error {
		flop = net.Peak()
		return nil
	}}
	others := slices.DeleteFunc(slices.Clone(s.Algorithms), func(a dro.Algorithm) bool {
		return a == dro.Baseline()
	})
	for _, a := range others {
		r, err := benchRun(s, a, src, classes, threads)
		if err != nil {
			return StepTimes{}, err
		}
		defer r.Close()
		things = append(things, r.train)
	}
	took, elapsed, err := rounds(ctx, budget, things...)
	if err != nil {
		return StepTimes{}, fmt.Errorf("measuring %s: %w", s.Model, err)
	}
	t := StepTimes{Train: median(took[0]), Forward: median(took[1]), Best: slices.Min(took[0]),
		Rounds: len(took[0]), Steps: map[dro.Algorithm]time.Duration{}}
	forth, back := net.FLOPs()
	t.Stretch = 1
	if machine.Cores() < float64(threads) {
		t.Stretch = stretch(took, elapsed)
	}
	t.FLOP, t.Peak = forth+back, flop/median(took[2]).Seconds()
	t.Steps[dro.Baseline()] = t.Train
	for i, a := range others {
		t.Steps[a] = median(took[3+i])
	}
	t.Layers = net.Profile(profileRounds)
	return t, nil
}

// forward loads a batch and computes its losses. Every method pays this part of a step.
func (r *Run) forward() error {
	b := r.batches.Next()
	r.Net.Losses(r.losses, Batch{runner.SplitTrain, nn.Train, b}, nil)
	return nil
}

// stretch returns how much longer some rounds took than the sum of the medians of their parts.
func stretch(took [][]time.Duration, elapsed time.Duration) float64 {
	sum := time.Duration(0)
	for _, part := range took {
		sum += median(part) * time.Duration(len(part))
	}
	return max(1, elapsed.Seconds()/sum.Seconds())
}

// rounds does each thing in turn, first without counting and then at least three times, until the
// budget is spent. It returns what each took, and what all of them took together.
func rounds(
	ctx context.Context, budget time.Duration, things ...func() error,
) (took [][]time.Duration, elapsed time.Duration, err error) {
	took = make([][]time.Duration, len(things))
	counted := time.Now()
	for start, n := time.Now(), 0; n < 4 || time.Since(start) < budget; n++ {
		if n == 1 {
			counted = time.Now()
		}
		for i, do := range things {
			if err := ctx.Err(); err != nil {
				return nil, 0, err
			}
			begin := time.Now()
			if err := do(); err != nil {
				return nil, 0, err
			}
			if n > 0 {
				took[i] = append(took[i], time.Since(begin))
			}
		}
	}
	return took, time.Since(counted), nil
}

// benchRun returns a run on src that records nothing and never ends. It goes through New like every
// other run, so that a step costs the same here as there. The spec's Mean and Std are dropped,
// since they describe its own dataset and not noise.
func benchRun(s spec.Spec, a dro.Algorithm, src data.Source, classes, threads int) (*Run, error) {
	s.Algorithms, s.Seeds = []dro.Algorithm{a}, 1
	s.Mean, s.Std = nil, nil
	s.LogEvery = math.MaxInt
	names := make([]string, classes)
	d := &data.Dataset{Name: "bench", Shape: src.Shape(), Classes: names, Groups: names,
		Train: src, Test: src}
	if d.Shape.H > 1 {
		d.Augment = data.Augment{Pad: 4, Flip: true}
	}
	parts := measure.PartsOf(d)
	parts.Refitted = parts.Training().Train // methods that refit want validation counts
	m := &runner.Meta{Spec: s, Parts: parts,
		StepsPerEpoch: int64(max(1, src.Len()/s.Batch)), Steps: math.MaxInt64}
	return New(Plan{Meta: m, Data: d, Record: nullRecorder{}, Gate: &Gate{Retry: time.Second},
		Network: Native, Threads: threads})
}

// nullRecorder is a Recorder that keeps nothing and never fails.
type nullRecorder struct{}

func (nullRecorder) Append(runner.Event) error                { return nil }
func (nullRecorder) Checkpoint(*runner.State) (string, error) { return "", nil }
func (nullRecorder) Finish(*runner.Summary) error             { return nil }
func (nullRecorder) Close() error                             { return nil }

// median returns the median of the times, the upper one of the middle two. It sorts times in place.
func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}
