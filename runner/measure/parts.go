package measure

import "drolab/runner/data"

// Parts are the classes and groups of a run's data. Groups are listed only if they were given, and
// are empty if only classes are known. An index in Classes is a sample's label, an index in Groups
// its group, and counts are in the same order.
type Parts struct {
	Classes     []string `json:"classes,omitempty"`
	ClassCounts Counts   `json:"class_counts,omitzero"`
	Groups      []string `json:"groups,omitempty"`
	GroupCounts Counts   `json:"group_counts,omitzero"`
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
	count := func(of func(data.Source, int) []int, kinds int) (c Counts) {
		c.Train = of(d.Train, kinds)
		if d.Test.Len() > 0 { // a script need not say what it will test on
			c.Test = of(d.Test, kinds)
		}
		if d.Val != nil {
			c.Val = of(d.Val, kinds)
		}
		return c
	}
	p := Parts{Classes: d.Classes, ClassCounts: count(data.ClassCounts, len(d.Classes))}
	if d.Grouped {
		p.Groups, p.GroupCounts = d.Groups, count(data.GroupCounts, len(d.Groups))
	}
	return p
}

// GiveUpVal turns the validation split, if there is one, into samples for the last layer.
func (p *Parts) GiveUpVal() {
	p.Refitted = p.Counts(p.Main()).Val
	p.ClassCounts.Val, p.GroupCounts.Val = nil, nil
}

// Part returns the word for the kind of part by which the run's figures are listed: "group" if
// groups are given, else "class".
func (p *Parts) Part() string {
	if p.Main() == PerGroup {
		return "group"
	}
	return "class"
}

// Main returns the axis on which people ask for the worst part: the groups if they are given, else
// the classes.
func (p *Parts) Main() Axis {
	if len(p.Groups) > 0 {
		return PerGroup
	}
	return PerClass
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

// Fit returns the name of the measure of groups that corresponds to the named measure of classes,
// if groups are given; else the name. A page that asks for the worst class thus shows the worst
// group in a run that is about groups.
func (p *Parts) Fit(name string) string {
	if p.Main() == PerGroup {
		if m, _ := FindMeasure(name); m.groups != "" {
			return m.groups
		}
	}
	return name
}
