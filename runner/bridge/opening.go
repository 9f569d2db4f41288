package bridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"

	"drolab/runner"
	"drolab/runner/data"
)

// Opening is the first message of a script. It says which run the script wants, and what the script
// trains on.
type Opening struct {
	Traits                                 // the training split is required
	Do          string                     `json:"do"`
	Name        string                     `json:"name"`
	Resume      string                     `json:"resume"`
	From        string                     `json:"from"`
	Settings    map[string]json.RawMessage `json:"settings"`
	ClassCounts map[string][]int           `json:"class_counts"` // by the names of the splits
	GroupCounts map[string][]int           `json:"group_counts"`
	// StepsPerEpoch is the number of steps in an epoch. 0: samples / batch, rounded up.
	StepsPerEpoch int      `json:"steps_per_epoch"`
	Processes     int      `json:"processes"` // of which each trains on a part of a batch
	Restarts      int      `json:"restarts"`  // how often torchrun has started the script again
	Notes         bool     `json:"notes"`     // whether the script takes notes before an answer
	Path          string   `json:"path"`
	Arguments     []string `json:"arguments"`
	Interpreter   string   `json:"interpreter"`
}

// Describe returns what a script has, in the form in which a program describes itself. The data are
// counts only: the class of a sample comes with the sample.
func (o *Opening) Describe() (*Description, error) {
	if len(o.Classes) == 0 {
		o.Classes = []string{"all"}
	}
	d, err := o.Traits.describe()
	n := o.Samples[runner.SplitTrain]
	switch {
	case err != nil:
		return nil, err
	case n < 1:
		return nil, errors.New("samples: expected how many the training split has")
	case o.StepsPerEpoch < 0 || o.StepsPerEpoch > n:
		return nil, fmt.Errorf("steps_per_epoch is %d: expected 1 to the %d samples",
			o.StepsPerEpoch,
			n)
	}
	d.Pick, d.StepsPerEpoch = true, o.StepsPerEpoch
	return d, o.count(d.Data)
}

// count makes the splits from their counts.
func (o *Opening) count(d *data.Dataset) error {
	for name := range o.Samples {
		if !slices.Contains(runner.Splits(), name) {
			return fmt.Errorf("samples: the splits are train, val and test, and not %q",
				runner.OneLine(name, mostName))
		}
	}
	return o.fill(d, "script ", func(hash io.Writer, split string, n int) (data.Source, error) {
		c := &countedSplit{n: n}
		if n == 0 { // a test split that the script does not count
			return c, nil
		}
		var err error
		c.labels, err = partEnds("class", split, o.ClassCounts[split], len(d.Classes), n)
		c.groups = c.labels
		if err == nil && d.Grouped {
			c.groups, err = partEnds("group", split, o.GroupCounts[split], len(d.Groups), n)
		}
		fmt.Fprintln(hash, split, n, c.labels, c.groups)
		return c, err
	})
}

// partEnds checks the counts of the parts of a split. It returns where each part ends if the
// samples lie part by part.
func partEnds(what, split string, counts []int, kinds, n int) ([]int, error) {
	if kinds == 1 && counts == nil {
		counts = []int{n}
	}
	if len(counts) != kinds {
		return nil, fmt.Errorf("%s_counts of the %s split has %d numbers: expected one for each "+
			"of %d",
			what, split, len(counts), kinds)
	}
	list, sum := make([]int, kinds), 0
	for i, c := range counts {
		if c < 0 || c > n {
			return nil, fmt.Errorf("%s_counts of the %s split has %d: expected 0 to %d", what,
				split,
				c, n)
		}
		sum += c
		list[i] = sum
	}
	if sum != n {
		return nil, fmt.Errorf("%s_counts of the %s split add up to %d: expected its %d samples",
			what,
			split, sum, n)
	}
	return list, nil
}

// countedSplit is a split of which only counts are known. Its samples are ordered by class and also
// by group, which is enough for counting them.
type countedSplit struct {
	noValues
	n              int
	labels, groups []int // where each part ends
}

// Len implements data.Source.
func (c *countedSplit) Len() int { return c.n }

// Label implements data.Source.
func (c *countedSplit) Label(i int) int { return sort.SearchInts(c.labels, i+1) }

// Group implements data.Source.
func (c *countedSplit) Group(i int) int { return sort.SearchInts(c.groups, i+1) }

// Known fills in the data of a run that a script goes on with, if the script does not give them
// again.
func (o *Opening) Known(m *runner.Meta) {
	if len(o.Samples) > 0 {
		return
	}
	o.Samples = map[string]int{}
	o.ClassCounts, o.GroupCounts = map[string][]int{}, map[string][]int{}
	o.Classes, o.Groups = m.Classes, m.Groups
	for _, split := range runner.Splits() {
		counts := *m.ClassCounts.Of(split)
		o.Samples[split] = data.Sum(counts)
		o.ClassCounts[split], o.GroupCounts[split] = counts, *m.GroupCounts.Of(split)
	}
	o.Parameters = m.Parameters
}
