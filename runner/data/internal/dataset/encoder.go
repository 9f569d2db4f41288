package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
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
	return Map(c.Categories, func(v string) string { return c.Name + "=" + v })
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

// MaxClasses is the maximum number of values of a label or a group.
const MaxClasses = 1000

// missingName is the name of a missing value that is a category of its own.
const missingName = "(missing)"

// Factor is a categorical property of every sample: its label, a group or its split.
type Factor struct {
	name   string
	Values []string // in numeric order if all are integers, else in byte order
	Codes  []uint16 // one a sample: its place in Values
	note   string   // that two forms of a number are one value; empty: there are none
	// missing says of each value whether it, or a part of it, stands for a missing one; nil: none.
	missing []bool
}

// lacks reports whether a value, or a part of it, stands for a missing one.
func (f *Factor) lacks(code int) bool { return f.missing != nil && f.missing[code] }

// SetMissing says that some values stand for missing ones.
func (f *Factor) SetMissing(values []string) {
	for code, v := range f.Values {
		if slices.Contains(values, v) {
			f.setMissing(code)
		}
	}
}

// setMissing says that a value stands for a missing one.
func (f *Factor) setMissing(code int) {
	if f.missing == nil {
		f.missing = make([]bool, len(f.Values))
	}
	f.missing[code] = true
	f.Values[code] = missingName
}

// Marks are the labels and groups of samples. Where no groups are given, both are the same memory.
// Members has a bit for each of Dataset.Members, in the same number of words for every sample.
// Keys has the number of the set of samples that must stay together; nil: split_by= is not given.
type Marks struct {
	Labels, Groups []uint16
	Members        []uint32
	Keys           []uint32
}

// NewMarks returns memory for the labels and the groups of n samples.
func NewMarks(n int) Marks { return Marks{Labels: make([]uint16, n), Groups: make([]uint16, n)} }

// NewLabels returns memory for the labels of n samples without groups.
func NewLabels(n int) Marks {
	labels := make([]uint16, n)
	return Marks{Labels: labels, Groups: labels}
}

func (m *Marks) Len() int        { return len(m.Labels) }
func (m *Marks) Label(i int) int { return int(m.Labels[i]) }
func (m *Marks) Group(i int) int { return int(m.Groups[i]) }

// Own has the columns of a user's own files that are not features.
type Own struct {
	Label  *Factor
	Groups []*Factor // crossed with one another
	Cells  bool      // and with the label
	// Members are groups that may overlap: see Member. Without Groups, the groups to train on are
	// the label × whether a sample is in any of them.
	Members []*Factor
	Keys    *Keys // of split_by=; nil: it is not given

	ByGroup bool // see Dataset
	Fitted  bool // fitted to other data: there may be one class only
}

// Dataset returns a Dataset without sources, and the marks of all samples.
func (o Own) Dataset() (*Dataset, Marks, error) {
	if len(o.Label.Values) < 2 && !o.Fitted {
		return nil, Marks{}, fmt.Errorf("%q has one value only: a label needs two", o.Label.name)
	}
	if o.Label.continuous() && !o.Fitted {
		return nil, Marks{}, fmt.Errorf("%q has %d values, all numbers, as %s: %s", o.Label.name,
			len(o.Label.Values), o.Label.Values[len(o.Label.Values)/2], NoRegression)
	}
	d := &Dataset{Classes: o.Label.Values}
	m := Marks{Labels: o.Label.Codes, Groups: o.Label.Codes}
	if o.Keys != nil {
		d.keys, d.SplitBy, m.Keys = o.Keys, o.Keys.asked, o.Keys.together()
	}
	for _, f := range slices.Concat([]*Factor{o.Label}, o.Groups) {
		if f.note != "" {
			d.Notes = append(d.Notes, f.note)
		}
	}
	if len(o.Members) > 0 {
		some, err := o.overlap(d, &m)
		if err != nil {
			return nil, Marks{}, err
		}
		if len(o.Groups) == 0 {
			o.Groups, o.Cells = []*Factor{some}, true
		}
	}
	if len(o.Groups) == 0 {
		if o.Cells {
			return nil, Marks{}, errors.New("cells=yes is label × group: name the group too")
		}
		return d, m, nil
	}
	all, err := crossed(o.Groups)
	if err == nil && o.Cells {
		given := all
		if all, err = crossed([]*Factor{o.Label, given}); err == nil {
			d.Cells = newCells(all, o.Label, given)
		}
	}
	if err != nil {
		return nil, Marks{}, err
	}
	d.Groups, d.ByGroup, m.Groups = all.Values, o.ByGroup, all.Codes
	d.Unknown = all.missing
	return d, m, nil
}

