package certificate

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// A checkpoint has for each split the tensor marks (row, label, group, prediction) and, if they are
// known, the tensors loss and probability. A loss is stored as three whole numbers of 22 bits,
// exact in float32, which hold its bits as a float64.
const (
	marksOfSample = 4
	wordsOfLoss   = 3
	wordBits      = 22
	wordMask      = 1<<wordBits - 1
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
			for bits, k := math.Float64bits(loss), 0; k < wordsOfLoss; k++ {
				losses = append(losses, float32(bits>>(k*wordBits)&wordMask))
			}
		}
		add("marks", marksOfSample, marked)
		add("loss", wordsOfLoss, losses)
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
	n := len(marked.Data) / marksOfSample
	fits := func(name string, width int) bool {
		got := len(tensors[split+"."+name].Data)
		return got == 0 || got == n*width
	}
	kinds := cmp.Or(len(m.Groups), len(m.Classes))
	ok := len(marked.Data)%marksOfSample == 0 && fits("loss", wordsOfLoss) &&
		fits("probability", len(m.Classes))
	of := &Samples{Classes: len(m.Classes)}
	of.Probabilities = tensors[split+".probability"].Data
	for i := 0; ok && i < n; i++ {
		at := func(k, below int) (v int) {
			x := marked.Data[i*marksOfSample+k]
			ok = ok && x >= 0 && x < float32(below)
			return int(x)
		}
		of.Rows = append(of.Rows, at(0, math.MaxInt32))
		of.Labels = append(of.Labels, at(1, len(m.Classes)))
		of.Groups = append(of.Groups, at(2, kinds))
		of.Predictions = append(of.Predictions, at(3, len(m.Classes)))
		of.Correct = append(of.Correct, of.Labels[i] == of.Predictions[i])
	}
	for loss := tensors[split+".loss"].Data; ok && len(loss) > 0; loss = loss[wordsOfLoss:] {
		var bits uint64
		for k, word := range loss[:wordsOfLoss] {
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

func (r rows) Len() int { return len(r.Rows) }

func (rows) Shape() data.Shape { return data.Shape{} }

func (r rows) Label(i int) int { return r.Labels[i] }

func (r rows) Group(i int) int { return r.Groups[i] }

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
		return fmt.Errorf("%.80q: expected a name of 1 to %d printable characters", name,
			longestName)
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
	e := &measure.Evaluation{Settings: m.Spec.MeasureSettings(), Problem: problem,
		Classes: len(m.Classes), Groups: len(m.Groups), Train: &measure.Pass{}}
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
