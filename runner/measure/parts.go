package measure

import (
	"strings"

	"drolab/runner/data"
	"drolab/runner/lists"
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
	// Unsized says that the run has figures of a validation split whose size is not known, as an
	// imported log may have them.
	Unsized bool `json:"validation_unsized,omitempty"`
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

// JoinNames returns the names at some places in one text, as of the groups of a sample.
func JoinNames(names []string, places []int) string {
	if len(places) == 0 {
		return "(none)"
	}
	return strings.Join(lists.At(names, places), ", ")
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
