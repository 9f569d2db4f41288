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
		{"what you will see", titleEnds, .025, baseline, nil},
		{"the question", 10, .075, baseline, func(*recording, float64) string { return question }},
		{"ordinary training", 21, .3, baseline, sayOrdinary},
		{"the adversary", 33, .5, mainMethod, sayAdversary},
		{"the classes that suffer", 45, .8, mainMethod, sayLearnt},
		{"the cost", posterBegins, 1, mainMethod, sayCost},
		{"other seeds", length, 1, mainMethod, saySeeds},
	}
}

// titleEnds is when the title of the film has been seen, and posterBegins when its result stands,
// in seconds.
const titleEnds, posterBegins = 3, 52

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

const question = "Robust training (DRO) has an adversary: a rule that gives the hardest images " +
	"more weight. The radius ρ bounds how far the weights go from equal. (Recorded runs, seed 1; " +
	"test accuracies, means of five evaluations.)"

// promise is the title of the film, and what it says one will see.
func promise() (title string, lines []string) {
	return "Who pays for a good average?", []string{
		"Four methods learn to tell ten drawn shapes apart.",
		"In a minute you will see which class ordinary training neglects,",
		"what an adversary does about it, how much that helps, and what it costs."}
}

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
	more, weight, top := "more", r.weight(mainMethod, epoch, r.weak), r.weak
	if weight < 1 {
		more = "less"
	}
	for i := range r.tracks[mainMethod].Meta.Classes {
		if r.weight(mainMethod, epoch, i) > r.weight(mainMethod, epoch, top) {
			top = i
		}
	}
	most := "No class weighs more"
	if top != r.weak {
		most = fmt.Sprintf("Class %s weighs most: %.1f times", r.name(top),
			r.weight(mainMethod, epoch, top))
	}
	return fmt.Sprintf("sfk-auto, our own robust method, finds the length of its steps itself. "+
		"Its adversary gives class %s %.1f times its share of the weight, so its errors count %s. "+
		"%s.", r.name(r.weak), weight, more, most)
}

// sayLearnt says what becomes of the class that the baseline learns least, of all others, and which
// method leads.
func sayLearnt(r *recording, epoch float64) string {
	base, own := r.baseAndMain(epoch, ofClass(classAccuracy, r.weak))
	others, lose, most, worst := len(r.tracks[baseline].Meta.Classes)-1, 0, r.weak, 0.0
	for i := range others + 1 {
		base, own := r.baseAndMain(epoch, ofClass(classAccuracy, i))
		if i == r.weak || own >= base {
			continue
		}
		lose++
		if own-base < worst {
			most, worst = i, own-base
		}
	}
	rest := fmt.Sprintf("None of the %d others loses.", others)
	if lose > 0 {
		rest = fmt.Sprintf("Of the %d others, %d lose, most of all %s (%s points).", others, lose,
			r.name(most), signed(100*worst))
	}
	_, v := r.tracks[mainMethod].worst(epoch)
	lead := fmt.Sprintf("Its worst class, at %s, is the best of the four methods.", percent(v))
	if at := r.leader(epoch); at != mainMethod {
		_, best := r.tracks[at].worst(epoch)
		lead = fmt.Sprintf("In its worst class %s leads with %s; sfk-auto has %s.",
			r.tracks[at].method, percent(best), percent(v))
	}
	return fmt.Sprintf("sfk-auto is right on %s of class %s, and erm on %s. %s %s", percent(own),
		r.name(r.weak), percent(base), rest, lead)
}

func sayCost(r *recording, epoch float64) string {
	ermLoss, ownLoss := r.baseAndMain(epoch, loss)
	base, own := r.baseAndMain(epoch, accuracy)
	side := "above"
	if own < base {
		side = "below"
	}
	return fmt.Sprintf("The cost: sfk-auto fits the training images less closely. Its mean loss "+
		"on them is %.3f, where erm has %.3f, since hard images count more. Its mean test "+
		"accuracy is %.1f points %s erm's.", ownLoss, ermLoss, 100*math.Abs(own-base), side)
}

func saySeeds(r *recording, _ float64) string {
	at, n := r.best(), len(r.tracks[baseline].seeds)
	base, own := r.outcomes[baseline], r.outcomes[at]
	if own.byWorst.mean < own.byWorst.half || at == baseline {
		return fmt.Sprintf("%d seeds: no method is shown to lift erm's worst class of %.1f %%.",
			n, base.worst)
	}
	return fmt.Sprintf("%d seeds: %s lifts the worst class most, from erm's %.1f to %.1f %% "+
		"(by %v), and changes the mean accuracy by %v points. "+
		"The 95 %% intervals hold for all methods at once.",
		n, r.tracks[at].method, base.worst, own.worst, own.byWorst, own.byMean)
}
