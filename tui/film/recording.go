package film

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"drolab/dro"
	"drolab/presets/recorded"
	"drolab/runner"
	"drolab/runner/certificate"
	"drolab/runner/compare"
	"drolab/runner/eventlog"
	"drolab/runner/lists"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/tui/kit"
)

// The methods of the film: the baseline, whose bars are the shadow, the one that is followed, and
// the others.
const baseline, mainMethod = 0, 1

func methods() []dro.Algorithm { return []dro.Algorithm{"erm", "sfk-auto", "sfk", "pgd"} }

// The measures that are spoken of.
const (
	classAccuracy = "class_accuracy"
	worstAccuracy = "worst_class_accuracy"
	testAccuracy  = "test_accuracy"
)

// recording is what the film shows.
type recording struct {
	tracks   []*track  // of the methods
	outcomes []outcome // of the tracks
	epochs   float64
	weak     int                          // the class that the baseline learns least
	heaviest float64                      // the greatest weight of a class at any epoch
	pictures map[int]*certificate.Picture // by training sample; nil where they are not drawn
}

// track is one run of the film.
type track struct {
	*record.Run
	seeds  []*record.Run // the recorded runs of its method, with the same seeds for all methods
	method string
	number uint8 // of its colour and mark
	evals  []*runner.EvalEvent
}

// outcome is what the runs of a method end with: means over all seeds, in points.
type outcome struct {
	worst, mean     float64    // the worst class, and all test images
	byWorst, byMean difference // from the baseline
}

// load reads the film. It takes a good part of a second, most of it for the pictures.
func load(ctx context.Context, dataDir string, pictures bool) (_ *recording, err error) {
	r := &recording{}
	for _, m := range methods() {
		runs, err := recorded.Find(fmt.Sprintf("%s%s/%s-%s-s", recorded.Scheme, preset, preset, m))
		if err != nil {
			return nil, err
		}
		h, err := eventlog.ReadHistory(runs[0].Tail(), func(runner.Event) {})
		if err != nil {
			return nil, err
		}
		if h.Gap != nil {
			return nil, h.Gap
		}
		number := kit.MethodNumber(dro.Place(m))
		r.tracks = append(r.tracks, &track{runs[0], runs, string(m), number, h.Evals})
		r.epochs = runs[0].Epochs()
	}
	r.weak, _ = r.tracks[baseline].worst(r.epochs)
	for epoch := range int(r.epochs) {
		for i := range r.tracks[mainMethod].Meta.Classes {
			r.heaviest = max(r.heaviest, r.weight(mainMethod, float64(epoch+1), i))
		}
	}
	for at := range r.tracks {
		o := outcome{byWorst: r.by(at, worstAccuracy), byMean: r.by(at, testAccuracy)}
		o.worst, _ = compare.MeanStd(r.tracks[at].ends(worstAccuracy))
		o.mean, _ = compare.MeanStd(r.tracks[at].ends(testAccuracy))
		r.outcomes = append(r.outcomes, o)
	}
	if pictures {
		r.pictures, err = r.loadPictures(ctx, dataDir)
	}
	return r, err
}

