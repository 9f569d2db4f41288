package certificate

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/runner/train"
)

// ViewOf says what to view.
type ViewOf struct {
	Run     *record.Run
	Step    int64  // of the checkpoint; below 0 the newest
	Dataset string // "" is the run's own
	Split   string // runner.SplitTrain, SplitVal or SplitTest
	// Context ends the run's program, if it has one, when it is done. With nil nothing ends it.
	Context context.Context
	Means
	Inspection
}

// View is what the network of a checkpoint says of a split.
type View struct {
	Run   *record.Run
	Step  int64
	Data  *data.Dataset
	Split string
	Src   data.Source // the split
	Set   dro.Set     // the run's
	// Threshold is the threshold of the checkpoint's evaluation, if the evaluation chose one.
	Threshold measure.Number
	*Samples
}

// NewView applies the network of a checkpoint to a split. The View holds the data until it is
// closed.
func NewView(q ViewOf) (*View, error) {
	state, d, err := q.open()
	if err != nil {
		return nil, err
	}
	l := &View{Run: q.Run, Step: state.Step, Data: d, Split: q.Split}
	if state.Eval != nil {
		l.Threshold = state.Eval.Named("threshold")
	}
	l.Set, err = q.Run.Meta.Spec.Set()
	if err == nil {
		l.Src, err = splitOf(d, q.Split)
	}
	if err == nil {
		l.Samples, err = Inspect(&q.Run.Meta, state, d, q.Split, q.Inspection)
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// open reads the checkpoint and opens the data, together with what makes the network.
func (q *ViewOf) open() (state *runner.State, d *data.Dataset, err error) {
	m := &q.Run.Meta
	if state, err = q.Run.Load(q.Step); err != nil {
		return nil, nil, err
	}
	switch {
	case q.Dataset != "":
		if d, err = m.OpenFor(q.Dataset, q.DataDir); err == nil && d.Train.Len() == 0 {
			d.Notes = append(d.Notes, fmt.Sprintf("the data have no split: all %d samples are "+
				"measured, %s", d.Test.Len(), seen(m, d, q.DataDir)))
		}
	case m.Imported != nil:
		d, err = importedData(m, state)
	default:
		ctx := cmp.Or(q.Context, context.Background())
		d, q.Network, err = q.Open(ctx, m, q.Threads)
	}
	return state, d, err
}

// seen says how many of the test samples of d the network was trained on.
func seen(meta *runner.Meta, d *data.Dataset, dataDir string) string {
	m, trained, n := *meta, map[uint64]int{}, 0
	m.Spec.LabelNoise = 0 // labels as the files have them
	own, err := m.OpenFor("", dataDir)
	if err == nil {
		defer own.Close()
		err = runner.Unfaulted(func() error {
			eachHash(own.Train, d.Unlabelled, func(h uint64) { trained[h] = 1 })
			eachHash(d.Test, d.Unlabelled, func(h uint64) { n += trained[h] })
			return nil
		})
	}
	if err != nil {
		return fmt.Sprintf("and it is unknown how many of them are training samples: %v", err)
	}
	return fmt.Sprintf("and the network was trained on %d of them", n)
}

// eachHash calls do with a hash of the features and the label of each sample.
func eachHash(src data.Source, unlabelled bool, do func(hash uint64)) {
	x, h := make([]float32, src.Shape().Len()+1), maphash.Hash{}
	h.SetSeed(samples)
	for i := range src.Len() {
		if src.Read(x[1:], i); !unlabelled {
			x[0] = float32(src.Label(i))
		}
		h.Reset()
		binary.Write(&h, binary.LittleEndian, x)
		do(h.Sum64())
	}
}

var samples = maphash.MakeSeed()

// splitOf returns a split, which must have samples.
func splitOf(d *data.Dataset, split string) (data.Source, error) {
	src := train.Source(d, split)
	if src == nil || src.Len() == 0 || !slices.Contains(runner.Splits(), split) {
		return nil, fmt.Errorf("split %.40q: the dataset has none such: want train, test or, with "+
			"val_fraction, val", split)
	}
	return src, nil
}

// Close releases the data.
func (l *View) Close() error { return l.Data.Close() }

// Labelled tells whether the samples have labels, and with them losses.
func (l *View) Labelled() bool { return l.Losses != nil }

// Weigh returns the likelihood ratios of the exact worst case over the split at a radius, and the
// worst case.
func (l *View) Weigh(rho float64) ([]float64, dro.Worst, error) {
	ratios := make([]float64, len(l.Losses))
	worst, err := dro.WorstCase(l.Set, ratios, l.Losses, rho)
	if err != nil {
		err = fmt.Errorf("rho %v: %w", rho, err)
	}
	return ratios, worst, err
}

// Order lists the samples by their weight in the worst case, the heaviest first. That is the order
// of their losses at every radius: the ratio of a worst case never falls as the loss grows, since
// it is the slope there of the divergence's conjugate, which is convex. Of equal ratios, as above
// CVaR's quantile, the larger loss comes first. Equal losses stay in the split's order.
func (l *View) Order() []int {
	order := make([]int, len(l.Losses))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(l.Losses[j], l.Losses[i])
	})
	return order
}

