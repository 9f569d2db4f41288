package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/certificate"
	"drolab/runner/data"
	"drolab/runner/foreign"
	"drolab/runner/measure"
	"drolab/runner/record"
)

// Question says what to look at.
type Question struct {
	Run     *record.Run
	Step    int64  // of the checkpoint; below 0 the newest
	Dataset string // "" is the run's own
	Split   string // runner.SplitTrain, SplitVal or SplitTest
	// Context ends the run's program, if it has one, when it is done. With nil nothing ends it.
	Context context.Context
	certificate.Means
	certificate.Inspection
}

// Look is a checkpoint's view of a split.
type Look struct {
	Run   *record.Run
	Step  int64
	Data  *data.Dataset
	Split string
	Src   data.Source // the split
	Set   dro.Set     // the run's
	// Threshold is the threshold of the checkpoint's evaluation, if the evaluation chose one.
	Threshold measure.Number
	*certificate.Samples
}

// At applies the network of a checkpoint to a split. The Look holds the data until it is closed.
func At(q Question) (*Look, error) {
	state, d, err := q.open()
	if err != nil {
		return nil, err
	}
	l := &Look{Run: q.Run, Step: state.Step, Data: d, Split: q.Split}
	if state.Eval != nil {
		l.Threshold = state.Eval.Of("threshold")
	}
	if err = l.use(state, q.Inspection); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// open reads the checkpoint and opens the data, together with what makes the network.
func (q *Question) open() (state *runner.State, d *data.Dataset, err error) {
	m := &q.Run.Meta
	if state, err = q.Run.Load(q.Step); err != nil {
		return nil, nil, err
	}
	switch {
	case q.Dataset != "":
		d, err = m.OpenFor(q.Dataset, q.DataDir)
	case m.Imported != nil:
		d, err = foreign.Data(m, state)
	default:
		ctx := cmp.Or(q.Context, context.Background())
		d, q.Network, err = q.Open(ctx, m, q.Threads)
	}
	return state, d, err
}

// part returns a split, which must have samples.
func part(d *data.Dataset, split string) (data.Source, error) {
	splits := map[string]data.Source{runner.SplitTrain: d.Train, runner.SplitVal: d.Val,
		runner.SplitTest: d.Test}
	src := splits[split]
	if src == nil || src.Len() == 0 {
		return nil, fmt.Errorf("split %.40q: the dataset has none such: want train, val or test",
			split)
	}
	return src, nil
}

func (l *Look) use(state *runner.State, how certificate.Inspection) (err error) {
	if l.Set, err = l.Run.Meta.Spec.Set(); err != nil {
		return err
	}
	if l.Src, err = part(l.Data, l.Split); err != nil {
		return err
	}
	l.Samples, err = certificate.Inspect(&l.Run.Meta, state, l.Data, l.Split, how)
	return err
}

// Close releases the data.
func (l *Look) Close() error { return l.Data.Close() }

// Labelled tells whether the samples have labels, and with them losses.
func (l *Look) Labelled() bool { return l.Losses != nil }

// Weigh returns the likelihood ratios of the exact worst case over the split at a radius, and the
// worst case.
func (l *Look) Weigh(rho float64) ([]float64, dro.Worst, error) {
	ratios, worst, err := l.Ratios(l.Set, rho)
	if err != nil {
		err = fmt.Errorf("rho %v: %w", rho, err)
	}
	return ratios, worst, err
}

// Order lists the samples by their weight in the worst case, the heaviest first. That is the order
// of their losses at every radius: the ratio of a worst case never falls as the loss grows, since
// it is the slope there of the divergence's conjugate, which is convex. Of equal ratios, as above
// CVaR's quantile, the larger loss comes first. Equal losses stay in the split's order.
func (l *Look) Order() []int {
	order := make([]int, len(l.Losses))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(l.Losses[j], l.Losses[i])
	})
	return order
}

// Totals has the figures of a Look over the whole split. Without labels they do not apply.
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
func (l *Look) Totals() (t Totals) {
	if !l.Labelled() {
		return t
	}
	t.ByClass, t.ClassCounts = l.Accuracy(l.Labels, len(l.Data.Classes))
	main, counts := t.ByClass, t.ClassCounts
	if l.Data.Grouped {
		t.ByGroup, t.GroupCounts = l.Accuracy(l.Groups, len(l.Data.Groups))
		main, counts = t.ByGroup, t.GroupCounts
	}
	t.Worst = measure.LeastOf(main, counts, l.Run.Meta.Spec.MinGroup)
	sum, right := 0.0, 0
	for i, loss := range l.Losses {
		sum += loss
		if l.Predictions[i] == l.Labels[i] {
			right++
		}
	}
	n := float64(len(l.Losses))
	t.Loss, t.Accuracy = measure.NumIf(n > 0, sum/n), measure.NumIf(n > 0, float64(right)/n)
	return t
}

// Decisions has the measures of a Look's decisions, by name, as far as they apply.
type Decisions struct {
	Measures  measure.Values              `json:"measures,omitempty"`
	Intervals map[string]measure.Interval `json:"measure_intervals,omitempty"`
	// Rates has a number for each group, if groups are given.
	Rates         map[string][]measure.Number   `json:"group_rates,omitempty"`
	RateIntervals map[string][]measure.Interval `json:"group_rate_intervals,omitempty"` // Wilson's
}

// Decisions measures the split as evaluations measure the test split. Its Intervals come from so
// many resamples of the split; with 0 draws there are none.
func (l *Look) Decisions(draws, threads int, seed uint64) (d Decisions) {
	if !l.Labelled() {
		return d
	}
	e := &measure.Evaluation{Spec: &l.Run.Meta.Spec, Classes: len(l.Data.Classes), Test: l.Pass(),
		Threshold: l.Threshold}
	if l.Data.Grouped {
		e.Groups = len(l.Data.Groups)
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