// NoRegression says why a label cannot be continuous, and the remedy.
const NoRegression = "a continuous label needs regression, but only classes are predicted: " +
	"make classes of it, such as above and below a number"

// continuous reports whether a label is a measurement and not a class. It is one if it has more
// than few numbers, some with decimals, or many whole numbers that are rare and far apart. Numbers
// of classes lie close together.
func (f *Factor) continuous() bool {
	const few, many, often = 20, 100, 10
	whole, low, high := true, math.Inf(1), math.Inf(-1)
	for _, text := range f.Values {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return false
		}
		whole, low, high = whole && v == math.Trunc(v), min(low, v), max(high, v)
	}
	n := len(f.Values)
	return n > few && !whole ||
		n > many && len(f.Codes) < often*n && high-low >= 2*float64(n)
}

// newCells returns the label and the given group of each value of label × given.
func newCells(all, label, given *Factor) *Cells {
	c := &Cells{Label: make([]int, len(all.Values)), Given: make([]int, len(all.Values))}
	for i, g := range all.Codes {
		c.Label[g], c.Given[g] = int(label.Codes[i]), int(given.Codes[i])
	}
	for k := range given.Values {
		c.Names = append(c.Names, given.shown(k))
	}
	return c
}

// crossed returns one factor whose values are the combinations of several factors that occur, such
// as "Female × Black". The values of the first factor count most in their order.
func crossed(list []*Factor) (*Factor, error) {
	all := list[0]
	for _, f := range list[1:] {
		pair := func(i int) int { return int(all.Codes[i])*len(f.Values) + int(f.Codes[i]) }
		place := make([]uint16, len(all.Values)*len(f.Values)) // 1 where it occurs, then the code
		for i := range all.Codes {
			place[pair(i)] = 1
		}
		out := &Factor{name: all.name + " × " + f.name, Codes: make([]uint16, len(all.Codes))}
		for k, occurs := range place {
			if occurs == 0 {
				continue
			}
			if len(out.Values) == MaxClasses {
				return nil, fmt.Errorf(
					"%s has more than %d combinations: take fewer groups", out.name, MaxClasses)
			}
			place[k] = uint16(len(out.Values))
			first, second := all.shown(k/len(f.Values)), f.shown(k%len(f.Values))
			out.Values = append(out.Values, first+" × "+second)
			lacks := all.lacks(k/len(f.Values)) || f.lacks(k%len(f.Values))
			out.missing = append(out.missing, lacks)
		}
		for i := range out.Codes {
			out.Codes[i] = place[pair(i)]
		}
		all = out
	}
	return all, nil
}

// shown returns a value as a part of a combination, with the factor's name before a bare number,
// which would say nothing there.
func (f *Factor) shown(code int) string {
	if _, err := strconv.Atoi(f.Values[code]); err == nil {
		return f.name + "=" + f.Values[code]
	}
	return f.Values[code]
}

