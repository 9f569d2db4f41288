package train

import (
	"fmt"

	"drolab/runner/measure"
	"drolab/runner/spec"
)

// noteEmpty warns of classes and groups without training or test samples: the worst class or group
// is then the worst of the others. It reads the run's own counts, which imbalance, hold-out and the
// setting samples have reduced already.
func (r *Run) noteEmpty() {
	p := &r.Meta.Parts
	warn := func(counts []int, names []string, text string) {
		var list []string
		for i, name := range names {
			if i < len(counts) && counts[i] == 0 {
				list = append(list, fmt.Sprintf(text, name))
			}
		}
		for _, message := range spec.Few(list) {
			r.warnOnce(text+message, message)
		}
	}
	for _, of := range []struct {
		kind   string
		names  []string
		counts measure.Counts
	}{{"class", p.Classes, p.ClassCounts}, {"group", p.Groups, p.GroupCounts}} {
		warn(of.counts.Train, of.names,
			of.kind+" %s has no training samples: nothing is learned of it")
		warn(of.counts.Test, of.names,
			of.kind+" %s has no test samples: its accuracy does not apply, and the worst "+
				of.kind+" is the worst of the others")
	}
}

// noteEmpty and noteDrop warn once per run, at its start: a resumed run has the warnings in its log
// already.

// noteDrop warns if lr is to drop only after the end of the run. It stays silent for the default
// lr_drop_epoch, which nobody asked for and which suits long runs.
func (r *Run) noteDrop() {
	s := &r.Meta.Spec
	usual := spec.Defaults().LRDropEpoch
	if s.Drops() && s.LRDropEpoch >= s.Epochs && s.LRDropEpoch != usual {
		epochs := spec.Plural(s.Epochs, "epoch")
		r.warnOnce("lr_drop_epoch", fmt.Sprintf(
			"lr_drop_epoch is %d and the run has %s: lr never drops", s.LRDropEpoch, epochs))
	}
}