// Group names the groups in which a sample is measured, or its class if no groups are given.
func (l *View) Group(i int) string {
	names := l.Data.Measured()
	if names == nil {
		names = l.Data.Classes
	}
	return measure.JoinNames(names, l.In(measure.PerGroup, i))
}

// Totals has the figures of a View over the whole split. Without labels they do not apply.
type Totals struct {
	Loss     measure.Number `json:"loss"`
	Accuracy measure.Number `json:"accuracy"`
	Worst    measure.Number `json:"worst_accuracy"` // of the groups, else of the classes
	// ByGroup and GroupCounts are nil if no groups are given.
	ByClass     []measure.Number `json:"class_accuracy,omitempty"`
	ByGroup     []measure.Number `json:"group_accuracy,omitempty"`
	ClassCounts []int            `json:"class_counts,omitempty"`
	GroupCounts []int            `json:"group_counts,omitempty"`
}

// Totals measures the split as the run's evaluations do.
func (l *View) Totals() (t Totals) {
	if !l.Labelled() {
		return t
	}
	t.ByClass, t.ClassCounts = l.MeansOf(measure.PerClass, len(l.Data.Classes), l.Hits())
	main, counts := t.ByClass, t.ClassCounts
	if groups := len(l.Data.Measured()); groups > 0 {
		t.ByGroup, t.GroupCounts = l.MeansOf(measure.PerGroup, groups, l.Hits())
		main, counts = t.ByGroup, t.GroupCounts
	}
	t.Worst = measure.LeastOf(main, counts, l.Run.Meta.Spec.MinGroup)
	t.Loss, t.Accuracy = l.Loss(), l.Accuracy()
	return t
}

// Decisions has the measures of a View's decisions, by name, as far as they apply.
type Decisions struct {
	Measures  measure.Values              `json:"measures,omitempty"`
	Intervals map[string]measure.Interval `json:"measure_intervals,omitempty"`
	// Rates has a number for each group, if groups are given.
	Rates         map[string][]measure.Number   `json:"group_rates,omitempty"`
	RateIntervals map[string][]measure.Interval `json:"group_rate_intervals,omitempty"` // Wilson's
}

// Decisions measures the split as evaluations measure the test split. Its Intervals come from so
// many resamples of the split; with 0 draws there are none.
func (l *View) Decisions(draws, threads int, seed uint64) (d Decisions) {
	if !l.Labelled() {
		return d
	}
	e := &measure.Evaluation{Spec: &l.Run.Meta.Spec, Classes: len(l.Data.Classes), Test: &l.Pass,
		Groups: len(l.Data.Measured()), Threshold: l.Threshold}
	if m := &l.Run.Meta; slices.Equal(m.Groups, l.Data.Measured()) {
		e.Shares = m.GroupCounts.Train
	}
	d.Rates, d.RateIntervals = map[string][]measure.Number{}, map[string][]measure.Interval{}
	var single []measure.Measure
	for _, m := range measure.Decisions() {
		if m.IsList() {
			if list := m.List(e); slices.ContainsFunc(list, measure.Number.Applies) {
				d.Rates[m.Name] = list
				d.RateIntervals[m.Name] = measure.Wilsons(list, m.Counts(e))
			}
		} else if n := m.Value(e); n.Applies() {
			d.Measures.Set(m.Name, n)
			single = append(single, m)
		}
	}
	if draws == 0 {
		return d
	}
	d.Intervals = map[string]measure.Interval{}
	for i, interval := range e.Bootstrap(single, draws, threads, seed) {
		d.Intervals[single[i].Name] = interval
	}
	return d
}

