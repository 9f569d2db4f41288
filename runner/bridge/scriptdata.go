package bridge

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"

	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// Opening is the first message of a script. It says which run the script wants, and what the script
// trains on.
type Opening struct {
	Do       string                     `json:"do"`
	Version  int                        `json:"version"`
	Name     string                     `json:"name"`
	Resume   string                     `json:"resume"`
	From     string                     `json:"from"`
	Settings map[string]json.RawMessage `json:"settings"`
	// Samples and the counts are by the names of the splits. The training split is required.
	Samples     map[string]int   `json:"samples"`
	ClassCounts map[string][]int `json:"class_counts"`
	GroupCounts map[string][]int `json:"group_counts"`
	Classes     []string         `json:"classes"`
	Groups      []string         `json:"groups"`

	measure.Sides      // which of its own values are better higher, and which lower
	Restart       bool `json:"restart"`
	// StepsPerEpoch is the number of steps in an epoch. 0: samples / batch, rounded up.
	StepsPerEpoch int               `json:"steps_per_epoch"`
	Parameters    int               `json:"parameters"`
	Device        string            `json:"device"`
	Packages      map[string]string `json:"packages"`
	Path          string            `json:"path"`
	Arguments     []string          `json:"arguments"`
	Interpreter   string            `json:"interpreter"`
}

// Describe returns what a script has, in the form in which a program describes itself. The data are
// counts only: the class of a sample comes with the sample.
func (o *Opening) Describe() (*Description, error) {
	classes, err := names("classes", o.Classes)
	if err != nil {
		return nil, err
	}
	groups, err := names("groups", o.Groups)
	switch {
	case err != nil:
		return nil, err
	case o.Samples[runner.SplitTrain] < 1:
		return nil, errors.New("samples: want how many the training split has")
	case len(o.Packages) > mostPackages:
		return nil, fmt.Errorf("it names %d packages: want at most %d", len(o.Packages),
			mostPackages)
	case o.StepsPerEpoch < 0 || o.StepsPerEpoch > o.Samples[runner.SplitTrain]:
		return nil, fmt.Errorf("steps_per_epoch is %d: want 1 to the %d samples", o.StepsPerEpoch,
			o.Samples[runner.SplitTrain])
	case len(o.Higher)+len(o.Lower) > measure.MostUser:
		return nil, fmt.Errorf("it names the better side of %d values of its own: want at most %d",
			len(o.Higher)+len(o.Lower), measure.MostUser)
	case o.Parameters < 0:
		return nil, fmt.Errorf("parameters is %d: want how many the network has", o.Parameters)
	case len(classes) == 0:
		classes = []string{"all"}
	}
	d := &Description{Parameters: o.Parameters, Restart: o.Restart, Pick: true,
		StepsPerEpoch: o.StepsPerEpoch,
		Device:        clean(o.Device, mostName), Packages: map[string]string{},
		Data: &data.Dataset{Name: spec.ProgramData, Classes: classes, Groups: groups,
			Grouped: len(groups) > 0}}
	if !d.Data.Grouped {
		d.Data.Groups = classes
	}
	if d.User, err = o.Sides.Clean(); err != nil {
		return nil, err
	}
	for name, v := range o.Packages {
		d.Packages[clean(name, mostName)] = clean(v, mostName)
	}
	return d, o.count(d.Data)
}

// count makes the splits from their counts.
func (o *Opening) count(d *data.Dataset) error {
	hash := sha256.New()
	fmt.Fprintf(hash, "script %q %q\n", d.Classes, o.Groups)
	d.Test = &counted{}
	for name := range o.Samples {
		if !slices.Contains(runner.Splits(), name) {
			return fmt.Errorf("samples: the splits are train, val and test, and not %q", clean(name,
				mostName))
		}
	}
	for _, to := range []struct {
		name string
		src  *data.Source
	}{{runner.SplitTrain, &d.Train}, {runner.SplitVal, &d.Val}, {runner.SplitTest, &d.Test}} {
		n := o.Samples[to.name]
		if n == 0 {
			continue
		}
		if n < 0 || n > mostSamples {
			return fmt.Errorf("the %s split has %d samples: want 1 to %d", to.name, n, mostSamples)
		}
		c := &counted{n: n}
		var err error
		c.labels, err = ends("class", to.name, o.ClassCounts[to.name], len(d.Classes), n)
		c.groups = c.labels
		if err == nil && d.Grouped {
			c.groups, err = ends("group", to.name, o.GroupCounts[to.name], len(d.Groups), n)
		}
		if err != nil {
			return err
		}
		fmt.Fprintln(hash, to.name, n, c.labels, c.groups)
		*to.src = c
	}
	d.Checksum = fmt.Sprintf("sha256:%x", hash.Sum(nil))
	return nil
}

// ends checks the counts of the parts of a split. It returns where each part ends if the samples
// lie part by part.
func ends(what, split string, counts []int, kinds, n int) ([]int, error) {
	if kinds == 1 && counts == nil {
		counts = []int{n}
	}
	if len(counts) != kinds {
		return nil, fmt.Errorf("%s_counts of the %s split has %d numbers: want one for each of %d",
			what, split, len(counts), kinds)
	}
	list, sum := make([]int, kinds), 0
	for i, c := range counts {
		if c < 0 || c > n {
			return nil, fmt.Errorf("%s_counts of the %s split has %d: want 0 to %d", what, split,
				c, n)
		}
		sum += c
		list[i] = sum
	}
	if sum != n {
		return nil, fmt.Errorf("%s_counts of the %s split add up to %d: want its %d samples", what,
			split, sum, n)
	}
	return list, nil
}

// counted is a split of which only counts are known. Its samples are ordered by class and also by
// group, which is enough for counting them.
type counted struct {
	n              int
	labels, groups []int // where each part ends
}

// Len implements data.Source.
func (c *counted) Len() int { return c.n }

// Shape implements data.Source: there is nothing to read.
func (c *counted) Shape() data.Shape { return data.Shape{} }

// Label implements data.Source.
func (c *counted) Label(i int) int { return sort.SearchInts(c.labels, i+1) }

// Group implements data.Source.
func (c *counted) Group(i int) int { return sort.SearchInts(c.groups, i+1) }

// Read implements data.Source.
func (c *counted) Read([]float32, int) {}

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
		for _, n := range counts {
			o.Samples[split] += n
		}
		o.ClassCounts[split], o.GroupCounts[split] = counts, *m.GroupCounts.Of(split)
	}
	o.Parameters = m.Parameters
}
