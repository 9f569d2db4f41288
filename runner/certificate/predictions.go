package certificate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/source"
	"drolab/runner/train"
)

// Predictions are the predictions of another program, by split.
type Predictions struct {
	Classes  []string
	Groups   []string // nil: none are given
	Splits   map[string]*Samples
	Checksum string   // of the file
	Columns  []string // the columns that were read
	derived  bool     // the losses are cross-entropy, made from probabilities
	Notes    []string
}

const (
	// sumError is how far from 1 the sum of the probabilities of a row may be.
	sumError = 1e-3
	// leastProbability is what scikit-learn's log_loss takes for a probability of 0.
	leastProbability = 0x1p-52
)

// ReadPredictions reads a table. It takes the splits that are named, or all. If the table has no
// column for the split, all rows belong to the one split that is named, or to the test split.
// Classes and groups are taken from known, if it is not nil. Errors name row, column and remedy.
func ReadPredictions(
	ctx context.Context, file string, splits []string, known *data.Dataset,
) (*Predictions, error) {
	d, err := source.OpenRaw(ctx, file)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	r := &reader{words: map[string]*nameColumn{}, loss: -1, asked: splits,
		out: &Predictions{Splits: map[string]*Samples{}, Checksum: d.Checksum, Notes: d.Notes}}
	if err := r.columns(d, known); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if err := r.rows(d); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return r.out, nil
}

// reader goes over the rows of a table.
type reader struct {
	out        *Predictions
	asked      []string // splits
	words      map[string]*nameColumn
	loss       int   // a column; -1: there is none
	p, classOf []int // columns of probabilities, and their classes
	clipped    int
}

// nameColumn is a column of names.
type nameColumn struct {
	column int
	words  []string
	names  []string // the names that words must be among
	places []int    // the place of each word among names; -1: none
}

// columns finds what the columns mean.
func (r *reader) columns(d *data.Dataset, known *data.Dataset) error {
	var listed []string // classes of probabilities
	for c, column := range d.Encoder.Columns {
		class, isP := strings.CutPrefix(column.Name, data.RawProbability)
		switch {
		case column.Categories != nil:
			r.words[column.Name] = &nameColumn{column: c, words: column.Categories}
		case column.Name == data.RawLoss:
			r.loss = c
		case isP:
			r.p, listed = append(r.p, c), append(listed, class)
		default: // the row
			continue
		}
		r.out.Columns = append(r.out.Columns, column.Name)
	}
	classes, groups := d.Classes, d.Groups
	if listed != nil {
		classes = data.InOrder(listed)
	}
	numbered := listed
	if known != nil {
		classes, numbered = known.Classes, nil
		if known.Grouped {
			groups = known.Groups
		}
		if known.Members != nil { // a table has no column for them
			delete(r.words, data.RawGroup)
			r.out.Notes = append(r.out.Notes, "groups that overlap are not measured: the "+
				"figures are of the classes")
		}
	}
	r.out.Classes, r.classOf = classes, places(listed, classes, nil)
	switch {
	case listed == nil && r.words[data.RawPrediction] == nil:
		return fmt.Errorf("no column %q, nor columns %q with a class: add one", data.RawPrediction,
			data.RawProbability)
	case len(classes) < 2 || len(classes) > data.MaxClasses:
		return fmt.Errorf("%d classes: expected 2 to %d", len(classes), data.MaxClasses)
	case listed != nil && (len(listed) != len(classes) || slices.Contains(r.classOf, -1)):
		return fmt.Errorf("columns %s of %.400q: expected one for each class, of %.400q",
			data.RawProbability, listed, classes)
	}
	for name, w := range r.words {
		switch name {
		case data.RawGroup:
			w.names, r.out.Groups = groups, groups
			w.places = places(w.words, groups, nil)
		case data.RawSplit:
			w.names = runner.Splits()
			for _, word := range w.words {
				w.places = append(w.places, slices.Index(w.names, data.SplitOf(word)))
			}
		default:
			w.names = classes
			w.places = places(w.words, classes, numbered)
		}
	}
	return nil
}

// places returns the place of each word among names, or -1. If no word is a name, whole numbers are
// places from 0 in numbered, or in names if numbered is nil. 1.0 is a form of 1.
func places(words, names, numbered []string) []int {
	if numbered == nil {
		numbered = names
	}
	byName := slices.ContainsFunc(words, func(w string) bool {
		return data.PlaceAlike(names, w) >= 0
	})
	list := make([]int, len(words))
	for k, word := range words {
		number, err := strconv.Atoi(word)
		if !byName && err == nil && number >= 0 && number < len(numbered) {
			word = numbered[number]
		}
		list[k] = data.PlaceAlike(names, word)
	}
	return list
}

