package train

import (
	"fmt"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// noteEmpty warns of classes and groups without training or test samples: the worst class or group
// is then the worst of the others. It reads the run's own counts, which imbalance, hold-out and the
// setting samples have reduced already. Where no training sample has a known group, nothing is
// known of the training samples of a group, and a group that has some stands for a missing value.
func (r *Run) noteEmpty() {
	p := &r.Meta.Parts
	warn := func(counts []int, names []string, text string, missing func(part int) bool) {
		var list []string
		for i, name := range names {
			if i < len(counts) && counts[i] == 0 && !missing(i) {
				list = append(list, fmt.Sprintf(text, name))
			}
		}
		for _, message := range spec.FirstFew(list) {
			r.warnOnce(text+message, message)
		}
	}
	for _, of := range []struct {
		kind   string
		names  []string
		counts measure.Counts
	}{{"class", p.Classes, p.ClassCounts}, {"group", p.Groups, p.GroupCounts}} {
		ungrouped := of.kind == "group" && p.Ungrouped
		warn(of.counts.Train, of.names,
			of.kind+" %s has no training samples: nothing is learned of it",
			func(int) bool { return ungrouped })
		warn(of.counts.Test, of.names,
			of.kind+" %s has no test samples: its accuracy does not apply, and the worst "+
				of.kind+" is the worst of the others",
			func(part int) bool { return ungrouped && of.counts.Train[part] > 0 })
	}
}

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

// noteRefit warns that the refit takes the validation split, and which measures that costs, or
// that it has to do without this split.
func (r *Run) noteRefit() {
	if m, ok := r.Method.Trainer.(dro.Refitter); ok && m.RefitsOn().Instead {
		r.warnOnce(runner.SplitVal, fmt.Sprintf("no validation split has samples of every %s, so "+
			"the last layer is fitted to training samples at the end", r.Meta.Part()))
	}
	if r.Meta.Refitted == nil {
		return
	}
	text := fmt.Sprintf("the last layer is fitted to the %d validation samples at the end, so "+
		"no val_ measure applies", data.Sum(r.Meta.Refitted))
	if r.Meta.Spec.Select != "" && r.Meta.Spec.Select != "last" {
		text += ", and no step is selected"
	}
	if r.Meta.Spec.Threshold.ByVal() {
		text += ", nor do measures that need the threshold of val_f1"
	}
	r.warnOnce(runner.SplitVal, text)
}

// warnOnce logs a warning, the first time that this Run warns about the subject. A warning that
// cannot be written is lost: it is not worth the run. A resumed run is another Run, and may warn
// again.
func (r *Run) warnOnce(about, message string) {
	if !r.warned[about] {
		r.warned[about] = true
		r.append(&runner.WarningEvent{Head: r.Head(), Message: message})
	}
}
