package certificate

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/source"
	"drolab/runner/measure"
	"drolab/runner/spec"
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
	r := &reader{words: map[string]*named{}, loss: -1, asked: splits,
		out: &Predictions{Splits: map[string]*Samples{}, Checksum: d.Checksum, Notes: d.Notes}}
	if err = r.columns(d, known); err == nil {
		err = r.rows(d)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return r.out, nil
}

// reader goes over the rows of a table.
type reader struct {
	out        *Predictions
	asked      []string // splits
	words      map[string]*named
	loss       int   // a column; -1: there is none
	p, classOf []int // columns of probabilities, and their classes
	clipped    int
}

// named is a column of names.
type named struct {
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
			r.words[column.Name] = &named{column: c, words: column.Categories}
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
		return fmt.Errorf("%d classes: want 2 to %d", len(classes), data.MaxClasses)
	case listed != nil && (len(listed) != len(classes) || slices.Contains(r.classOf, -1)):
		return fmt.Errorf("columns %s of %.400q: want one for each class, of %.400q",
			data.RawProbability, listed, classes)
	}
	for name, w := range r.words {
		switch w.names = classes; name {
		case data.RawGroup:
			w.names, r.out.Groups = groups, groups
			w.places = places(w.words, groups, nil)
		case data.RawSplit:
			w.names = runner.Splits()
			for _, word := range w.words {
				w.places = append(w.places, slices.Index(w.names, data.SplitOf(word)))
			}
		default:
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
		return 0, fmt.Errorf("row %v, column %q: want one of %.400q, not %.40q", x[0], column,
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
	label, err1 := r.namePlace(x, data.RawLabel, 0)
	group, err2 := r.namePlace(x, data.RawGroup, label)
	prediction, err3 := r.namePlace(x, data.RawPrediction, most)
	if err := cmp.Or(err1, err2, err3); err != nil {
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
		return fmt.Errorf("row %v, column %q: %v: want a loss of at least 0", x[0], data.RawLoss,
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
			return nil, 0, fmt.Errorf("row %v, column %q: %v: want a probability from 0 to 1", x[0],
				data.RawProbability+r.out.Classes[r.classOf[k]], x[c])
		}
		p[r.classOf[k]] = x[c]
		sum += x[c]
	}
	if math.Abs(sum-1) > sumError {
		return nil, 0, fmt.Errorf("row %v, columns %s...: the probabilities sum to %.6g: want 1, "+
			"within %v, so a column for each class", x[0], data.RawProbability, sum, sumError)
	}
	return p, slices.Index(p, slices.Max(p)), nil
}

// A checkpoint has for each split the tensor marks (row, label, group, prediction) and, if they are
// known, the tensors loss and probability. A loss is stored as three whole numbers of 22 bits,
// exact in float32, which hold its bits as a float64.
const (
	marks    = 4
	words    = 3
	wordBits = 22
	wordMask = 1<<wordBits - 1
)

// checkpoint makes a checkpoint of the predictions.
func (p *Predictions) checkpoint() *runner.State {
	s := &runner.State{}
	for _, split := range runner.Splits() {
		of := p.Splits[split]
		if of == nil {
			continue
		}
		add := func(name string, width int, values []float32) {
			if len(values) > 0 {
				s.Parameters = append(s.Parameters, nn.Tensor{Name: split + "." + name,
					Shape: []int{len(of.Rows), width}, Data: values})
			}
		}
		var marked, losses []float32
		for i := range of.Rows {
			for _, v := range []int{of.Rows[i], of.Labels[i], of.Groups[i], of.Predictions[i]} {
				marked = append(marked, float32(v))
			}
		}
		for _, loss := range of.Losses {
			for bits, k := math.Float64bits(loss), 0; k < words; k++ {
				losses = append(losses, float32(bits>>(k*wordBits)&wordMask))
			}
		}
		add("marks", marks, marked)
		add("loss", words, losses)
		add("probability", len(p.Classes), of.Probabilities)
	}
	return s
}

// importedSplit returns a split of the predictions in a checkpoint of an imported run. It checks
// them, since a file may say anything.
func importedSplit(m *runner.Meta, s *runner.State, split string) (*Samples, error) {
	tensors := map[string]nn.Tensor{}
	for _, t := range s.Parameters {
		tensors[t.Name] = t
	}
	marked, there := tensors[split+".marks"]
	if !there {
		return nil, fmt.Errorf("run %s has no predictions of the %.40q split", m.ID, split)
	}
	n := len(marked.Data) / marks
	fits := func(name string, width int) bool {
		got := len(tensors[split+"."+name].Data)
		return got == 0 || got == n*width
	}
	kinds := cmp.Or(len(m.Groups), len(m.Classes))
	ok := len(marked.Data)%marks == 0 && fits("loss", words) && fits("probability", len(m.Classes))
	of := &Samples{Classes: len(m.Classes)}
	of.Probabilities = tensors[split+".probability"].Data
	for i := 0; ok && i < n; i++ {
		at := func(k, below int) (v int) {
			x := marked.Data[i*marks+k]
			ok = ok && x >= 0 && x < float32(below)
			return int(x)
		}
		of.Rows = append(of.Rows, at(0, math.MaxInt32))
		of.Labels = append(of.Labels, at(1, len(m.Classes)))
		of.Groups = append(of.Groups, at(2, kinds))
		of.Predictions = append(of.Predictions, at(3, len(m.Classes)))
		of.Correct = append(of.Correct, of.Labels[i] == of.Predictions[i])
	}
	for loss := tensors[split+".loss"].Data; ok && len(loss) > 0; loss = loss[words:] {
		var bits uint64
		for k, word := range loss[:words] {
			bits |= uint64(word) & wordMask << (k * wordBits)
		}
		x := math.Float64frombits(bits)
		ok = x >= 0 && !math.IsInf(x, 0)
		of.Losses = append(of.Losses, x)
	}
	if !ok {
		return nil, fmt.Errorf("run %s: its checkpoint has other predictions than run.json says",
			m.ID)
	}
	return of, nil
}

// importedData returns the splits of an imported run as data without features.
func importedData(m *runner.Meta, s *runner.State) (*data.Dataset, error) {
	d := &data.Dataset{Name: m.Spec.Dataset, Classes: m.Classes, Groups: m.Groups,
		Grouped: len(m.Groups) > 0, Checksum: m.Checksum}
	if !d.Grouped {
		d.Groups = d.Classes
	}
	for split, to := range map[string]*data.Source{runner.SplitTrain: &d.Train,
		runner.SplitVal: &d.Val, runner.SplitTest: &d.Test} {
		if *m.ClassCounts.Of(split) == nil {
			continue
		}
		of, err := importedSplit(m, s, split)
		if err != nil {
			return nil, err
		}
		*to = rows{of}
	}
	return d, nil
}

// rows are a data.Source without features.
type rows struct{ *Samples }

func (r rows) Len() int          { return len(r.Rows) }
func (rows) Shape() data.Shape   { return data.Shape{} }
func (r rows) Label(i int) int   { return r.Labels[i] }
func (r rows) Group(i int) int   { return r.Groups[i] }
func (rows) Read([]float32, int) {}

// longestName bounds the name of a method, in runes.
const longestName = 64

// CheckName returns an error if a method of another program cannot have this name.
func CheckName(name string) error {
	_, err := dro.Find(dro.Algorithm(name))
	unseen := func(r rune) bool { return !unicode.IsPrint(r) }
	switch {
	case err == nil:
		return fmt.Errorf("%q is a method of drolab's own: choose another name", name)
	case strings.TrimSpace(name) != name || name == "" || !utf8.ValidString(name) ||
		strings.ContainsFunc(name, unseen) || utf8.RuneCountInString(name) > longestName:
		return fmt.Errorf("%.80q: want a name of 1 to %d printable characters", name, longestName)
	}
	return nil
}

// Import says how predictions become a run.
type Import struct {
	Method, File, Preset string
	Spec                 spec.Spec     // of the runs that it is compared with
	Data                 *data.Dataset // the data of these runs; nil: not known
	Host                 runner.Host
}

// ImportStore keeps whole runs; runner/record's does.
type ImportStore interface {
	// Add makes a run that is there whole, once fill has written it, or not at all.
	Add(m *runner.Meta, fill func(runner.Recorder) error) error
}

// Import makes a run of predictions and returns its run.json.
func (p *Predictions) Import(store ImportStore, q Import) (*runner.Meta, error) {
	if p.derived && q.Spec.Loss != nn.CrossEntropy {
		return nil, fmt.Errorf("the runs to compare with have the loss %s, and the table has no "+
			"column %q: add it", q.Spec.Loss, data.RawLoss)
	}
	m := p.meta(&q)
	e, err := p.evaluate(m, &q.Spec)
	if err != nil {
		return nil, err
	}
	return m, store.Add(m, func(to runner.Recorder) error {
		state := p.checkpoint()
		state.Eval = e
		events := []runner.Event{runner.NewStatus(runner.Head{}, runner.Running, nil)}
		for _, note := range p.Notes {
			events = append(events, &runner.WarningEvent{Message: note})
		}
		for _, event := range append(events, e) {
			if err := to.Append(event); err != nil {
				return err
			}
		}
		file, err := to.Checkpoint(state)
		return errors.Join(err, to.Append(&runner.CheckpointEvent{File: file}),
			to.Append(runner.NewStatus(runner.Head{}, runner.Done, nil)),
			to.Finish(runner.Summarize(m, runner.Done, 0, e, nil)))
	})
}

// meta returns the content of the run's run.json.
func (p *Predictions) meta(q *Import) *runner.Meta {
	m := &runner.Meta{Preset: cmp.Or(q.Preset, "imported"), Created: time.Now().UTC(),
		Spec: q.Spec.Judging(dro.Algorithm(q.Method)), Host: q.Host,
		Checksum: p.labelChecksum(), StepsPerEpoch: 1,
		Imported: &runner.Imported{File: filepath.Base(q.File), Checksum: p.Checksum,
			Columns: p.Columns}}
	m.Classes, m.Groups = p.Classes, p.Groups
	for _, split := range runner.Splits() {
		if of := p.Splits[split]; of != nil {
			*m.ClassCounts.Of(split) = data.ClassCounts(rows{of}, len(p.Classes))
			if len(p.Groups) > 0 {
				*m.GroupCounts.Of(split) = data.GroupCounts(rows{of}, len(p.Groups))
			}
		}
	}
	if p.Splits[runner.SplitVal] == nil {
		m.Spec.ValFraction = 0
	}
	switch at := p.mismatch(q.Data); {
	case q.Preset == "":
		m.Spec.Dataset = "imported"
	case at == "":
		m.Checksum = q.Data.Checksum
	default:
		p.Notes = append(p.Notes, fmt.Sprintf("no test is between it and runs on %s: %s",
			m.Spec.Dataset, at))
	}
	m.Imported.Absent = p.absent()
	return m
}

// labelChecksum identifies the samples by what is known of them: their labels, in their order.
func (p *Predictions) labelChecksum() string {
	sum := sha256.New()
	for _, split := range runner.Splits() {
		fmt.Fprintf(sum, "%q %q\n", split, p.Classes)
		if of := p.Splits[split]; of != nil {
			fmt.Fprintln(sum, of.Labels)
		}
	}
	return fmt.Sprintf("labels:%x", sum.Sum(nil)[:16])
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

// absent lists what is not known, for want of columns or rows.
func (p *Predictions) absent() (list []string) {
	test := p.Splits[runner.SplitTest]
	say := func(when bool, what string) {
		if when {
			list = append(list, what)
		}
	}
	say(test.Losses == nil, "no loss or probabilities: no losses and no robust risk")
	say(test.Confidences == nil, "no probabilities: no calibration error and no AUROC")
	say(p.Splits[runner.SplitVal] == nil, "no validation rows: nothing to select by")
	say(p.Splits[runner.SplitTrain] == nil, "no training rows: no training risk")
	return append(list, "no steps: no curves, dual gap or theory")
}

// evaluate measures the splits as evaluations of runs do.
func (p *Predictions) evaluate(m *runner.Meta, s *spec.Spec) (*runner.EvalEvent, error) {
	problem, err := s.Problem()
	if err != nil {
		return nil, err
	}
	e := &measure.Evaluation{Spec: &m.Spec, Problem: problem, Classes: len(m.Classes),
		Groups: len(m.Groups), Train: &measure.Pass{}}
	for split, to := range map[string]**measure.Pass{runner.SplitTrain: &e.Train,
		runner.SplitVal: &e.Val, runner.SplitTest: &e.Test} {
		of := p.Splits[split]
		if of == nil {
			continue
		}
		*to = &of.Pass
		if of.Losses == nil {
			continue
		}
		ratios := make([]float64, len(of.Losses))
		if err := of.Solve(ratios, problem, m.Spec.RiskRadii); err != nil {
			return nil, fmt.Errorf("%s %w", split, err)
		}
		if split == runner.SplitTrain {
			e.Ratios = ratios
		}
	}
	event := &runner.EvalEvent{}
	event.Fill(m, e)
	return event, nil
}
