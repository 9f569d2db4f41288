package train

import (
	"drolab/runner/measure"
	"drolab/runner/spec"
	"fmt"
)

// noteEmpty warns of classes and groups that nothing is known of: a worst one is
// the worst of the others then. It looks at the run's own counts, so imbalance,
// hold-out and samples have had their part in them.
func (r *Run) noteEmpty() {
	p := &r.Meta.Parts
	warn := func(counts []int, names []string, text string) {
		for i, name := range names {
			if i < len(counts) && counts[i] == 0 {
				message := fmt.Sprintf(text, name)
				r.warnOnce(message, message)
			}
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

// Both notes are once a run, at its start: a resume has them in its log already.

// noteDrop warns where lr is to drop after the end, unless nobody asked for that:
// the usual one is of long runs.
func (r *Run) noteDrop() {
	s := &r.Meta.Spec
	usual := spec.Defaults().LRDropEpoch
	if s.Drops() && s.LRDropEpoch >= s.Epochs && s.LRDropEpoch != usual {
		epochs := spec.Plural(s.Epochs, "epoch")
		r.warnOnce("lr_drop_epoch", fmt.Sprintf(
			"lr_drop_epoch is %d and the run has %s: lr never drops", s.LRDropEpoch, epochs))
	}
}
