package foreign

import (
	"fmt"
	"math"

	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data"
)

// A checkpoint has for each split the tensor marks (row, label, group, prediction) and, if they are
// known, the tensors loss and probability. A loss is stored as three whole numbers of 22 bits,
// exact in float32, which hold its bits as a float64.
const (
	marks    = 4
	words    = 3
	wordBits = 22
	wordMask = 1<<wordBits - 1
)

// keep makes a checkpoint of the predictions.
func (p *Predictions) keep() *runner.State {
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

// Open returns a split of the predictions in a checkpoint of an imported run. It checks them, since
// a file may say anything.
func Open(m *runner.Meta, s *runner.State, split string) (*Split, error) {
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
	kinds := len(m.Groups)
	if kinds == 0 {
		kinds = len(m.Classes)
	}
	ok := len(marked.Data)%marks == 0 && fits("loss", words) && fits("probability", len(m.Classes))
	of := &Split{}
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
		return nil, fmt.Errorf("run %s: its checkpoint has other predictions than run.json "+
			"says",
			m.ID)
	}
	return of, nil
}

// Data returns the splits of an imported run as data without features.
func Data(m *runner.Meta, s *runner.State) (*data.Dataset, error) {
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
		of, err := Open(m, s, split)
		if err != nil {
			return nil, err
		}
		*to = rows{of}
	}
	return d, nil
}

// rows are a data.Source without features.
type rows struct{ *Split }

func (r rows) Len() int          { return len(r.Rows) }
func (rows) Shape() data.Shape   { return data.Shape{} }
func (r rows) Label(i int) int   { return r.Labels[i] }
func (r rows) Group(i int) int   { return r.Groups[i] }
func (rows) Read([]float32, int) {}
