package measure

import (
	"strings"

	"drolab/runner/data"
)

// Parts are the classes and groups of a run's data. Groups are listed only if they were given, and
// are empty if only classes are known. An index in Classes is a sample's label, an index in Groups
// its group, and counts are in the same order.
type Parts struct {
	Classes     []string `json:"classes,omitempty"`
	ClassCounts Counts   `json:"class_counts,omitzero"`
	Groups      []string `json:"groups,omitempty"`
	GroupCounts Counts   `json:"group_counts,omitzero"`
	// TrainGroups are the groups that methods train on, where those above overlap.
	TrainGroups []string `json:"training_groups,omitempty"`
	TrainCounts Counts   `json:"training_group_counts,omitzero"`
	// Ungrouped says that no training sample has a known group. The groups with training samples
	// then stand for a missing value.
	Ungrouped bool `json:"ungrouped_training,omitempty"`
	// Refitted counts the validation samples of each group, or class where no groups are given, to
	// which a method fits the last layer. The run has no validation split then.
	Refitted []int `json:"refitted_counts,omitempty"`
}

// Counts are numbers of samples, one per class or group. Train counts the samples that are left
// after imbalance and hold-out; Val is nil without a hold-out.
type Counts struct {
	Train []int `json:"train"`
	Val   []int `json:"val,omitempty"`
	Test  []int `json:"test"`
}

// Of returns the counts of a split: train, val or test.
func (c *Counts) Of(split string) *[]int {
	switch split {
	case "val":
		return &c.Val
	case "test":
		return &c.Test
	}
	return &c.Train
}

// IsZero reports whether nothing was counted.
func (c Counts) IsZero() bool { return c.Train == nil && c.Val == nil && c.Test == nil }

// PartsOf counts the samples of a dataset, after imbalance and hold-out. It goes over all samples,
// so a run keeps the result.
func PartsOf(d *data.Dataset) Parts {
	count := func(of func(data.Source) []int) (c Counts) {
		c.Train = of(d.Train)
		if d.Test.Len() > 0 { // a script need not say what it will test on
			c.Test = of(d.Test)
		}
		if d.Val != nil {
			c.Val = of(d.Val)
		}
		return c
	}
	classes := func(s data.Source) []int { return data.ClassCounts(s, len(d.Classes)) }
	groups := func(s data.Source) []int { return data.GroupCounts(s, len(d.Groups)) }
	p := Parts{Classes: d.Classes, Groups: d.Measured(), ClassCounts: count(classes),
		Ungrouped: d.Ungrouped}
	if d.Grouped {
		p.GroupCounts = count(d.MeasuredCounts)
	}
	if d.Members != nil {
		p.TrainGroups, p.TrainCounts = d.Groups, count(groups)
	}
	return p
}

// GiveUpVal turns the validation split, if there is one, into samples for the last layer.
func (p *Parts) GiveUpVal() {
	p.Refitted = p.Training().Val
	p.ClassCounts.Val, p.GroupCounts.Val, p.TrainCounts.Val = nil, nil, nil
}

// Learns reports whether training has samples of a class or group, whose number is n there, or may
// have them: of known groups where those of training samples are not known.
func (p *Parts) Learns(a Axis, n int) bool {
	return (n > 0) != (a == PerGroup && p.Ungrouped)
}

// Part returns the word for the kind of part by which the run's figures are listed: "group" if
// groups are given, else "class".
func (p *Parts) Part() string { return OfMain(p, "class", "group") }

// Main returns the axis on which people ask for the worst part: the groups if they are given, else
// the classes.
func (p *Parts) Main() Axis {
	if len(p.Groups) > 0 {
		return PerGroup
	}
	return PerClass
}

// OfMain returns the one of two things that is about the parts on the main axis.
func OfMain[T any](p *Parts, classes, groups T) T {
	if p.Main() == PerGroup {
		return groups
	}
	return classes
}