// loadPictures returns the pictures of the samples that weigh most at the evaluations that are
// shown. All tracks have the same data.
func (r *recording) loadPictures(
	ctx context.Context, dataDir string,
) (map[int]*certificate.Picture, error) {
	pictures := map[int]*certificate.Picture{}
	d, err := r.tracks[baseline].Meta.Glance(ctx, dataDir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	for _, t := range []*track{r.tracks[baseline], r.tracks[mainMethod]} {
		for _, e := range t.evals {
			for _, h := range e.Heaviest[:min(len(e.Heaviest), mostPictures)] {
				if shownFor(e.Epoch) == e.Epoch {
					pictures[h.Index] = certificate.PictureOf(d.Train, h.Index)
				}
			}
		}
	}
	return pictures, nil
}

// shownFor returns the epoch whose heaviest pictures are shown at an epoch. Pictures stand for some
// epochs, so that one can look at them.
func shownFor(epoch float64) float64 {
	const stand = 4
	return max(1, math.Floor(epoch/stand)*stand)
}

// latest returns the evaluations up to an epoch, at most so many, the last of them last.
func (t *track) latest(epoch float64, most int) []*runner.EvalEvent {
	n := sort.Search(len(t.evals), func(i int) bool { return t.evals[i].Epoch > epoch })
	return t.evals[max(0, n-most):n]
}

// figure is a figure of an evaluation.
type figure func(*runner.EvalEvent) measure.Number

func accuracy(e *runner.EvalEvent) measure.Number { return e.Named(testAccuracy) }
func loss(e *runner.EvalEvent) measure.Number     { return e.Named("train_loss") }

func ofClass(name string, class int) figure {
	return func(e *runner.EvalEvent) measure.Number { return e.ByGroup.Named(name)[class] }
}

// meanEvals is the number of evaluations in a mean.
const meanEvals = 5

// mean returns the mean of a figure over the last evaluations up to an epoch, because single ones
// swing; NaN before the first.
func (t *track) mean(epoch float64, of figure) float64 {
	sum, evals := 0.0, t.latest(epoch, meanEvals)
	for _, e := range evals {
		sum += of(e).Float()
	}
	return sum / float64(len(evals))
}

// worst returns the class with the lowest mean accuracy, and that accuracy.
func (t *track) worst(epoch float64) (class int, v float64) {
	for i := range t.Meta.Classes {
		if next := t.mean(epoch, ofClass(classAccuracy, i)); i == 0 || next < v {
			class, v = i, next
		}
	}
	return class, v
}

// baseAndMain returns a mean of the baseline, and that of the followed method.
func (r *recording) baseAndMain(epoch float64, of figure) (base, own float64) {
	return r.tracks[baseline].mean(epoch, of), r.tracks[mainMethod].mean(epoch, of)
}

// weight returns what a class weighs for the adversary of a method, as a multiple of its share. The
// baseline has no adversary.
func (r *recording) weight(at int, epoch float64, class int) float64 {
	if at == baseline {
		return 1
	}
	return r.tracks[at].mean(epoch, ofClass("class_weight", class))
}

// leader returns the method whose worst class is best at an epoch.
func (r *recording) leader(epoch float64) (at int) {
	most := -1.0
	for i, t := range r.tracks {
		if _, v := t.worst(epoch); v > most {
			at, most = i, v
		}
	}
	return at
}

// inOrder returns the places of the tracks in the order of methods.
func (r *recording) inOrder() []int {
	places := []int{}
	for at := range r.tracks {
		places = append(places, at)
	}
	return slices.SortedFunc(slices.Values(places), func(a, b int) int {
		return cmp.Compare(r.tracks[a].number, r.tracks[b].number)
	})
}

// name returns the name of a class.
func (r *recording) name(class int) string { return r.tracks[baseline].Meta.Classes[class] }

// ends returns a figure at the end of the runs of a method, in points, one for each seed.
func (t *track) ends(name string) []float64 {
	points := func(r *record.Run) float64 { return 100 * r.Summary().Named(name).Float() }
	return lists.Map(t.seeds, points)
}

// difference is a mean over paired seeds with half its t interval.
type difference struct{ mean, half float64 }

// String writes the difference and the ends of its interval.
func (d difference) String() string { return d.text() + " " + d.interval() }

func (d difference) text() string { return signed(d.mean) }

func (d difference) interval() string {
	return fmt.Sprintf("[%s, %s]", signed(d.mean-d.half), signed(d.mean+d.half))
}

// signed writes a number of points with its sign.
func signed(points float64) string {
	return page.Points().Signed().Text(measure.NumUnlessNaN(points / 100))
}

// by returns the difference of a method from the baseline. The intervals of all methods hold
// together with 95 % confidence: a caption names the best of them, so the level has Bonferroni's
// correction.
func (r *recording) by(at int, name string) (d difference) {
	own := r.tracks[at].ends(name)
	for i, v := range r.tracks[baseline].ends(name) {
		own[i] -= v
	}
	d.mean, d.half = compare.TInterval(own, 1-.05/float64(len(r.tracks)-1))
	return d
}

// best returns the method whose worst class gains most over the baseline, over all seeds.
func (r *recording) best() (at int) {
	for i := range r.outcomes {
		if r.outcomes[i].byWorst.mean > r.outcomes[at].byWorst.mean {
			at = i
		}
	}
	return at
}
