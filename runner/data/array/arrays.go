package array

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"drolab/runner/data"
	"drolab/runner/lists"
)

// arrayOptions lists the options that may follow the path of arrays in NumPy's formats:
//
//	x=NAME             features, samples × features (or × channels × rows × columns), floats;
//	                   npz only
//	y=NAME             labels, integers or strings, one a sample
//	g=NAME,NAME        groups, likewise, crossed; in an array of samples × groups, which may
//	                   overlap, 1 for a member and else 0
//	group_names=NAME   the names of these
//	na=VALUE,VALUE     values of g that stand for an unknown group, besides the empty text
//	split=NAME         0 or train, 1 or val, 2 or test
//	cells=yes          groups are label × group
//	test_fraction=.2   without split, this part of every class and group is the test split,
//	data_seed=0        drawn by this seed
//	split_by=NAME,NAME samples with the same value in one of these arrays stay in one split;
//	                   NAME+NAME for a combination
//	scale=none         or standard: every feature by mean and deviation of the training split
//
// In npz:FILE a name is that of an array in the file: by default x, y and, if they exist, g,
// group_names and split. In npy:X a name is that of a file, beside X or elsewhere.
func arrayOptions() []string {
	return []string{"y", "g", "group_names", "na", "split", "split_by", "cells=no|yes",
		"test_fraction",
		"data_seed", "scale=none|standard"}
}

// arraySet is a set of samples as arrays, in one file together or in a file each.
type arraySet struct {
	data.OwnFiles
	get    func(name string) (Array, error)
	x, y   string
	g      []string
	names  string // of groups that may overlap; empty: they are numbered
	split  string // empty: none
	mapped data.Mapped

	unlabelled bool // the samples have no labels: a network is to be used on them
}

// bundle reads a file of several arrays. It returns their names and a function that finds one by
// its place among them.
type bundle func(path string, b []byte) ([]string, func(int) (Array, error), error)

// openBundle opens a file of several named arrays.
func openBundle(name, scheme string, o data.Options, read bundle) (*data.Dataset, error) {
	f, err := data.ParseOwn(name, scheme, append([]string{"x"}, arrayOptions()...), o.Encoder)
	if err != nil {
		return nil, err
	}
	s := &arraySet{OwnFiles: f, g: f.List("g"), split: f.Options["split"],
		x: cmp.Or(f.Options["x"], "x"), y: cmp.Or(f.Options["y"], "y"),
		names: f.Options["group_names"]}
	b, err := s.contents(f.Path)
	if err != nil {
		return nil, err
	}
	names, array, err := read(f.Path, b)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", f.Path, err), s.mapped.Close())
	}
	s.unlabelled = o.Encoder != nil && data.Place(names, s.y) < 0
	if s.g == nil && slices.Contains(names, "g") {
		s.g = []string{"g"}
	}
	for name, to := range map[string]*string{"split": &s.split, "group_names": &s.names} {
		if *to == "" && slices.Contains(names, name) {
			*to = name
		}
	}
	s.get = func(name string) (Array, error) {
		i := data.Place(names, name)
		if i < 0 {
			return Array{}, fmt.Errorf(
				"%s: no array %q: it has %s", f.Path, name, strings.Join(names, ", "))
		}
		return array(i)
	}
	return s.mapped.Attach(s.read(o))
}

// contents returns the bytes of a file, read or mapped, which are valid until close.
func (s *arraySet) contents(path string) ([]byte, error) {
	if !data.Exists(path) {
		return nil, data.NoFile(s.Name, path)
	}
	return s.mapped.Contents(path)
}

func (s *arraySet) read(o data.Options) (*data.Dataset, error) {
	sum := sha256.New()
	x, err := s.get(s.x)
	if err != nil {
		return nil, err
	}
	f, err := NewFeatures(x)
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(sum, "x", x.Size, x.Dims)
	if err := f.Scan(x.Name, sum); err != nil {
		return nil, err
	}
	of, err := s.own(x.Dims[0], o.Encoder, sum)
	if err != nil {
		return nil, err
	}
	if of.Keys, err = s.keys(x.Dims[0], sum); err != nil {
		return nil, err
	}
	d, m, err := of.Dataset()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Path, err)
	}
	f.Marks = m
	how, err := s.Draw(o)
	if err != nil {
		return nil, err
	}
	var by *data.Factor
	if s.split != "" {
		if by, err = s.factor(s.split, f.Len(), sum); err != nil {
			return nil, err
		}
	}
	parts, err := s.Splits(by, how, f, d)
	if err != nil {
		return nil, err
	}
	if err := data.Divide(d, f, parts); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Path, err)
	}
	d.Unlabelled, d.Encoder.Options = s.unlabelled, s.Keep()
	if s.Choice("scale") == "standard" && o.Encoder == nil {
		d.Mean, d.Std = f.Moments(data.FittedTo(o, f, parts.Train, d))
	}
	d.Checksum = data.ChecksumOf(sum)
	return d, nil
}

