package array

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"drolab/runner/data/internal/dataset"
	"drolab/runner/internal/room"
)

// arrayOptions lists the options that may follow the path of arrays in NumPy's formats:
//
//	x=NAME             features, samples × features (or × channels × rows × columns), floats;
//	                   npz only
//	y=NAME             labels, integers or strings, one a sample
//	g=NAME,NAME        groups, likewise, crossed
//	split=NAME         0 or train, 1 or val, 2 or test
//	cells=yes          groups are label × group
//	test_fraction=.2   without split, this part of every class and group is the test split,
//	data_seed=0        drawn by this seed
//	scale=none         or standard: every feature by mean and deviation of the training split
//
// In npz:FILE a name is that of an array in the file: by default x, y and, if they exist, g and
// split. In npy:X a name is that of a file, beside X or elsewhere.
func arrayOptions() []string {
	return []string{"y", "g", "split", "cells", "test_fraction", "data_seed", "scale"}
}

// arraySet is a set of samples as arrays, in one file together or in a file each.
type arraySet struct {
	dataset.OwnFiles
	get     func(name string) (NPYArray, error)
	x, y    string
	g       []string
	split   string // empty: none
	release []func() error
	mapped  []dataset.Mapping

	unlabelled bool // the samples have no labels: a network is to be used on them
}

func NPZFiles() *dataset.Provider {
	return &dataset.Provider{
		Name: "npz:", Argument: "FILE", Endings: []string{".npz"}, Table: true, Apart: true,
		Purpose: "arrays of your own, such as frozen features: " +
			"npz:FILE?x=NAME&y=NAME&g=NAME,NAME&split=NAME",
		Open:   openNPZ,
		Locate: dataset.Locate("npz:"),
	}
}

func NPYFiles() *dataset.Provider {
	return &dataset.Provider{
		Name: "npy:", Argument: "X", Endings: []string{".npy"}, Table: true, Apart: true,
		Purpose: "the same, a file each: npy:X.npy?y=Y.npy&g=G.npy,H.npy&split=S.npy",
		Open:    openNPY, Locate: locateNPY,
	}
}

func openNPZ(name string, o dataset.Options) (*dataset.Dataset, error) {
	return openBundle(name, "npz:", o, readNPZ)
}

// bundle reads a file of several arrays. It returns their names and a function that finds one by
// its place among them.
type bundle func(path string, b []byte) ([]string, func(int) (NPYArray, error), error)

// openBundle opens a file of several named arrays.
func openBundle(name, scheme string, o dataset.Options, read bundle) (*dataset.Dataset, error) {
	f, err := dataset.ParseOwn(name, scheme, append([]string{"x"}, arrayOptions()...))
	if err != nil {
		return nil, err
	}
	f.Inherit(o.Encoder)
	s := &arraySet{OwnFiles: f, g: f.List("g"), split: f.Options["split"],
		x: cmp.Or(f.Options["x"], "x"), y: cmp.Or(f.Options["y"], "y")}
	b, err := s.contents(f.Path)
	if err != nil {
		return nil, err
	}
	names, array, err := read(f.Path, b)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", f.Path, err), s.close())
	}
	s.unlabelled = o.Encoder != nil && !slices.Contains(names, s.y)
	if s.g == nil && slices.Contains(names, "g") {
		s.g = []string{"g"}
	}
	if s.split == "" && slices.Contains(names, "split") {
		s.split = "split"
	}
	s.get = func(name string) (NPYArray, error) {
		i := slices.Index(names, name)
		if i < 0 {
			return NPYArray{}, fmt.Errorf(
				"%s: no array %q: it has %s", f.Path, name, strings.Join(names, ", "))
		}
		return array(i)
	}
	return s.open(o)
}

// readNPZ reads what numpy.savez writes: a zip file of npy files.
func readNPZ(path string, b []byte) ([]string, func(int) (NPYArray, error), error) {
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, nil, err
	}
	return members(z), func(i int) (NPYArray, error) {
		full := path + ": " + z.File[i].Name
		member, err := extract(b, z.File[i])
		if err != nil {
			return NPYArray{}, fmt.Errorf("%s: %w", full, err)
		}
		return ParseNPY(full, member)
	}, nil
}

func members(z *zip.Reader) (names []string) {
	for _, f := range z.File {
		names = append(names, strings.TrimSuffix(f.Name, ".npy"))
	}
	return names
}

