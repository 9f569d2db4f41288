package train

import (
	"fmt"
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/lists"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// note is a warning, and the subject of which a run warns once.
type note struct{ about, message string }

// Preview returns what a run of s on d would warn of before its first step, or why such a run would
// be refused. It starts nothing.
func Preview(s spec.Spec, d *data.Dataset) (list []string, err error) {
	parts := measure.PartsOf(d)
	t, _, err := runner.NewTrainer(&s, &parts, data.KeysOf(d.Train))
	if err == nil {
		err = runner.CheckRefit(&s, t, &parts, d)
	}
	if err != nil {
		return nil, err
	}
	if runner.RefitsOnVal(t) {
		parts.GiveUpVal()
	}
	m := &runner.Meta{Spec: s, Parts: parts}
	list = slices.Concat(d.Notes, measure.DataLines(d, s.MinGroup))
	for _, n := range slices.Concat(notesOfParts(&parts), notesOfDrop(&s), notesOfRefit(m, t)) {
		list = append(list, n.message)
	}
	return lists.DistinctBy(list, func(line string) string { return line }), nil
}

// notesOfParts warns of classes and groups without training or test samples: the worst class or
// group is then the worst of the others. It reads the run's own counts, which imbalance, hold-out
// and the setting samples have reduced already. Where no training sample has a known group, nothing
// is known of the training samples of a group, and a group that has some stands for a missing
// value.
func notesOfParts(p *measure.Parts) (notes []note) {
	warn := func(counts []int, names []string, text string, missing func(part int) bool) {
		var list []string
		for i, name := range names {
			if i < len(counts) && counts[i] == 0 && !missing(i) {
				list = append(list, fmt.Sprintf(text, name))
			}
		}
		for _, message := range spec.FirstFew(list) {
			notes = append(notes, note{text + message, message})
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
	return notes
}

// notesOfDrop warns if lr is to drop only after the end of the run. It stays silent for the default
// lr_drop_epoch, which nobody asked for and which suits long runs.
func notesOfDrop(s *spec.Spec) []note {
	usual := spec.Defaults().LRDropEpoch
	if !s.Drops() || s.LRDropEpoch < s.Epochs || s.LRDropEpoch == usual {
		return nil
	}
	return []note{{"lr_drop_epoch", fmt.Sprintf(
		"lr_drop_epoch is %d and the run has %s: lr never drops", s.LRDropEpoch,
		spec.Plural(s.Epochs, "epoch"))}}
}

// notesOfRefit warns that the refit takes the validation split, and which measures that costs, or
// that it has to do without this split.
func notesOfRefit(m *runner.Meta, t dro.Trainer) (notes []note) {
	if of, ok := t.(dro.Refitter); ok && of.RefitsOn().Instead {
		notes = append(notes, note{runner.SplitVal, fmt.Sprintf("no validation split has samples "+
			"of every %s, so the last layer is fitted to training samples at the end", m.Part())})
	}
	if m.Refitted == nil {
		return notes
	}
	text := fmt.Sprintf("the last layer is fitted to the %d validation samples at the end, so "+
		"no val_ measure applies", data.Sum(m.Refitted))
	if m.Spec.Select != "" && m.Spec.Select != "last" {
		text += ", and no step is selected"
	}
	if m.Spec.Threshold.ByVal() {
		text += ", nor do measures that need the threshold of val_f1"
	}
	return append(notes, note{runner.SplitVal, text})
}

// warnAll logs some warnings, each as warnOnce does.
func (r *Run) warnAll(notes []note) {
	for _, n := range notes {
		r.warnOnce(n.about, n.message)
	}
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