// How much a Pick keeps, whatever the size of the split.
const (
	mostOfPart  = 200     // samples of one part
	mostOfParts = 2000    // samples of the classes' and groups' parts together
	mostSide    = 64      // pixels of a picture: more than a screen has room for
	mostBytes   = 1 << 24 // of pictures or columns
)

// Pick is the part of a View that is kept: the heaviest samples of each part of the split. Its size
// is bounded.
type Pick struct {
	Dataset string
	Step    int64
	Split   string
	Shape   data.Shape
	Size    int // of the split
	Classes []string
	Groups  []string // none where the classes are all that is known
	Encoder data.Encoder
	Notes   []string
	Set     dro.Set
	Radii   []float64 // ascending; one that means nothing if the set has no radius
	Risks   []float64 // the risk of the exact worst case at each
	Totals
	Parts   []Part // the first is the whole split
	Samples []Sample
}

// Part is the whole split, or the samples of one kind.
type Part struct {
	Name    string // of the class or group; "" for the first two
	Kind    Kind
	Size    int   // of the part
	Samples []int // places in Pick.Samples, the heaviest first
}

// Kind is what a part consists of.
type Kind int

// The kinds of parts.
const (
	All   Kind = iota
	Wrong      // samples with a wrong prediction
	Class      // samples with one label
	Group
)

// Sample is a sample that was picked.
type Sample struct {
	Row               int // its place in its files, from 0
	Label, Prediction int
	Groups            []int // in which it is measured
	Loss              float64
	Ratios            []float64 // at each radius
	Picture           *Picture  // nil if it is no picture, or beyond mostBytes
	Features          []float32 // of a table whose columns are known; else nil
}

// Wrong reports whether the prediction is wrong.
func (s *Sample) Wrong() bool { return s.Label != s.Prediction }

// Picked returns the heaviest samples, with their ratios at some radii, which are ascending. The
// samples must have labels.
func (l *View) Picked(radii []float64) (*Pick, error) {
	d := l.Data
	p := &Pick{
		Dataset: d.Name, Step: l.Step, Split: l.Split, Shape: d.Shape, Size: l.Src.Len(),
		Classes: d.Classes, Groups: d.Measured(), Encoder: d.Encoder, Notes: d.Notes,
		Set: l.Set, Radii: radii, Totals: l.Totals(),
	}
	if !l.Set.HasRadius() {
		p.Radii = radii[:1]
	}
	kept := p.fillParts(l)
	for _, i := range kept {
		p.Samples = append(p.Samples, Sample{Row: l.Rows[i], Label: l.Labels[i],
			Groups: l.In(measure.PerGroup, i), Prediction: l.Predictions[i], Loss: l.Losses[i]})
	}
	for _, rho := range p.Radii {
		ratios, worst, err := l.Weigh(rho)
		if err != nil {
			return nil, err
		}
		p.Risks = append(p.Risks, worst.Risk)
		for k, i := range kept {
			p.Samples[k].Ratios = append(p.Samples[k].Ratios, ratios[i])
		}
	}
	p.addContents(l.Src, kept)
	return p, nil
}