// rows reads all rows.
func (r *reader) rows(d *data.Dataset) error {
	if r.words[data.RawSplit] == nil && len(r.asked) > 1 {
		return fmt.Errorf("no column %q says which rows are of %s: add one, or name one split",
			data.RawSplit, strings.Join(r.asked, " and of "))
	}
	for i := range d.Test.Len() {
		if err := r.row(data.Raw(d.Test, i)); err != nil {
			return err
		}
	}
	for _, split := range append(slices.Clone(r.asked), runner.SplitTest) {
		if r.out.Splits[split] == nil {
			return fmt.Errorf("no row belongs to the %s split: mark some in a column %q", split,
				data.RawSplit)
		}
	}
	if r.clipped > 0 {
		r.out.Notes = append(r.out.Notes, fmt.Sprintf("rows whose class has probability 0: %d; "+
			"their loss is taken at %.2g, as scikit-learn's log_loss does", r.clipped,
			leastProbability))
	}
	return nil
}

// namePlace returns what the row x says in a column, as a place among the column's names, or other
// if there is no such column.
func (r *reader) namePlace(x []float64, column string, other int) (int, error) {
	w := r.words[column]
	if w == nil {
		return other, nil
	}
	code := int(x[w.column])
	if w.places[code] < 0 {
		return 0, fmt.Errorf("row %v, column %q: expected one of %.400q, not %.40q", x[0], column,
			w.names, w.words[code])
	}
	return w.places[code], nil
}

// row adds a row to its split.
func (r *reader) row(x []float64) error {
	split := runner.SplitTest
	if len(r.asked) == 1 {
		split = r.asked[0]
	}
	at, err := r.namePlace(x, data.RawSplit, slices.Index(runner.Splits(), split))
	if err != nil {
		return err
	}
	if split = runner.Splits()[at]; r.asked != nil && !slices.Contains(r.asked, split) {
		return nil
	}
	p, most, err := r.probabilities(x)
	if err != nil {
		return err
	}
	label, err := r.namePlace(x, data.RawLabel, 0)
	if err != nil {
		return err
	}
	group, err := r.namePlace(x, data.RawGroup, label)
	if err != nil {
		return err
	}
	prediction, err := r.namePlace(x, data.RawPrediction, most)
	if err != nil {
		return err
	}
	s := r.out.Splits[split]
	if s == nil {
		s = &Samples{Classes: len(r.out.Classes)}
		r.out.Splits[split] = s
	}
	s.Rows, s.Labels = append(s.Rows, int(x[0])-1), append(s.Labels, label)
	s.Groups, s.Predictions = append(s.Groups, group), append(s.Predictions, prediction)
	s.Correct = append(s.Correct, prediction == label)
	if p != nil {
		s.Confidences = append(s.Confidences, p[prediction])
		for _, v := range p {
			s.Probabilities = append(s.Probabilities, float32(v))
		}
	}
	switch {
	case r.loss >= 0 && x[r.loss] < 0:
		return fmt.Errorf("row %v, column %q: %v: expected a loss of at least 0", x[0],
			data.RawLoss,
			x[r.loss])
	case r.loss >= 0:
		s.Losses = append(s.Losses, x[r.loss])
	case p != nil:
		if p[label] == 0 {
			r.clipped++
		}
		r.out.derived = true
		s.Losses = append(s.Losses, max(0, -math.Log(max(p[label], leastProbability))))
	}
	return nil
}

// probabilities returns the probabilities of a row, by class, and the class of the largest. They
// are nil if the table has none.
func (r *reader) probabilities(x []float64) (p []float64, most int, err error) {
	if r.p == nil {
		return nil, 0, nil
	}
	p = make([]float64, len(r.p))
	sum := 0.
	for k, c := range r.p {
		if x[c] < 0 || x[c] > 1+sumError {
			return nil, 0, fmt.Errorf("row %v, column %q: %v: expected a probability from 0 to 1",
				x[0],
				data.RawProbability+r.out.Classes[r.classOf[k]], x[c])
		}
		p[r.classOf[k]] = x[c]
		sum += x[c]
	}
	if math.Abs(sum-1) > sumError {
		return nil, 0, fmt.Errorf("row %v, columns %s...: the probabilities sum to %.6g: "+
			"expected 1, "+
			"within %v, so a column for each class", x[0], data.RawProbability, sum, sumError)
	}
	return p, slices.Index(p, slices.Max(p)), nil
}

// mismatch says why the rows cannot be the samples of a dataset, in its order. It returns "" if the
// labels, and the groups if both have them, are the same one by one.
func (p *Predictions) mismatch(d *data.Dataset) string {
	if d == nil {
		return "its data are not here, so that the order of the rows could not be checked"
	}
	for _, split := range runner.Splits() {
		rows, src := p.Splits[split], train.Source(d, split)
		switch {
		case rows == nil:
			continue
		case src == nil || src.Len() != len(rows.Rows):
			have := 0
			if src != nil {
				have = src.Len()
			}
			return fmt.Sprintf("its %s split has %d samples, and the file %d rows of it", split,
				have, len(rows.Rows))
		}
		for i, row := range rows.Rows {
			label, group := src.Label(i), src.Group(i)
			if label != rows.Labels[i] || p.Groups != nil && d.Grouped && group != rows.Groups[i] {
				return fmt.Sprintf("row %d has another label or group than sample %d of its %s "+
					"split: write the rows in that order, as drolab eval does", row+1, i, split)
			}
		}
	}
	return ""
}