// NewFactor returns a factor with its values in order. dict and codes number the values in the
// order in which they came. If a whole number occurs in two forms, as 1 and 1.0, every one is
// written without decimals: programs that keep whole numbers beside missing values write 1.0.
func NewFactor(name string, dict map[string]uint16, codes []uint16) *Factor {
	f := &Factor{
		name:   name,
		Values: slices.Sorted(maps.Keys(dict)),
		Codes:  make([]uint16, len(codes)),
	}
	for _, v := range f.Values {
		if whole := wholeName(v); whole != v && f.note == "" && slices.Contains(f.Values, whole) {
			f.note = fmt.Sprintf("%q has both %q and %q: they count as one value", name, whole, v)
		}
	}
	if f.note != "" {
		f.Values = slices.Compact(slices.Sorted(slices.Values(Map(f.Values, wholeName))))
	}
	SortNumeric(f.Values)
	place := make([]uint16, len(dict))
	for v, code := range dict {
		if f.note != "" {
			v = wholeName(v)
		}
		place[code] = uint16(slices.Index(f.Values, v))
	}
	for i, code := range codes {
		f.Codes[i] = place[code]
	}
	if i := slices.Index(f.Values, ""); i >= 0 {
		f.setMissing(i)
	}
	return f
}

// wholeFloat is a whole number in the form of a float. A number that begins with a zero is a code.
var wholeFloat = regexp.MustCompile(`^(-?[1-9][0-9]*|0)\.0+$`)

// wholeName returns the name without the decimals of a whole number: 1.0 is 1.
func wholeName(name string) string {
	if !strings.HasSuffix(name, "0") || !strings.Contains(name, ".0") {
		return name // most are so
	}
	if m := wholeFloat.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return name
}

// PlaceAlike returns the place of a name among others, or else the place of the same whole number
// in another form, as 1.0 for 1; −1: there is none.
func PlaceAlike(names []string, name string) int {
	if at := slices.Index(names, name); at >= 0 {
		return at
	}
	return slices.IndexFunc(names, func(s string) bool { return wholeName(s) == wholeName(name) })
}

// SortNumeric sorts names by their values if all are integers; a missing one comes first.
func SortNumeric(names []string) {
	value := map[string]int{"": math.MinInt}
	for _, s := range names {
		v, err := strconv.Atoi(s)
		if err != nil && s != "" {
			return
		}
		if s != "" {
			value[s] = v
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(value[a], value[b]) })
}

// Splits are the samples of the three splits, each in the order of the files.
type Splits struct {
	Train, val, Test []uint32
	notes            []string // of how they were drawn
}

// Val returns the validation samples.
func (s *Splits) Val() []uint32 { return s.val }

// SplitOf returns the split that a word or a number stands for: train, val or test. It is empty for
// any other word.
func SplitOf(word string) string {
	switch strings.ToLower(wholeName(word)) {
	case "0", "train", "training":
		return "train"
	case "1", "val", "valid", "validation", "dev":
		return "val"
	case "2", "test", "testing":
		return "test"
	}
	return ""
}

// SplitBy reads the splits from a column or an array of their names or numbers. Test may be empty.
func SplitBy(f *Factor) (s Splits, err error) {
	splits := map[string]*[]uint32{"train": &s.Train, "val": &s.val, "test": &s.Test}
	to := make([]*[]uint32, len(f.Values))
	for i, v := range f.Values {
		if to[i] = splits[SplitOf(v)]; to[i] == nil {
			return s, fmt.Errorf(
				"%q has %q for a sample: a split is train, val or test, or 0, 1 or 2", f.name, v)
		}
	}
	for i, c := range f.Codes {
		*to[c] = append(*to[c], uint32(i))
	}
	if len(s.Train) == 0 {
		return s, fmt.Errorf("%q has no training samples (train or 0)", f.name)
	}
	return s, nil
}

// Splits draws the test split of a dataset that is not complete yet.
func (d Draw) Splits(src Marked, set *Dataset) (s Splits, err error) {
	if d.AllTest {
		s.Test = Indices(0, src.Len())
		return s, nil
	}
	return set.holdOut(src, Indices(0, src.Len()), "test_fraction", d.Fraction, d.Seed)
}

func Indices(from, to int) []uint32 {
	out := make([]uint32, 0, to-from)
	for i := from; i < to; i++ {
		out = append(out, uint32(i))
	}
	return out
}
