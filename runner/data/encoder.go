package data

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"drolab/runner/lists"
)

// An Encoder holds all that is fitted to the training split of a dataset, and the names of its
// classes, groups and columns. With it, a network that was trained on one dataset can be used on
// others. It is kept with a run, as JSON. It does not hold the split itself: the name of the
// dataset and the Options draw the same split from the same files.
type Encoder struct {
	Shape   Shape    `json:"shape"`
	Classes []string `json:"classes"`
	Groups  []string `json:"groups,omitempty"` // if groups are given

	// Mean and Std are the customary normalisation, as in Dataset.
	Mean []float32 `json:"mean,omitempty"`
	Std  []float32 `json:"std,omitempty"`

	// Columns are the feature columns of a table, in the order of its features.
	Columns []Column `json:"columns,omitempty"`
	// Options are the options that the files were read with. They apply to another file too, unless
	// its name sets them.
	Options map[string]string `json:"options,omitempty"`
}

// A Column is the way in which a table's column becomes features: one standardised number, with a
// second feature, if Flagged, that marks missing values; or one feature for each of Categories.
type Column struct {
	Name       string   `json:"name"`
	Mean       float64  `json:"mean,omitempty"`
	Std        float64  `json:"std,omitempty"`
	Flagged    bool     `json:"flagged,omitempty"`
	Categories []string `json:"categories,omitempty"` // "" is a missing value
	Rest       bool     `json:"rest,omitempty"`       // the last category stands for all others
}

// OtherCategory is the name of the category that stands for all others.
const OtherCategory = "(other)"

// Features names the features that a column gives.
func (c *Column) Features() []string {
	switch {
	case c.Categories == nil && c.Flagged:
		return []string{c.Name, c.Name + " missing"}
	case c.Categories == nil:
		return []string{c.Name}
	}
	return lists.Map(c.Categories, func(v string) string { return c.Name + "=" + v })
}

// Len returns roughly how many numbers and names the encoder holds.
func (e *Encoder) Len() int {
	n := len(e.Classes) + len(e.Groups) + len(e.Mean) + len(e.Std)
	for _, c := range e.Columns {
		n += 3 + len(c.Categories)
	}
	return n
}

// ofSplit lists the options that say how one dataset is split, and the others that belong to one
// dataset alone: no other dataset inherits them.
func ofSplit() []string {
	return []string{"test", "split", "split_by", "test_fraction", "data_seed", "drop", "keep",
		"categorical", "numeric", "scale"}
}

// Keep returns the options that further files are read with.
func (f *OwnFiles) Keep() map[string]string {
	kept := maps.Clone(f.Options)
	maps.DeleteFunc(kept, func(key, _ string) bool { return slices.Contains(ofSplit(), key) })
	return kept
}

// encoded completes the encoder of d if e is nil. Otherwise it brings d into the form that e, the
// encoder of another dataset, describes.
func (d *Dataset) encoded(e *Encoder) error {
	if e == nil {
		d.Encoder.Shape, d.Encoder.Classes, d.Encoder.Groups = d.Shape, d.Classes, nil
		if d.Grouped {
			d.Encoder.Groups = d.Groups
		}
		d.Encoder.Mean, d.Encoder.Std = d.Mean, d.Std
		return nil
	}
	if d.Shape != e.Shape {
		return fmt.Errorf("its samples are %s, and the network takes %s", InWords(d.Shape),
			InWords(e.Shape))
	}
	if e.Columns != nil && d.Encoder.Columns == nil {
		d.Notes = append(d.Notes, "the network takes a table's columns, standardised and coded "+
			"as in training: these features are taken as they are")
	}
	classes, unknown := places(d.Classes, e.Classes)
	if len(unknown) > 0 {
		reason := ""
		if same := sameButEnd(unknown, e.Classes); same != "" {
			reason = ", but for the end: " + same
		}
		return fmt.Errorf("the classes %q are none of the network's, which are %q%s", unknown,
			e.Classes, reason)
	}
	known := e.Groups
	if !d.Grouped {
		known = e.Classes
	}
	groups, further := places(d.Groups, known)
	if len(further) > 0 && d.Members == nil {
		lacking := strings.Join(further, ", ")
		d.Notes = append(d.Notes, "groups that the training data lack: "+lacking)
	}
	for _, split := range []*Source{&d.Train, &d.Val, &d.Test} {
		if *split != nil {
			*split = renamed(*split, classes, groups)
		}
	}
	d.Classes, d.Groups = e.Classes, append(slices.Clone(known), further...)
	d.Mean, d.Std, d.Encoder = e.Mean, e.Std, *e
	return nil
}

// places returns the place of each name among others. Unknown names get the places behind these.
func places(names, among []string) (at []int, unknown []string) {
	for _, name := range names {
		i := PlaceAlike(among, name)
		if i < 0 {
			i = len(among) + len(unknown)
			unknown = append(unknown, name)
		}
		at = append(at, i)
	}
	return at, unknown
}

// renamed returns a source in which class c has the number classes[c], and group g the number
// groups[g].
func renamed(src Source, classes, groups []int) Source {
	labels, kinds := make([]uint32, src.Len()), make([]uint32, src.Len())
	for i := range labels {
		labels[i], kinds[i] = uint32(classes[src.Label(i)]), uint32(groups[src.Group(i)])
	}
	return Relabel(src, labels, kinds)
}

// Row returns the place of sample i of a split in the files of the dataset, counted from 0 through
// all files in their order. The place is known only if Options.Rows was set.
func Row(src Source, i int) int {
	src, i = origin(src, i)
	if t, ok := src.(*Table); ok && t.Origin != nil {
		return int(t.Origin[i])
	}
	return i
}

// origin returns the source that sample i comes from, which is no part of another, and its place
// there.
func origin(src Source, i int) (Source, int) {
	for {
		s, ok := src.(interface{ under(i int) (Source, int) })
		if !ok {
			return src, i
		}
		src, i = s.under(i)
	}
}

// A Value is the value of one column of a sample as its file had it, as far as the features tell.
type Value struct{ Column, Text string }

// Values returns the values of the table's columns from which features were made. The features are
// laid out by the encoder's columns. Numbers have the precision that float32 has kept. The text is
// "" for a flagged missing value and for an unknown category. The list is nil if the columns are
// not known.
func (e *Encoder) Values(x []float32) (list []Value) {
	for i := range e.Columns {
		c := &e.Columns[i]
		n := len(c.Features())
		if n > len(x) {
			return nil
		}
		list = append(list, Value{c.Name, c.Text(x[:n])})
		x = x[n:]
	}
	return list
}

// Text returns the value from which one column's features were made.
func (c *Column) Text(x []float32) string {
	switch {
	case c.Categories != nil:
		if i := slices.IndexFunc(x, func(v float32) bool { return v > .5 }); i >= 0 {
			return c.Categories[i]
		}
		return ""
	case c.Flagged && x[1] > .5:
		return ""
	}
	const kept = 1e-7 // the relative precision of the standardised number
	v := c.Mean + c.Std*float64(x[0])
	unit := math.Pow(10, math.Ceil(math.Log10(kept*max(math.Abs(v-c.Mean), math.Abs(v), 1e-300))))
	return strconv.FormatFloat(math.Round(v/unit)*unit, 'g', 6, 64)
}
