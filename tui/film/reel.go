package film

import (
	"fmt"
	"slices"

	"drolab/dro"
	"drolab/presets/recorded"
	"drolab/runner"
	"drolab/runner/certificate"
	"drolab/runner/compare"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/tui/kit"
	"drolab/tui/plot"
)

// The recorded runs of the film, the seed that is shown, and the methods: first the baseline, whose
// bars are the shadow, then the one that is followed.
const (
	set      = recorded.Scheme + "shapes"
	seed     = 1
	baseline = 0
	hero     = 1
)

func methods() []dro.Algorithm { return []dro.Algorithm{"erm", "sfk-auto", "sfk", "pgd"} }

// reel is what the film shows.
type reel struct {
	tracks   []track // of the methods, of the one seed
	epochs   float64
	weak     int                          // the class that the baseline learns least
	pictures map[int]*certificate.Picture // by training sample; nil where they are not drawn
	seeds    []figures                    // of the methods, over all recorded seeds
}

// track is one run of the film.
type track struct {
	run    *record.Run
	number uint8 // of its colour and mark
	evals  []*runner.EvalEvent
	shown  []moment // one for each evaluation
	steps  []*runner.StepEvent
}

// moment is what is shown of a run at an evaluation: means of the last evaluations up to it, since
// single ones swing.
type moment struct {
	epoch             float64
	classes, weights  []float64 // by class: test accuracy, and mean ratio of training samples
	worst, mean, loss float64   // worst class, test accuracy, train loss
	heaviest          []runner.Heavy
}

// averaged is the number of evaluations in a mean.
const averaged = 5

// momentsOf returns the moments of a run.
func momentsOf(evals []*runner.EvalEvent) (list []moment) {
	for i, e := range evals {
		m := moment{epoch: e.Epoch, heaviest: e.Heaviest}
		m.classes = make([]float64, len(e.ByGroup.Of("class_accuracy")))
		m.weights = make([]float64, len(m.classes))
		of := evals[max(0, i+1-averaged) : i+1]
		part := 1 / float64(len(of))
		for _, e := range of {
			for c := range m.classes {
				m.classes[c] += part * e.ByGroup.Of("class_accuracy")[c].Float()
				m.weights[c] += part * e.ByGroup.Of("class_weight")[c].Float()
			}
			m.mean += part * e.Of("test_accuracy").Float()
			m.loss += part * e.Of("train_loss").Float()
		}
		m.worst = slices.Min(m.classes)
		list = append(list, m)
	}
	return list
}

// figures are those of a method over all seeds, in points of accuracy at the end of the runs:
// means, and differences from the baseline over paired seeds with half their t intervals, which
// hold for all methods together with 95 % confidence.
type figures struct {
	seeds              int
	worst, mean        float64
	worstBy, worstHalf float64
	meanBy, meanByHalf float64
}

// load reads the film. It takes a good part of a second, most of it for the pictures.
func load(dataDir string, pictures bool) (*reel, error) {
	runs, err := recorded.Find(set)
	if err != nil {
		return nil, err
	}
	r := &reel{}
	for _, m := range methods() {
		i := slices.IndexFunc(runs, func(o *record.Run) bool {
			return o.Meta.Spec.Algorithm() == m && o.Meta.Spec.Seed == seed
		})
		if i < 0 {
			return nil, fmt.Errorf("%s has no run of %s with seed %d", set, m, seed)
		}
		h, err := record.ReadHistory(runs[i].Tail(), func(runner.Event) {})
		if err != nil {
			return nil, err
		}
		r.tracks = append(r.tracks, track{runs[i],
			kit.MethodNumber(slices.Index(dro.Algorithms(), m)), h.Evals,
			momentsOf(h.Evals), h.Steps})
		r.epochs = runs[i].Epochs()
	}
	r.weak = r.weakest()
	r.seeds = ofSeeds(runs)
	if pictures {
		r.pictures, err = drawn(&r.tracks[hero], dataDir)
	}
	return r, err
}

