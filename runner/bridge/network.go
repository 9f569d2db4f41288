package bridge

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/loader"
	"drolab/runner/train"
)

// Network is a program in the place of a network. It implements train.Network. It belongs to the
// run's goroutine.
type Network struct {
	*Program
	classes int
	width   int      // of the features that enter its last layer; 0: it does not show the layer
	said    nn.Mode  // the mode that the program was last told
	last    int      // number of samples of the last losses
	made    int      // number of folders made so far
	ahead   bool     // whether it hears of samples before it is asked about them
	forms   []string // kinds of forms by which it takes whole steps
	form    form
	drawn   []int // number of samples of each draw of the step under way
}

// modes are the words of the protocol for the modes.
var modes = map[nn.Mode]string{nn.Train: "train", nn.Evaluate: "evaluate", nn.Probe: "probe"}

// NewNetwork starts a program to train on the samples that it described as d. A program that has
// other samples now is an error.
func NewNetwork(s Start, d *data.Dataset) (*Network, error) {
	n, _, err := open(context.Background(), s, d.Checksum)
	return n, err
}

// open starts a program whose labels and groups must have this checksum. The program ends with ctx.
func open(ctx context.Context, s Start, checksum string) (*Network, *data.Dataset, error) {
	p, err := launch(s)
	if err != nil {
		return nil, nil, err
	}
	context.AfterFunc(ctx, p.kill)
	d := p.hello()
	if p.err == nil && d.Data.Checksum != checksum {
		p.fail("hello", errors.New("it has other labels or groups than when it was asked before: "+
			"they must be the same at every start"))
	}
	if p.err != nil {
		p.Close()
		return nil, nil, p.err
	}
	return &Network{Program: p, classes: len(d.Data.Classes), width: d.Features,
		ahead: d.Ahead, forms: d.Forms, form: form{by: "group"}}, d.Data, nil
}

// Feed implements train.Learner: it announces samples, in pieces of at most a batch, to a program
// that reads them ahead.
func (n *Network) Feed(split string, mode nn.Mode, o *loader.Options) {
	o.IndexOnly = true
	if !n.ahead {
		return
	}
	o.Announce = func(epoch uint64, index []int) {
		for part := range slices.Chunk(index, n.start.Spec.Batch) {
			n.send(question{Do: "next", Mode: modes[mode], Split: split, Epoch: epoch}, "samples",
				Ints(part).each())
		}
	}
}

// Losses implements train.Learner. If the mode has changed, the program is told the new mode
// before.
func (n *Network) Losses(losses []float64, b train.Batch, _ func(weights, losses []float64)) {
	n.setMode(b.Mode)
	n.last = b.N
	n.request(question{Do: "losses", Split: b.Split, Epoch: b.Epoch}, &answer{}, "losses",
		answerSize{1, 8 * b.N}, Ints(b.Index).each())
	n.gather(losses[:b.N], 0, "losses")
}

// setMode tells the program its mode, if that has changed.
func (n *Network) setMode(mode nn.Mode) {
	if mode != n.said {
		n.send(question{Do: "mode", Mode: modes[mode]}, "its mode")
		n.said = mode
	}
}

// Outputs implements train.Learner.
func (n *Network) Outputs(o train.Outputs) {
	q, want := question{Do: "outputs"}, answerSize{}
	for _, w := range []struct {
		name   string
		wanted bool
		bytes  int // of a sample
	}{{"classes", o.Classes != nil, 8}, {"confidences", o.Confidences != nil, 8},
		{"probabilities", o.Probabilities != nil, 4 * n.classes}} {
		if w.wanted {
			q.Want = append(q.Want, w.name)
			want.arrays, want.bytes = want.arrays+1, want.bytes+w.bytes*n.last
		}
	}
	n.request(q, &answer{}, "outputs", want)
	for rank, got := range n.answers {
		from, to := n.part(rank, n.last)
		for i := 0; i < len(got) && n.err == nil; i++ {
			var err error
			switch q.Want[i] {
			case "classes":
				err = got[i].Ints(o.Classes[from:to], n.classes)
			case "confidences":
				err = got[i].Floats(o.Confidences[from:to])
			default:
				err = singles(o.Probabilities[from*n.classes:to*n.classes], got[i])
			}
			if err != nil {
				n.failAt(rank, q.Want[i], err)
			}
		}
	}
}

// Width implements train.LastLayer.
func (n *Network) Width() int { return n.width }

// Features implements train.LastLayer.
func (n *Network) Features(rows [][]float32) {
	n.request(question{Do: "features"}, &answer{}, "features", answerSize{1, 4 * n.width * n.last})
	for rank := 0; rank < len(n.answers) && n.err == nil; rank++ {
		from, to := n.part(rank, n.last)
		flat := make([]float32, (to-from)*n.width)
		if err := singles(flat, n.answers[rank][0]); err != nil {
			n.failAt(rank, "features", err)
		}
		for i, row := range rows[from:to] {
			copy(row, flat[i*n.width:])
		}
		if slices.ContainsFunc(flat, func(x float32) bool { return x-x != 0 }) {
			n.failAt(rank, "features", errors.New("some are not finite: lower lr, or set clip"))
		}
	}
}

