package launch

import (
	"fmt"
	"math"
	"slices"
	"time"

	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/source"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/runner/train"
	"drolab/tui/kit"
)

// estimate is the time that runs would take together on a machine, and the basis of that figure.
type estimate struct {
	duration time.Duration // 0 if it is unknown
	basis    string
}

// estimateOf extrapolates from finished runs of the same model on the same dataset with this
// processor. It divides the number of images to go through by the speed of the whole machine: the
// images a second of such a run, times the number of runs that shared the machine then. there names
// the machine at the end of a sentence: "here".
func estimateOf(specs []spec.Spec, past []*record.Run, cpu, there string) estimate {
	if len(specs) == 0 {
		return estimate{basis: "no runs chosen"}
	}
	s := &specs[0]
	const enough = 50 // the newest runs only
	var like []*record.Run
	for _, r := range past {
		if len(like) < enough && sameWorkload(r, s, cpu) {
			like = append(like, r)
		}
	}
	if len(like) == 0 {
		return estimate{
			basis: fmt.Sprintf("not known yet: %s has never trained on %s %s", s.Model,
				s.Dataset, there)}
	}
	training, ok := trainSamples(s, like)
	if !ok {
		return estimate{basis: "not known yet: no run has used this many samples"}
	}
	test := 0.0
	for _, n := range like[0].Meta.ClassCounts.Test {
		test += float64(n)
	}
	seconds := train.UsualPace(machineSpeed(like, past)).Seconds(specs, training, test)
	const longest = 1000 * 365 * 24 * 3600 // seconds; more means that a run's figures are wrong
	if !(seconds > 0 && seconds < longest) {
		return estimate{basis: "not known: the runs would not end"}
	}
	return estimate{time.Duration(seconds * float64(time.Second)),
		fmt.Sprintf("judging by %s %s", kit.Plural(len(like), "run"), there)}
}

// sameWorkload reports whether the speed of r says how fast s would run.
func sameWorkload(r *record.Run, s *spec.Spec, cpu string) bool {
	m := &r.Meta
	speed := r.Summary().ImagesPerSecond.Float()
	return r.Status() == runner.Done && m.Host.CPU == cpu && m.Spec.Model == s.Model &&
		m.Spec.Dataset == s.Dataset &&
		speed > 0 && !math.IsInf(speed, 0) && len(m.ClassCounts.Train) > 0
}

// machineSpeed returns the speed of the whole machine while these runs trained, as images a second
// of ERM. It is the median over the runs of a run's own speed times the number of runs started with
// it.
func machineSpeed(like, past []*record.Run) float64 {
	var speeds []float64
	for _, r := range like {
		together := 0
		for _, o := range past {
			apart := o.Meta.Created.Sub(r.Meta.Created).Abs()
			if o.Meta.Preset == r.Meta.Preset && apart < 2*time.Second {
				together++
			}
		}
		each := r.Summary().ImagesPerSecond.Float() * train.StepCost(r.Meta.Spec.Algorithm())
		speeds = append(speeds, each*float64(min(max(together, 1), runner.DefaultParallel)))
	}
	slices.Sort(speeds)
	return speeds[len(speeds)/2]
}

// trainSamples returns the number of samples that s trains on, scaled from a run on the same
// dataset; false if no run has a comparable cap on its samples.
func trainSamples(s *spec.Spec, like []*record.Run) (n float64, ok bool) {
	for _, r := range like {
		old := &r.Meta.Spec
		scale := 1.0
		if a, b := samplesAsked(s), samplesAsked(old); a != b {
			if a == 0 || b == 0 {
				continue
			}
			scale = float64(a) / float64(b)
		}
		scale *= (1 - s.ValFraction) / (1 - old.ValFraction)
		before, after := old.Imbalance.Ratios(old.Dataset), s.Imbalance.Ratios(s.Dataset)
		for class, count := range r.Meta.ClassCounts.Train {
			n += float64(count) * scale * ratioOf(after, class) / ratioOf(before, class)
		}
		return n, true
	}
	return 0, false
}

// samplesAsked returns the number of training samples before imbalance where it is known
// beforehand, else the cap on that number, where 0 is no cap.
func samplesAsked(s *spec.Spec) int {
	if n, ok := source.KnownSizes(s.Dataset, data.Options{Samples: s.Samples}); ok {
		return n.Train
	}
	return s.Samples
}

// ratioOf returns the share of a class that is kept.
func ratioOf(ratios []float64, class int) float64 {
	if class < len(ratios) {
		return ratios[class]
	}
	return 1
}
