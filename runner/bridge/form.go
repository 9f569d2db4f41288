package bridge

import (
	"drolab/dro"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// form is the side of drolab in weights that the other side computes: see dro.Form.
type form struct {
	most    int       // most bytes of its arrays; 0: the weights come from drolab
	used    bool      // the step under way has weights of a form
	by      string    // where the other side has the group of a sample: group or label
	numbers []float64 // memory
	flags   *bool     // the first of the flags that were sent
}

// open finds out whether the run's method has a form that its settings allow.
func (f *form) open(r *train.Run) {
	if r.Meta.Spec.Weights != spec.OnDevice || dro.FormOf(r.Method.Trainer, nil).Kind == dro.FormNone {
		return
	}
	f.most = 8 * (2*len(r.Data.Groups) + 4 + r.Data.Train.Len())
	f.by = "label"
	if r.Data.Grouped {
		f.by = "group"
	}
}

// next puts the form of the next weights into an answer, and returns its arrays: the numbers, the
// step size, and the flags unless they were sent before.
func (f *form) next(r *train.Run, head *scriptAnswer, rate Array) []Array {
	now := dro.FormOf(r.Method.Trainer, f.numbers[:0])
	f.numbers, head.Form = now.Numbers, now.Kind
	arrays := []Array{Floats(now.Numbers), rate}
	switch now.Kind {
	case dro.FormByGroup, dro.FormGroups:
		head.By = f.by
	case dro.FormByFlag:
		head.By = "index"
	}
	if len(now.Flags) == 0 || f.flags == &now.Flags[0] {
		return arrays
	}
	f.flags = &now.Flags[0]
	list := make([]int, len(now.Flags))
	for i, is := range now.Flags {
		if is {
			list[i] = 1
		}
	}
	return append(arrays, Ints(list))
}