// weakest returns the class whose accuracy under the baseline is lowest in the second half of the
// film.
func (r *reel) weakest() (at int) {
	list := r.tracks[baseline].shown
	sums := make([]float64, len(list[0].classes))
	for _, m := range list[len(list)/2:] {
		for i, v := range m.classes {
			sums[i] += v
		}
	}
	return slices.Index(sums, slices.Min(sums))
}

// ofSeeds returns the figures of the methods.
func ofSeeds(runs []*record.Run) (list []figures) {
	value := func(m dro.Algorithm, name string) (values []float64) {
		for s := uint64(seed); ; s++ {
			i := slices.IndexFunc(runs, func(r *record.Run) bool {
				return r.Meta.Spec.Algorithm() == m && r.Meta.Spec.Seed == s
			})
			if i < 0 {
				return values
			}
			values = append(values, 100*runs[i].Summary().Of(name).Float())
		}
	}
	by := func(m dro.Algorithm, name string) (mean, difference, half float64) {
		own, base := value(m, name), value(methods()[baseline], name)
		mean, _ = compare.MeanStd(own)
		for i := range own {
			own[i] -= base[i]
		}
		// The caption names the best of the methods, so the level has Bonferroni's correction.
		difference, half = compare.TInterval(own, 1-.05/float64(len(methods())-1))
		return mean, difference, half
	}
	for _, m := range methods() {
		f := figures{seeds: len(value(m, "test_accuracy"))}
		f.worst, f.worstBy, f.worstHalf = by(m, "worst_class_accuracy")
		f.mean, f.meanBy, f.meanByHalf = by(m, "test_accuracy")
		list = append(list, f)
	}
	return list
}

// held is the number of epochs for which the pictures stand.
const held = 4

// drawn returns the pictures of the samples that weigh most at the evaluations of a run.
func drawn(t *track, dataDir string) (map[int]*certificate.Picture, error) {
	pictures := map[int]*certificate.Picture{}
	d, err := t.run.Meta.Glance(dataDir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	for _, e := range t.evals {
		for _, h := range e.Heaviest[:min(len(e.Heaviest), mostPictures)] {
			if h.Index < d.Train.Len() {
				pictures[h.Index] = certificate.PictureOf(d.Train, h.Index)
			}
		}
	}
	return pictures, nil
}

// at returns the newest moment at an epoch; nil before the first.
func (t *track) at(epoch float64) (m *moment) {
	for i := range t.shown {
		if t.shown[i].epoch <= epoch {
			m = &t.shown[i]
		}
	}
	return m
}

// accuracy returns the accuracy of a class at an epoch, in a straight line between evaluations, so
// that a bar moves. It is 0 before the first.
func (t *track) accuracy(class int, epoch float64) float64 {
	for i, next := range t.shown {
		if next.epoch <= epoch {
			continue
		}
		if i == 0 {
			return 0
		}
		before := t.shown[i-1]
		part := (epoch - before.epoch) / (next.epoch - before.epoch)
		return before.classes[class] + part*(next.classes[class]-before.classes[class])
	}
	return t.shown[len(t.shown)-1].classes[class]
}

// path returns the path of (λ, η) up to an epoch.
func (t *track) path(epoch float64) *plot.Path {
	p := &plot.Path{}
	for _, s := range t.steps {
		if float64(s.Step) <= epoch*float64(t.run.Meta.StepsPerEpoch) {
			p.Append(s.Of("lambda").Float(), s.Of("eta").Float())
		}
	}
	return p
}

// share returns the share of a class in the training samples.
func (r *reel) share(class int) (own, all int) {
	counts := r.tracks[baseline].run.Meta.ClassCounts.Train
	for _, n := range counts {
		all += n
	}
	return counts[class], all
}

// name returns the name of a class.
func (r *reel) name(class int) string {
	return r.tracks[baseline].run.Meta.Names(measure.PerClass)[class]
}