// own reads labels and groups of n samples.
func (s *arraySet) own(n int, e *data.Encoder, sum io.Writer) (of data.Own, err error) {
	of.ByGroup = true
	of.Fitted = e != nil
	of.Cells = s.Cells()
	if s.unlabelled {
		of.Label = &data.Factor{Values: e.Classes[:1], Codes: make([]uint16, n)}
	} else if of.Label, err = s.factor(s.y, n, sum); err != nil {
		return of, err
	}
	for _, name := range s.g {
		a, err := s.hashed(name, sum)
		if err != nil {
			return of, err
		}
		var g *data.Factor
		if len(a.Dims) == 2 && a.Dims[1] > 1 {
			of.Members, err = s.members(a, n, sum)
		} else if g, err = a.Factor(named(name), n); err == nil {
			g.SetMissing(s.List("na"))
			of.Groups = append(of.Groups, g)
		}
		if err != nil {
			return of, err
		}
	}
	if s.Options["group_names"] != "" && of.Members == nil {
		return of, fmt.Errorf("group_names=%s: no array of groups has the shape samples × groups",
			s.Options["group_names"])
	}
	return of, nil
}

// members returns a factor for each column of an array of samples × groups.
func (s *arraySet) members(a Array, n int, sum io.Writer) (list []*data.Factor, err error) {
	names := lists.Numbered("g", 1, a.Dims[1])
	if s.names != "" {
		of, err := s.factor(s.names, len(names), sum)
		if err != nil {
			return nil, fmt.Errorf("%d groups: %w", len(names), err)
		}
		for g, code := range of.Codes {
			names[g] = of.Values[code]
		}
	}
	for g, name := range names {
		f, err := a.column(g).Factor(name, n)
		if err != nil {
			return nil, fmt.Errorf("group %q: %w", name, err)
		}
		list = append(list, f)
	}
	return list, nil
}

// factor reads an array with one value a sample, and hashes it.
func (s *arraySet) factor(name string, n int, sum io.Writer) (*data.Factor, error) {
	a, err := s.hashed(name, sum)
	if err != nil {
		return nil, err
	}
	return a.Factor(named(name), n)
}

// keys reads the keys of n samples; nil: split_by= is not given.
func (s *arraySet) keys(n int, sum io.Writer) (*data.Keys, error) {
	asked := s.Options["split_by"]
	if asked == "" {
		return nil, nil
	}
	there := func(name string) bool { _, err := s.get(name); return err == nil }
	k := data.NewKeys(asked, there)
	for i, names := range k.Columns() {
		var arrays []Array
		for _, name := range names {
			a, err := s.hashed(name, sum)
			if err == nil {
				err = a.oneEach(n)
			}
			if err != nil {
				return nil, err
			}
			arrays = append(arrays, a)
		}
		for sample := range n {
			cells := make([]string, len(arrays))
			for c, a := range arrays {
				text, err := a.text(a.Data[sample*a.Size:][:a.Size])
				if err == nil && text == "" {
					err = errors.New("has no value, and split_by= needs one")
				}
				if err != nil {
					return nil, fmt.Errorf("%s: sample %d: %w", a.Name, sample, err)
				}
				cells[c] = text
			}
			k.Add(i, cells...)
		}
	}
	return k, nil
}

// named returns the name of what an array holds.
func named(array string) string { return strings.TrimSuffix(filepath.Base(array), ".npy") }

// hashed reads an array and hashes it.
func (s *arraySet) hashed(name string, sum io.Writer) (a Array, err error) {
	if a, err = s.get(name); err == nil {
		fmt.Fprintln(sum, string(a.Kind), a.Size, a.Dims)
		sum.Write(a.Data)
	}
	return a, err
}

// channelsLast reports whether a shape is that of pictures whose channels are last: colours after
// two sides, or one channel after two sides of one length.
func channelsLast(n []int) bool {
	if len(n) != 4 || min(n[1], n[2]) <= 4 {
		return false
	}
	return n[3] == 3 || n[3] == 4 || n[3] == 1 && n[1] == n[2]
}

// NewFeatures makes samples of an array: rows of numbers, or one or several planes a sample.
func NewFeatures(a Array) (*data.Features, error) {
	f := &data.Features{Size: a.Size, Data: a.Data}
	n := a.Dims
	switch {
	case a.Kind != 'f':
		return nil, fmt.Errorf(
			"%s: features are not floating-point numbers: save them with astype('float32')", a.Name)
	case len(n) == 2:
		f.Dims = data.Shape{C: n[1], H: 1, W: 1}
	case len(n) == 3:
		f.Dims = data.Shape{C: 1, H: n[1], W: n[2]}
	case channelsLast(n):
		return nil, fmt.Errorf("%s: the shape %v has channels last: save it with "+
			"numpy.ascontiguousarray(numpy.moveaxis(x, -1, 1))", a.Name, n)
	case len(n) == 4:
		f.Dims = data.Shape{C: n[1], H: n[2], W: n[3]}
	default:
		return nil, fmt.Errorf("%s: features have shape %v: expected samples × features, or "+
			"samples × channels × rows × columns", a.Name, n)
	}
	if uint64(a.Dims[0]) > math.MaxUint32 {
		return nil, fmt.Errorf("%s: %d samples: at most %d are taken", a.Name, a.Dims[0],
			uint32(math.MaxUint32))
	}
	f.Decode = data.Decoders()[a.Size]
	return f, nil
}
