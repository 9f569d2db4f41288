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
// closed. The end of ctx stops the opening of the data and ends the run's program, if it has one.
func NewView(ctx context.Context, q ViewOf) (*View, error) {
	state, d, err := q.open(ctx)
	if err != nil {
		return nil, err
	}
	l := &View{Run: q.Run, Step: state.Step, Data: d, Split: q.Split}
	if state.Eval != nil {
		l.Threshold = state.Eval.Named("threshold")
	}
	if err := l.apply(state, &q); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// apply applies the network of a checkpoint to the split.
func (l *View) apply(state *runner.State, q *ViewOf) (err error) {
	if l.Set, err = q.Run.Meta.Spec.Set(); err != nil {
		return err
	}
	if l.Src, err = splitOf(l.Data, q.Split); err != nil {
		return err
	}
	l.Samples, err = Inspect(&q.Run.Meta, state, l.Data, q.Split, q.Inspection)
	return err
}

// open reads the checkpoint and opens the data, together with what makes the network.
func (q *ViewOf) open(ctx context.Context) (state *runner.State, d *data.Dataset, err error) {
	m := &q.Run.Meta
	if m.Imported != nil && !m.Predicted() {
		return nil, nil, m.Trained()
	}
	if state, err = q.Run.Load(q.Step); err != nil {
		return nil, nil, err
	}
	switch {
	case q.Dataset != "":
		if d, err = m.OpenFor(ctx, q.Dataset, q.DataDir); err == nil && d.Train.Len() == 0 {
			d.Notes = append(d.Notes, fmt.Sprintf("the data have no split: all %d samples are "+
				"measured, %s", d.Test.Len(), trainedNote(ctx, m, d, q.DataDir)))
		}
	case m.Imported != nil:
		d, err = importedData(m, state)
	default:
		d, q.Network, err = q.Open(ctx, m, q.Threads)
	}
	return state, d, err
}

// trainedNote says how many of the test samples of d the network was trained on.
func trainedNote(
	ctx context.Context, meta *runner.Meta, d *data.Dataset, dataDir string,
) string {
	m, trained, n := *meta, map[uint64]int{}, 0
	m.Spec.LabelNoise = 0 // labels as the files have them
	own, err := m.OpenFor(ctx, "", dataDir)
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
	h.SetSeed(hashSeed)
	for i := range src.Len() {
		src.Read(x[1:], i)
		if !unlabelled {
			x[0] = float32(src.Label(i))
		}
		h.Reset()
		binary.Write(&h, binary.LittleEndian, x)
		do(h.Sum64())
	}
}

var hashSeed = maphash.MakeSeed()

// splitOf returns a split, which must have samples.
func splitOf(d *data.Dataset, split string) (data.Source, error) {
	src := train.Source(d, split)
	if src == nil || src.Len() == 0 || !slices.Contains(runner.Splits(), split) {
		return nil, fmt.Errorf("split %.40q: the dataset has none such: expected train, test or, "+
			"with val_fraction, val", split)
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
	e := &measure.Evaluation{Settings: l.Run.Meta.Spec.MeasureSettings(),
		Classes: len(l.Data.Classes), Groups: len(l.Data.Measured()),
		Test: &l.Pass, Threshold: l.Threshold}
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

// Radii returns the radii by which there is reason to look at a run: its own and the radii of its
// curve of risks, ascending.
func Radii(m *runner.Meta) []float64 {
	list := append([]float64{m.Spec.Rho}, m.Spec.RiskRadii...)
	return slices.Compact(slices.Sorted(slices.Values(list)))
}
