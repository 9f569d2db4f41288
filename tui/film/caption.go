package film

import (
	"fmt"
	"math"
)

// chapter is a part of the film: how long it takes, the part of the training that it shows, and
// what is said meanwhile.
type chapter struct {
	title    string
	seconds  float64
	from, to float64 // parts of the training
	follows  bool    // shows the followed method, with the baseline as its shadow
	says     func(r *reel, at pair) string
}

// pair is what the captions speak of: a moment of the baseline and of the followed method.
type pair struct{ base, hero *moment }

func chapters() []chapter {
	return []chapter{
		{"the question", 8, 0, .025, false, func(*reel, pair) string { return question }},
		{"ordinary training", 12, .025, .3, false, sayOrdinary},
		{"the adversary", 12, .3, .5, true, sayAdversary},
		{"the classes that suffer", 12, .5, .8, true, sayLearnt},
		{"the cost", 8, .8, 1, true, sayCost},
		{"other seeds", 8, 1, 1, true, saySeeds},
	}
}

const question = "Distributionally robust optimisation (DRO) trains for the worst reweighting of " +
	"the data within a radius ρ, not for their mean. (Recorded runs, seed 1; test accuracies, " +
	"means of five evaluations.)"

// percent writes an accuracy.
func percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }

func sayOrdinary(r *reel, at pair) string {
	own, all := r.share(r.weak)
	but := "and"
	if at.base.classes[r.weak] < at.base.mean-.1 {
		but = "but only"
	}
	return fmt.Sprintf("Ordinary training (erm) minimises the mean loss. It is right on %s of "+
		"the test images, %s on %s of class %s, which has %d of %d training images.",
		percent(at.base.mean), but, percent(at.base.classes[r.weak]), r.name(r.weak), own, all)
}

func sayAdversary(r *reel, at pair) string {
	more, weight := "more", at.hero.weights[r.weak]
	if weight < 1 {
		more = "less"
	}
	return fmt.Sprintf("sfk-auto trains against an adversary, who gives samples with large losses "+
		"more weight. Class %s now weighs %.1f times its share, so its errors count %s.",
		r.name(r.weak), weight, more)
}

func sayLearnt(r *reel, at pair) string {
	base, own := at.base.classes[r.weak], at.hero.classes[r.weak]
	learns := "Under these weights, sfk-auto learns class %s better"
	if own <= base {
		learns = "sfk-auto does not know class %s better at this moment"
	}
	return fmt.Sprintf(learns+": it is right on %s of its test images, and erm (the shadow) on %s.",
		r.name(r.weak), percent(own), percent(base))
}

func sayCost(r *reel, at pair) string {
	by := 100 * (at.hero.mean - at.base.mean)
	costs := fmt.Sprintf("not in mean accuracy, which is %+.1f points above erm's", by)
	if by < 0 {
		costs = fmt.Sprintf("%.1f points of mean accuracy against erm", -by)
	}
	return fmt.Sprintf("The cost: %s. The training loss is %.3f and not %.3f, because "+
		"hard samples count more.", costs, at.hero.loss, at.base.loss)
}

// best returns the method whose worst class gains most over the baseline, over all seeds.
func (r *reel) best() (at int) {
	for i, f := range r.seeds {
		if f.worstBy > r.seeds[at].worstBy {
			at = i
		}
	}
	return at
}

func saySeeds(r *reel, _ pair) string {
	at := r.best()
	f, base := r.seeds[at], r.seeds[baseline]
	if at == baseline || f.worstBy < f.worstHalf {
		return fmt.Sprintf("%d seeds: no method is shown to lift erm's worst class of %.1f %%.",
			base.seeds, base.worst)
	}
	return fmt.Sprintf("%d seeds: %s lifts the worst class most, from erm's %.1f to %.1f %% "+
		"(by %s), and changes the mean accuracy by %s points (95 %% intervals for all "+
		"methods).", base.seeds, methods()[at], base.worst, f.worst,
		interval(f.worstBy, f.worstHalf), interval(f.meanBy, f.meanByHalf))
}

// interval writes a difference and the ends of its interval.
func interval(by, half float64) string {
	return fmt.Sprintf("%+.1f [%+.1f, %+.1f]", by, by-half, by+half)
}

// place returns the chapter at a time of the film, and the epoch. After the last chapter it is the
// last moment.
func place(seconds, epochs float64) (at int, epoch float64) {
	list := chapters()
	for i, c := range list {
		if seconds < c.seconds {
			return i, epochs * (c.from + (c.to-c.from)*math.Max(0, seconds)/c.seconds)
		}
		seconds -= c.seconds
	}
	return len(list) - 1, epochs
}

// begins returns the time at which a chapter begins; that of the chapter after the last is the end.
func begins(chapter int) (seconds float64) {
	for _, c := range chapters()[:chapter] {
		seconds += c.seconds
	}
	return seconds
}
