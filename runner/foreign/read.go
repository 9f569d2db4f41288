package foreign

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/measure"
)

// Predictions are what another program predicted, by split.
type Predictions struct {
	Classes  []string
	Groups   []string // nil: none are given
	Splits   map[string]*Split
	Checksum string   // of the file
	Columns  []string // that were read
	Notes    []string
}

// Split is the rows of a split, in the order of the file. Losses are nil where they are not known.
type Split struct {
	measure.Pass
	Rows          []int // places in the file, from 0
	Predictions   []int
	Probabilities []float32 // [row][class]; nil: not known
}

const (
	// sumError is how far from 1 the probabilities of a row may sum to.
	sumError = 1e-3
	// leastProbability is what scikit-learn's log_loss takes for a probability of 0.
	leastProbability = 0x1p-52
)

// Read reads a table. Of its splits it takes those that are named, or all; rows without a column
// for it are of the one named, or of the test split. Classes and groups are those of known, where
// that is not nil. Errors name row, column and remedy.
func Read(ctx context.Context, file string, splits []string, known *data.Dataset) (*Predictions,
	error) {
	d, err := data.OpenRaw(ctx, file)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	r := &reader{Dataset: d, asked: splits, split: -1, prediction: -1, loss: -1}
	for c, column := range d.Encoder.Columns {
		switch {
		case column.Name == data.RawSplit:
			r.split = c
		case column.Name == data.RawPrediction:
			r.prediction = c
		case column.Name == data.RawLoss:
			r.loss = c
		case column.Name != data.RawRow:
			r.p = append(r.p, c)
			r.listed = append(r.listed, strings.TrimPrefix(column.Name, data.RawProbability))
		}
	}
	p, err := r.read(known)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return p, nil
}

// reader goes over the rows of a table.
type reader struct {
	*data.Dataset
	asked                   []string // splits
	split, prediction, loss int      // columns; -1: there is none
	p                       []int    // columns of probabilities
	listed                  []string // their classes, as the file has them

	classes                      *names
	splits                       []string // by their numbers in the file
	labels, groups, predicted, q []int    // places by those in the file
	clipped                      int
}

func (r *reader) read(known *data.Dataset) (out *Predictions, err error) {
	if err := r.name(known); err != nil {
		return nil, err
	}
	out = &Predictions{Classes: r.classes.list, Splits: map[string]*Split{}, Checksum: r.Checksum,
		Notes: r.Notes}
	if r.Grouped {
		groups := newNames("group", r.Groups, nil)
		if known != nil && known.Grouped {
			groups = newNames("group", known.Groups, nil)
		}
		out.Groups = groups.list
		if r.groups, err = groups.places(r.Groups, r.firstGroup); err != nil {
			return nil, err
		}
	}
	for i := range r.Test.Len() {
		if err := r.row(out, i); err != nil {
			return nil, err
		}
	}
	if out.Splits[runner.SplitTest] == nil {
		return nil, fmt.Errorf("column %q: no row is of the test split: name one test",
			data.RawSplit)
	}
	for _, split := range r.asked {
		if out.Splits[split] == nil {
			return nil, fmt.Errorf("column %q: no row is of split %s, which --split names",
				data.RawSplit, split)
		}
	}
	if r.clipped > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("rows whose class has probability 0: %d; their "+
			"loss is taken at %.2g, as scikit-learn's log_loss does", r.clipped, leastProbability))
	}
	out.Columns = append(out.Columns, "label")
	if r.Grouped {
		out.Columns = append(out.Columns, "group")
	}
	for _, c := range r.Encoder.Columns[1:] {
		out.Columns = append(out.Columns, c.Name)
	}
	return out, nil
}

// name finds what the words of the file mean.
func (r *reader) name(known *data.Dataset) (err error) {
	list := r.listed
	if list == nil {
		list = r.Classes
	}
	if len(list) > data.MaxClasses {
		return fmt.Errorf("%d columns p_: want at most %d classes", len(list), data.MaxClasses)
	}
	if known != nil {
		r.classes = newNames("class", known.Classes, nil)
		if r.q, err = r.classes.places(r.listed, nil); err != nil {
			return err
		}
		if len(r.p) > 0 && len(r.p) != len(known.Classes) {
			return fmt.Errorf("%d columns p_ for the classes %q: give each one", len(r.p),
				known.Classes)
		}
	} else {
		r.classes = newNames("class", data.InOrder(list), r.listed)
		r.q, _ = r.classes.places(r.listed, nil)
	}
	if len(r.classes.list) < 2 {
		return fmt.Errorf("column \"label\": all rows are of class %q: predictions need two",
			r.classes.list[0])
	}
	if r.labels, err = r.classes.places(r.Classes, r.firstLabel); err != nil {
		return err
	}
	if r.prediction >= 0 {
		words := r.Encoder.Columns[r.prediction].Categories
		if r.predicted, err = r.classes.places(words, r.firstPrediction); err != nil {
			return err
		}
	}
	return r.nameSplits()
}

