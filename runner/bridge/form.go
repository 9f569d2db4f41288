package bridge

import (
	"drolab/dro"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// form is the side of drolab in weights that the other side computes: see dro.Form.
type form struct {
	most    int       // most bytes of its arrays; 0: the weights come from drolab
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