// Names lists the classes or the groups; nil for another axis. The list is the run's
// own and must not be changed.
func (p *Parts) Names(a Axis) []string {
	switch a {
	case PerClass:
		return p.Classes
	case PerGroup:
		return p.Groups
	}
	return nil
}

// Counts returns the numbers of samples of the classes or of the groups.
func (p *Parts) Counts(a Axis) Counts {
	switch a {
	case PerClass:
		return p.ClassCounts
	case PerGroup:
		return p.GroupCounts
	}
	return Counts{}
}

// Joined returns the names at some places in one text, as of the groups of a sample.
func Joined(names []string, places []int) string {
	if len(places) == 0 {
		return "(none)"
	}
	return strings.Join(data.Picked(names, places), ", ")
}

// Training returns the numbers of samples of the groups that methods train on, or else of the
// classes.
func (p *Parts) Training() Counts {
	if p.TrainGroups != nil {
		return p.TrainCounts
	}
	return p.Counts(p.Main())
}

// MeasureFor returns the name of the measure of groups that corresponds to the named measure of
// classes, if groups are given; else the name. A page that asks for the worst class thus shows the
// worst group in a run that is about groups.
func (p *Parts) MeasureFor(name string) string {
	if p.Main() == PerGroup {
		if m, _ := FindMeasure(name); m.groups != "" {
			return m.groups
		}
	}
	return name
}

// repeated says how many test rows are also training rows. With few columns of few values, rows
// repeat by themselves, and then equally often within the training split.
func repeated(e *evidence) []finding {
	if e.Repeated == 0 {
		return nil
	}
	of, remedy := "", "take them out of one split"
	if e.Every > 1 {
		of = " of a sample"
	}
	if share := float64(e.Repeated) / float64(e.Sample.Test); share < 1.25*e.Twice {
		remedy = "rows repeat in the whole table"
	}
	return []finding{{nil, []any{e.Repeated, e.Sample.Test, of, remedy}}}
}

// part is a class or, where they are given, a group.
type part struct {
	kind, name  string
	train, test int
	untrained   bool // training has no samples of it
}

// parts lists the parts that are measured. Where no training sample has a known group, training may
// have samples of each known group.
func (e *evidence) parts() (list []part) {
	kind, names := "class", e.Classes
	count := func(s data.Source) []int { return data.ClassCounts(s, len(e.Classes)) }
	if e.Grouped {
		kind, names, count = "group", e.Measured(), e.MeasuredCounts
	}
	train, test := count(e.Train), count(e.Dataset.Test)
	for i, name := range names {
		if train[i] > 0 && e.Ungrouped {
			continue
		}
		list = append(list, part{kind, name, train[i], test[i], train[i] == 0 && !e.Ungrouped})
	}
	return list
}

// absent finds parts that a split lacks.
func absent(e *evidence) (list []finding) {
	for _, p := range e.parts() {
		switch {
		case p.untrained:
			list = append(list, finding{nil, []any{p.kind, p.name, "training"}})
		case p.test == 0:
			list = append(list, finding{nil, []any{p.kind, p.name, "test"}})
		}
	}
	return list
}

// below finds parts that are too small to be called the worst.
func below(e *evidence) (list []finding) {
	for _, p := range e.parts() {
		if !p.untrained && p.test > 0 && p.test < e.minGroup {
			list = append(list, finding{nil, []any{p.kind, p.name, p.test, e.minGroup}})
		}
	}
	return list
}

// small finds other parts whose accuracy would say little: at an accuracy of one half, the 95 %
// interval is wider than ± 10 points.
func small(e *evidence) (list []finding) {
	const wide = .1
	for _, p := range e.parts() {
		if p.untrained || p.test < max(1, e.minGroup) {
			continue
		}
		interval := Wilson(Num(.5), p.test)
		if half := (interval[1].Float() - interval[0].Float()) / 2; half > wide {
			list = append(list, finding{nil, []any{p.kind, p.name, 100 * half, p.test}})
		}
	}
	return list
}