// Layer implements train.LastLayer.
func (n *Network) Layer() dro.Layer { return n.layer() }

// SetLayer implements train.LastLayer.
func (n *Network) SetLayer(l dro.Layer) {
	n.layer(Floats(slices.Concat(l.Weights...)), Floats(l.Bias))
}

// layer asks for the last layer, behind its replacement by these weights and biases, if there are
// any.
func (n *Network) layer(by ...Array) (l dro.Layer) {
	const doing = "its last layer"
	got := n.request(question{Do: "layer"}, &answer{}, doing,
		answerSize{2, 8 * n.classes * (n.width + 1)}, by...)
	flat := make([]float64, n.classes*n.width)
	l.Bias = make([]float64, n.classes)
	n.floats(flat, got, doing)
	n.floats(l.Bias, got[min(1, len(got)):], doing)
	if slices.ContainsFunc(append(flat, l.Bias...), func(x float64) bool { return x-x != 0 }) {
		n.fail(doing, errors.New("some numbers are not finite: lower lr, or set clip"))
	}
	l.Weights = slices.Collect(slices.Chunk(flat, n.width))
	return l
}

// singles fills into with the values of an array of float32.
func singles(into []float32, a Array) error {
	if a.Type != Float32 || a.Len() != len(into) {
		return fmt.Errorf("%d elements of type %s where %d of type %s belong", a.Len(), a.Type,
			len(into), Float32)
	}
	for i := range into {
		into[i] = math.Float32frombits(binary.LittleEndian.Uint32(a.Raw[4*i:]))
	}
	return nil
}

// Gradient implements train.Learner. The question has no answer.
func (n *Network) Gradient(weights []float64, add bool) {
	n.send(question{Do: "gradient", Add: add, Of: n.last}, "the gradient",
		Floats(weights[:n.last]).each())
}

// GradNorm implements train.Learner.
func (n *Network) GradNorm() float64 {
	return n.numbers(question{Do: "norm"}, &answer{}, "the gradient's norm", 1)[0]
}

// numbers asks for an array of so many numbers.
func (n *Network) numbers(
	q question, a *answer, doing string, count int, arrays ...Array,
) []float64 {
	list := make([]float64, count)
	n.floats(list, n.request(q, a, doing, answerSize{1, 8 * count}, arrays...), doing)
	return list
}

// Step implements train.Learner.
func (n *Network) Step(r train.Rule) (norm float64, taken bool) {
	rule := ruleOf(r)
	if r.Advance == nil {
		var a answer
		return n.numbers(question{Do: "step"}, &a, "a step", 1, rule)[0], !a.Skipped
	}
	norms := n.numbers(question{Do: "accumulate"}, &answer{}, "a step", 2, rule)
	if n.err == nil {
		rate := r.Advance(norms[1], r.LR)
		n.request(question{Do: "advance"}, &answer{}, "a step", answerSize{},
			Floats([]float64{rate}))
	}
	return norms[0], true
}

func ruleOf(r train.Rule) Array {
	return Floats([]float64{r.LR, r.Momentum, r.WeightDecay, r.Clip})
}

// Pick implements train.Keeper.
func (n *Network) Pick() { n.command("pick") }

// Swap implements train.Keeper.
func (n *Network) Swap() { n.command("swap") }

// Restart implements train.Learner.
func (n *Network) Restart() { n.command("restart") }

func (n *Network) command(what string) {
	n.request(question{Do: what}, &answer{}, what, answerSize{})
}

// Save implements train.Saver. The program writes into a new folder.
func (n *Network) Save(s *runner.State) error {
	if n.err != nil {
		return n.err
	}
	n.made++
	folder := filepath.Join(n.start.Scratch, fmt.Sprintf("save-%d", n.made))
	if err := os.Mkdir(folder, 0o700); err != nil {
		n.fail("a checkpoint", err)
		return n.err
	}
	n.setSaving(true)
	n.request(question{Do: "save", Folder: folder}, &answer{}, "a checkpoint", answerSize{})
	n.setSaving(false)
	s.Opaque = savedFolder{folder, n.start.Spec, n.atOnce}
	return n.err
}

// atOnce reports whether the run was asked twice to stop. If the program has ended, nobody has
// taken the requests.
func (n *Network) atOnce() bool {
	taken, _ := n.stopRequests()
	return taken+len(n.start.Stops) > 1
}

// Load implements train.Saver.
func (n *Network) Load(s *runner.State) error {
	switch {
	case n.err != nil:
		return n.err
	case s.Opaque == nil:
		return errors.New("it belongs to a network of drolab's own, not to a program")
	}
	folder := filepath.Join(n.start.Scratch, "load")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := unpack(s.Opaque, folder, n.start.Spec); err != nil {
		return err
	}
	n.request(question{Do: "load", Folder: folder}, &answer{}, "taking up a checkpoint",
		answerSize{})
	return n.err
}

var (
	_ train.Network   = (*Network)(nil)
	_ train.LastLayer = (*Network)(nil)
	_ train.Logger    = (*Network)(nil)
)