// extract returns the bytes of a member of a zip file, without a copy if they are stored
// uncompressed.
func extract(whole []byte, f *zip.File) ([]byte, error) {
	at, err := f.DataOffset()
	if err != nil {
		return nil, err
	}
	size, end := f.UncompressedSize64, uint64(len(whole))
	if uint64(at) > end || f.CompressedSize64 > end-uint64(at) {
		return nil, errors.New("is cut short")
	}
	if f.Method == zip.Store {
		if size != f.CompressedSize64 {
			return nil, errors.New("is damaged: it has two sizes")
		}
		b := whole[at : uint64(at)+size]
		if crc32.ChecksumIEEE(b) != f.CRC32 {
			return nil, errors.New("is damaged: its checksum is another")
		}
		return b, nil
	}
	const most = 1032 // bytes that one byte of deflate can become
	if size/most > f.CompressedSize64 {
		return nil, fmt.Errorf("%d bytes cannot be %d uncompressed", f.CompressedSize64, size)
	}
	if err := room.Ask(float64(size), "it"); err != nil {
		return nil, err
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b := make([]byte, size)
	if _, err = io.ReadFull(r, b); err == nil {
		_, err = io.Copy(io.Discard, r) // to the end: the checksum is compared there
	}
	return b, err
}

func openNPY(name string, o dataset.Options) (*dataset.Dataset, error) {
	f, err := dataset.ParseOwn(name, "npy:", arrayOptions())
	if err != nil {
		return nil, err
	}
	none := f.Options["y"] == ""
	if none && o.Encoder == nil {
		return nil, errors.New("no labels: add y=Y.npy")
	}
	s := &arraySet{
		OwnFiles:   f,
		unlabelled: none,
		x:          f.Path,
		y:          beside(f.Path, f.Options["y"], asIs),
		split:      beside(f.Path, f.Options["split"], asIs),
	}
	for _, g := range f.List("g") {
		s.g = append(s.g, beside(f.Path, g, asIs))
	}
	s.get = func(path string) (NPYArray, error) {
		b, err := s.contents(path)
		if err != nil {
			return NPYArray{}, err
		}
		return ParseNPY(path, b)
	}
	return s.open(o)
}

func asIs(path string) string { return path }

// beside resolves a path that is given together with the path x. It is relative to the folder of x,
// or to the current folder if the file is only there.
func beside(x, path string, absolute func(string) string) string {
	if filepath.IsAbs(path) || path == "" {
		return path
	}
	if there := filepath.Join(filepath.Dir(x), path); dataset.Exists(there) ||
		!dataset.Exists(absolute(path)) {
		return there
	}
	return absolute(path)
}

func locateNPY(name string, absolute func(string) string) string {
	path, _, _ := strings.Cut(strings.TrimPrefix(name, "npy:"), "?")
	return dataset.LocateOwn(name, "npy:", absolute, func(key, value string) string {
		if key != "y" && key != "g" && key != "split" {
			return value
		}
		paths := strings.Split(value, ",")
		for i, p := range paths {
			paths[i] = beside(absolute(path), p, absolute)
		}
		return strings.Join(paths, ",")
	})
}

// contents returns the bytes of a file, read or mapped, which are valid until close.
func (s *arraySet) contents(path string) ([]byte, error) {
	if !dataset.Exists(path) {
		return nil, &dataset.MissingError{Dataset: s.Name, Path: path, Remedy: "check the path"}
	}
	b, release, err := dataset.Contents(path, dataset.InMemory)
	if release != nil {
		s.release = append(s.release, release)
		s.mapped = append(s.mapped, dataset.Mapping{Path: path, Bytes: b})
	}
	return b, err
}

func (s *arraySet) close() error {
	var errs error
	for _, release := range s.release {
		errs = errors.Join(errs, release())
	}
	return errs
}

func (s *arraySet) open(o dataset.Options) (*dataset.Dataset, error) {
	d, err := s.read(o)
	if err != nil {
		s.close() // the first error is the one to tell
		return nil, err
	}
	d.Release, d.Mapped = s.close, s.mapped
	return d, nil
}

func (s *arraySet) read(o dataset.Options) (*dataset.Dataset, error) {
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
	d, m, err := of.Dataset()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Path, err)
	}
	f.Marks = m
	parts, err := s.splits(o, f, d, sum)
	if err != nil {
		return nil, err
	}
	if err := dataset.Divide(d, f, parts); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Path, err)
	}
	d.Unlabelled, d.Encoder.Options = s.unlabelled, s.Keep()
	scale, err := s.Choice("scale", "none", "standard")
	if err != nil {
		return nil, err
	}
	if scale == "standard" && o.Encoder == nil {
		d.Mean, d.Std = f.Moments(dataset.FittedTo(o, f, parts.Train, d))
	}
	d.Checksum = dataset.ChecksumOf(sum)
	return d, nil
}

// own reads labels and groups of n samples.
func (s *arraySet) own(n int, e *dataset.Encoder, sum io.Writer) (of dataset.Own, err error) {
	of.ByGroup, of.Fitted = true, e != nil
	if of.Cells, err = s.Cells(); err != nil {
		return of, err
	}
	if s.unlabelled {
		of.Label = dataset.Factor{Values: e.Classes[:1], Codes: make([]uint16, n)}
	} else if of.Label, err = s.factor(s.y, n, sum); err != nil {
		return of, err
	}
	for _, name := range s.g {
		g, err := s.factor(name, n, sum)
		if err != nil {
			return of, err
		}
		of.Groups = append(of.Groups, g)
	}
	return of, nil
}

// factor reads an array with one value a sample, and hashes it.
func (s *arraySet) factor(name string, n int, sum io.Writer) (dataset.Factor, error) {
	a, err := s.get(name)
	if err != nil {
		return dataset.Factor{}, err
	}
	fmt.Fprintln(sum, string(a.Kind), a.Size, a.Dims)
	sum.Write(a.Data)
	return a.Factor(strings.TrimSuffix(filepath.Base(name), ".npy"), n)
}

func (s *arraySet) splits(o dataset.Options, f *dataset.Features, d *dataset.Dataset,
	sum io.Writer) (dataset.Splits, error) {
	if s.split == "" {
		how, err := s.Draw(o)
		if err != nil {
			return dataset.Splits{}, err
		}
		return how.Splits(f, d)
	}
	if err := s.Useless("split", "test_fraction", "data_seed"); err != nil {
		return dataset.Splits{}, err
	}
	by, err := s.factor(s.split, f.Len(), sum)
	if err != nil {
		return dataset.Splits{}, err
	}
	return dataset.SplitBy(by)
}