// nameSplits finds the splits that the file's words stand for; "" is one that was not asked for.
func (r *reader) nameSplits() error {
	if r.split < 0 {
		if len(r.asked) > 1 {
			return fmt.Errorf("no column %q says which rows are of %s: add one, or name one split",
				data.RawSplit, strings.Join(r.asked, " and of "))
		}
		r.splits = append(r.asked, runner.SplitTest)
		return nil
	}
	for k, word := range r.Encoder.Columns[r.split].Categories {
		split := data.SplitOf(word)
		if split == "" {
			return fmt.Errorf("row %d, column %q: %.40q is no split: want train, val or test",
				r.first(r.split, k), data.RawSplit, word)
		}
		if r.asked != nil && !slices.Contains(r.asked, split) {
			split = ""
		}
		r.splits = append(r.splits, split)
	}
	return nil
}

// first is the row, counted from 1, that has a category in a column.
func (r *reader) first(column, category int) int {
	return r.where(func(i int) bool { return int(data.Raw(r.Test, i)[column]) == category })
}

func (r *reader) firstPrediction(k int) (int, string) {
	return r.first(r.prediction, k), data.RawPrediction
}

func (r *reader) firstLabel(k int) (int, string) {
	return r.where(func(i int) bool { return r.Test.Label(i) == k }), "label"
}

func (r *reader) firstGroup(k int) (int, string) {
	return r.where(func(i int) bool { return r.Test.Group(i) == k }), "group"
}

func (r *reader) where(is func(i int) bool) int {
	for i := range r.Test.Len() {
		if is(i) {
			return int(data.Raw(r.Test, i)[0])
		}
	}
	return 0
}

// row adds a row to its split.
func (r *reader) row(out *Predictions, i int) error {
	x := data.Raw(r.Test, i)
	split := r.splits[0]
	if r.split >= 0 {
		split = r.splits[int(x[r.split])]
	}
	if split == "" {
		return nil
	}
	s := out.Splits[split]
	if s == nil {
		s = &Split{}
		out.Splits[split] = s
	}
	label, group := r.labels[r.Test.Label(i)], 0
	if group = label; r.Grouped {
		group = r.groups[r.Test.Group(i)]
	}
	p, most, err := r.probabilities(x)
	if err != nil {
		return err
	}
	prediction := most
	if r.prediction >= 0 {
		prediction = r.predicted[int(x[r.prediction])]
	}
	s.Rows, s.Labels, s.Groups = append(s.Rows, int(x[0])-1), append(s.Labels, label),
		append(s.Groups, group)
	s.Predictions = append(s.Predictions, prediction)
	s.Correct = append(s.Correct, prediction == label)
	if p != nil {
		s.Confidences = append(s.Confidences, p[prediction])
		for _, v := range p {
			s.Probabilities = append(s.Probabilities, float32(v))
		}
	}
	switch {
	case r.loss >= 0 && x[r.loss] < 0:
		return fmt.Errorf("row %v, column %q: %v: want a loss of at least 0", x[0], data.RawLoss,
			x[r.loss])
	case r.loss >= 0:
		s.Losses = append(s.Losses, x[r.loss])
	case p != nil:
		if p[label] == 0 {
			r.clipped++
		}
		s.Losses = append(s.Losses, max(0, -math.Log(max(p[label], leastProbability))))
	}
	return nil
}

// probabilities are those of a row, by class, and the class of the largest; nil where none are
// known.
func (r *reader) probabilities(x []float64) (p []float64, most int, err error) {
	if len(r.p) == 0 {
		return nil, 0, nil
	}
	p = make([]float64, len(r.p))
	sum := 0.
	for k, c := range r.p {
		v := x[c]
		if v < 0 || v > 1+sumError {
			return nil, 0, fmt.Errorf("row %v, column %q: %v: want a probability from 0 to 1", x[0],
				r.Encoder.Columns[c].Name, v)
		}
		p[r.q[k]] = v
		sum += v
	}
	if math.Abs(sum-1) > sumError {
		return nil, 0, fmt.Errorf("row %v, columns %s: the probabilities sum to %.6g: want 1, "+
			"within %v, so a column for each class", x[0], data.RawProbability+"...", sum, sumError)
	}
	for k, v := range p {
		if v > p[most] {
			most = k
		}
	}
	return p, most, nil
}

// names are those of classes or groups, which a file may give by number.
type names struct {
	what     string
	list     []string
	numbered []string // in the order of their numbers
}

func newNames(what string, list, numbered []string) *names {
	if numbered == nil {
		numbered = list
	}
	return &names{what, list, numbered}
}

// places finds words among the names. Where none is one, whole numbers are places, from 0. Where
// is told of a word that is neither.
func (n *names) places(words []string, where func(k int) (row int, column string)) ([]int, error) {
	named := slices.ContainsFunc(words, func(w string) bool { return slices.Contains(n.list, w) })
	places := make([]int, len(words))
	for k, word := range words {
		number, err := strconv.Atoi(word)
		if !named && err == nil && number >= 0 && number < len(n.numbered) {
			word = n.numbered[number]
		}
		if places[k] = slices.Index(n.list, word); places[k] >= 0 {
			continue
		}
		at := fmt.Sprintf("column %q", data.RawProbability+word)
		if where != nil {
			row, column := where(k)
			at = fmt.Sprintf("row %d, column %q", row, column)
		}
		return nil, fmt.Errorf("%s: %.40q is no %s: want one of %.400q", at, word, n.what, n.list)
	}
	return places, nil
}