// fillParts fills the parts, and lists the samples that are in at least one, the heaviest first.
func (p *Pick) fillParts(l *View) (kept []int) {
	p.Parts = []Part{{Kind: All}, {Kind: Wrong}}
	for _, name := range p.Classes {
		p.Parts = append(p.Parts, Part{Name: name, Kind: Class})
	}
	for _, name := range p.Groups {
		p.Parts = append(p.Parts, Part{Name: name, Kind: Group})
	}
	most := max(1, min(mostOfPart, mostOfParts/(len(p.Classes)+len(p.Groups))))
	for _, i := range l.Order() {
		before := len(kept)
		take := func(part *Part, most int) {
			if part.Size++; len(part.Samples) >= most {
				return
			}
			part.Samples = append(part.Samples, before)
			kept = append(kept[:before], i)
		}
		take(&p.Parts[0], mostOfPart)
		if l.Predictions[i] != l.Labels[i] {
			take(&p.Parts[1], mostOfPart)
		}
		take(&p.Parts[2+l.Labels[i]], most)
		if p.Groups != nil {
			for _, g := range l.In(measure.PerGroup, i) {
				take(&p.Parts[2+len(p.Classes)+g], most)
			}
		}
	}
	p.Parts = slices.DeleteFunc(p.Parts, func(part Part) bool {
		return part.Kind != All && part.Size == 0
	})
	return kept
}

// addContents adds the pictures or features of the samples, the heaviest first, until mostBytes are
// used.
func (p *Pick) addContents(src data.Source, kept []int) {
	left := mostBytes
	for k, i := range kept {
		s := &p.Samples[k]
		switch {
		case Pictured(p.Shape):
			s.Picture = PictureOf(src, i).Within(mostSide, mostSide)
			left -= len(s.Picture.RGB)
		case len(p.Encoder.Columns) > 0:
			s.Features = make([]float32, p.Shape.Len())
			src.Read(s.Features, i)
			left -= 4 * len(s.Features)
		}
		if left < 0 {
			return
		}
	}
}

// Radii returns the radii by which there is reason to look at a run: its own and the radii of its
// curve of risks, ascending.
func Radii(m *runner.Meta) []float64 {
	list := append([]float64{m.Spec.Rho}, m.Spec.RiskRadii...)
	return slices.Compact(slices.Sorted(slices.Values(list)))
}

// Picture is a sample as a picture: H rows of W pixels of red, green and blue.
type Picture struct {
	W, H int
	RGB  []byte
}

// Pictured tells whether samples of a shape are pictures: planes, grey or of three
// colours.
func Pictured(s data.Shape) bool { return s.H >= 2 && s.W >= 2 && (s.C == 1 || s.C == 3) }

// PictureOf returns the picture of sample i, whose values are taken to lie in [0, 1].
func PictureOf(src data.Source, i int) *Picture {
	s := src.Shape()
	values := make([]float32, s.Len())
	src.Read(values, i)
	p := &Picture{s.W, s.H, make([]byte, 0, 3*s.W*s.H)}
	for at := range s.W * s.H {
		for c := range 3 {
			v := values[c%s.C*s.W*s.H+at]
			p.RGB = append(p.RGB, byte(255*max(0, min(1, v))+.5))
		}
	}
	return p
}

// At returns the pixel at x and y.
func (p *Picture) At(x, y int) [3]byte { return [3]byte(p.RGB[3*(y*p.W+x):]) }

// Within returns the picture in at most w by h pixels: unchanged if it fits, else each pixel is the
// mean of the pixels that fall on it.
func (p *Picture) Within(w, h int) *Picture {
	if p.W <= w && p.H <= h {
		return p
	}
	scale := max(float64(p.W)/float64(w), float64(p.H)/float64(h))
	small := &Picture{W: max(1, int(float64(p.W)/scale)), H: max(1, int(float64(p.H)/scale))}
	for y := range small.H {
		for x := range small.W {
			mean := p.mean(x*p.W/small.W, y*p.H/small.H, (x+1)*p.W/small.W, (y+1)*p.H/small.H)
			small.RGB = append(small.RGB, mean[:]...)
		}
	}
	return small
}

// mean returns the mean of the pixels from x0 and y0 to below x1 and y1.
func (p *Picture) mean(x0, y0, x1, y1 int) (c [3]byte) {
	var sum [3]int
	n := (x1 - x0) * (y1 - y0)
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			for k, v := range p.At(x, y) {
				sum[k] += int(v)
			}
		}
	}
	for k := range c {
		c[k] = byte((sum[k] + n/2) / n)
	}
	return c
}
