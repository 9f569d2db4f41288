package bridge

import (
	"slices"

	"drolab/dro"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// A program takes whole steps by the following questions, of which only the last has an answer.

// Steps implements train.Stepper.
func (n *Network) Steps(kind string) bool {
	return n.start.Spec.Weights == spec.OnDevice && slices.Contains(n.forms, kind)
}

// Begin implements train.Stepper.
func (n *Network) Begin(b train.Batch) { n.sendSamples("begin", b) }

// Draw implements train.Stepper.
func (n *Network) Draw(b train.Batch) {
	n.drawn = append(n.drawn, b.N)
	n.sendSamples("draw", b)
}

func (n *Network) sendSamples(do string, b train.Batch) {
	n.setMode(b.Mode)
	n.send(question{Do: do, Split: b.Split, Epoch: b.Epoch}, "losses", Ints(b.Index).each())
}

// TakeStep implements train.Stepper.
func (n *Network) TakeStep(f dro.Form, b train.Batch, r train.Rule, keep bool) {
	q := question{Do: "weigh", Form: f.Kind, By: n.form.looksAt(f.Kind), Keep: keep, Of: b.N}
	arrays := []Array{Floats(f.Numbers), ruleOf(r)}
	if q.By == "group" {
		arrays = append(arrays, Ints(b.Groups).each())
	}
	n.drawn = n.drawn[:0]
	n.send(q, "a step", append(arrays, n.form.newFlags(f.Flags)...)...)
}

// Results implements train.Stepper.
func (n *Network) Results(losses, drawn []float64) (norm float64, taken bool) {
	want := answerSize{2 + len(n.drawn), 8 * (len(losses) + 1 + len(drawn))}
	var a answer
	got := n.request(question{Do: "results"}, &a, "a step", want)
	n.gather(losses, 0, "a step")
	one := []float64{0}
	n.floats(one, got[min(1, len(got)):], "a step")
	for i, size := range n.drawn {
		n.gather(drawn[:size], 2+i, "a step")
		drawn = drawn[size:]
	}
	return one[0], !a.Skipped
}

var _ train.Stepper = (*Network)(nil)
