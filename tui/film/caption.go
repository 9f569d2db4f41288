package film

import (
	"fmt"
	"math"
	"sort"

	"drolab/runner/measure"
	"drolab/runner/page"
)

// chapter is a part of the film: its end, in seconds and as a part of the training, the run whose
// bars are drawn, and what is said meanwhile.
type chapter struct {
	title       string
	until, part float64
	shown       int // index into methods; behind any but the baseline stands its shadow
	says        func(r *recording, epoch float64) string
}

func chapters() []chapter {
	return []chapter{
		{"the question", 8, .025, baseline, func(*recording, float64) string { return question }},
		{"ordinary training", 20, .3, baseline, sayOrdinary},
		{"the adversary", 32, .5, mainMethod, sayAdversary},
		{"the classes that suffer", 44, .8, mainMethod, sayLearnt},
		{"the cost", 52, 1, mainMethod, sayCost},
		{"other seeds", length, 1, mainMethod, saySeeds},
	}
}

// length is that of the film, in seconds.
const length = 60

// place returns the chapter at a time of the film, and the part of the training. After the last
// chapter it is the last moment.
func place(seconds float64) (at int, part float64) {
	list := chapters()
	at = sort.Search(len(list)-1, func(i int) bool { return seconds < list[i].until })
	from, to := chapterBefore(at), list[at]
	done := math.Min(1, (seconds-from.until)/(to.until-from.until))
	return at, from.part + done*(to.part-from.part)
}

// chapterBefore returns the chapter at whose end another one begins.
func chapterBefore(at int) chapter { return append([]chapter{{}}, chapters()...)[at] }

const question = "Distributionally robust optimisation (DRO): an adversary reweights the data " +
	"within a radius ρ, and training minimises the loss under the worst weights. (Recorded runs, " +
	"seed 1; test accuracies, means of five evaluations.)"

// percent writes an accuracy, or a dash if there is none.
func percent(v float64) string { return page.Percent().Text(measure.NumUnlessNaN(v)) }

func sayOrdinary(r *recording, epoch float64) string {
	erm, but, all := r.tracks[baseline], "and", 0
	mean, weak := erm.mean(epoch, accuracy), erm.mean(epoch, ofClass(classAccuracy, r.weak))
	if weak < mean-.1 {
		but = "but only"
	}
	for _, n := range erm.Meta.ClassCounts.Train {
		all += n
	}
	return fmt.Sprintf("Ordinary training (erm) minimises the mean loss. It is right on %s of "+
		"the test images, %s on %s of class %s, which has %d of %d training images.",
		percent(mean), but, percent(weak), r.name(r.weak), erm.Meta.ClassCounts.Train[r.weak], all)
}

func sayAdversary(r *recording, epoch float64) string {
	more, weight := "more", r.tracks[mainMethod].mean(epoch, ofClass("class_weight", r.weak))
	if weight < 1 {
		more = "less"
	}
	return fmt.Sprintf("sfk-auto trains against an adversary, who gives samples with large losses "+
		"more weight. Class %s now weighs %.1f times its share, so its errors count %s.",
		r.name(r.weak), weight, more)
}

func sayLearnt(r *recording, epoch float64) string {
	base, own := r.baseAndMain(epoch, ofClass(classAccuracy, r.weak))
	learns := "Under these weights, sfk-auto learns class %s better"
	if own <= base {
		learns = "sfk-auto does not know class %s better at this moment"
	}
	return fmt.Sprintf(learns+": it is right on %s of its test images, and erm (the shadow) on %s.",
		r.name(r.weak), percent(own), percent(base))
}

func sayCost(r *recording, epoch float64) string {
	ermLoss, ownLoss := r.baseAndMain(epoch, loss)
	base, own := r.baseAndMain(epoch, accuracy)
	side := "above"
	if own < base {
		side = "below"
	}
	return fmt.Sprintf("The cost: sfk-auto's mean training loss is %.3f, where erm has %.3f, "+
		"since hard samples count more. Its mean test accuracy is %.1f points %s erm's.", ownLoss,
		ermLoss, 100*math.Abs(own-base), side)
}

func saySeeds(r *recording, _ float64) string {
	at, erm := r.best(), r.tracks[baseline]
	by, base, n := r.by(at, worstAccuracy), erm.end(), len(erm.seeds)
	if by.mean < by.half || at == baseline {
		return fmt.Sprintf("%d seeds: no method is shown to lift erm's worst class of %.1f %%.",
			n, base)
	}
	return fmt.Sprintf("%d seeds: %s lifts the worst class most, from erm's %.1f to %.1f %% "+
		"(by %v), and changes the mean accuracy by %v points. "+
		"The 95 %% intervals hold for all methods at once.",
		n, r.tracks[at].method, base, base+by.mean, by, r.by(at, testAccuracy))
}
