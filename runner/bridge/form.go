package bridge

import (
	"slices"

	"drolab/dro"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// form is the side of drolab in weights that the other side computes: see dro.Form.
type form struct {
	most    int       // most bytes of its arrays; 0: the weights come from drolab
	used    bool      // the step under way has weights of a form
	by      string    // what the other side calls the group of a sample
	numbers []float64 // memory
	flags   *bool     // the first of the flags that were sent
}

// open finds out whether the run's method has a form that its settings allow.
func (f *form) open(r *train.Run) {
	kind := r.Method.Form(nil).Kind
	if r.Meta.Spec.Weights != spec.OnDevice || kind == dro.FormNone {
		return
	}
	f.most = 8 * (2*len(r.Data.Groups) + 4 + r.Data.Train.Len())
	f.by = "label"
	if r.Data.Grouped {
		f.by = "group"
	}
}

// answerForm answers a script with the form of its next weights.
func (s *Script) answerForm() error {
	now := s.run.Method.Form(s.form.numbers[:0])
	s.form.numbers = now.Numbers
	head, rate := s.beginStep()
	head.Form, head.By = now.Kind, s.form.looksAt(now.Kind)
	arrays := []Array{Floats(now.Numbers), rate}
	return s.answer(head, append(arrays, s.form.newFlags(now.Flags)...)...)
}

// looksAt returns where a kind finds the place of a sample among its numbers or flags.
func (f *form) looksAt(kind string) string {
	switch kind {
	case dro.FormByGroup, dro.FormGroups:
		return f.by
	case dro.FormByFlag:
		return "index"
	}
	return ""
}

// newFlags returns the flags as an array, unless they were sent before or there are none.
func (f *form) newFlags(flags []bool) []Array {
	if len(flags) == 0 || f.flags == &flags[0] {
		return nil
	}
	f.flags = &flags[0]
	list := make([]int, len(flags))
	for i, is := range flags {
		if is {
			list[i] = 1
		}
	}
	return []Array{Ints(list)}
}

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

// Weigh implements train.Stepper.
func (n *Network) Weigh(f dro.Form, b train.Batch, r train.Rule, keep bool) {
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
	want := wanted{2 + len(n.drawn), 8 * (len(losses) + 1 + len(drawn))}
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
