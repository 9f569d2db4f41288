package data

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"drolab/runner/data/internal/dataset"
	"drolab/runner/internal/room"
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
	dataset.OwnFiles
	get    func(name string) (NPYArray, error)
	x, y   string
	g      []string
	names  string // of groups that may overlap; empty: they are numbered
	split  string // empty: none
	mapped dataset.Mapped

	unlabelled bool // the samples have no labels: a network is to be used on them
}

func NPZFiles() *dataset.Provider {
	return &dataset.Provider{
		Name: "npz:", Argument: "FILE", Endings: []string{".npz"}, Table: true, Apart: true,
		Unscaled: true,
		Purpose: "arrays of your own, such as frozen features: " +
			"npz:FILE?x=NAME&y=NAME&g=NAME,NAME&split=NAME",
		Open: func(name string, o dataset.Options) (*dataset.Dataset, error) {
			return openBundle(name, "npz:", o, readNPZ)
		},
	}
}

func NPYFiles() *dataset.Provider {
	return &dataset.Provider{
		Name: "npy:", Argument: "X", Endings: []string{".npy"}, Table: true, Apart: true,
		Unscaled: true,
		Purpose:  "the same, a file each: npy:X.npy?y=Y.npy&g=G.npy,H.npy&split=S.npy",
		Open:     openNPY, Locate: locateNPY,
	}
}

// bundle reads a file of several arrays. It returns their names and a function that finds one by
// its place among them.
type bundle func(path string, b []byte) ([]string, func(int) (NPYArray, error), error)

// openBundle opens a file of several named arrays.
func openBundle(name, scheme string, o dataset.Options, read bundle) (*dataset.Dataset, error) {
	f, err := dataset.ParseOwn(name, scheme, append([]string{"x"}, arrayOptions()...), o.Encoder)
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
	s.unlabelled = o.Encoder != nil && dataset.Place(names, s.y) < 0
	if s.g == nil && slices.Contains(names, "g") {
		s.g = []string{"g"}
	}
	for name, to := range map[string]*string{"split": &s.split, "group_names": &s.names} {
		if *to == "" && slices.Contains(names, name) {
			*to = name
		}
	}
	s.get = func(name string) (NPYArray, error) {
		i := dataset.Place(names, name)
		if i < 0 {
			return NPYArray{}, fmt.Errorf(
				"%s: no array %q: it has %s", f.Path, name, strings.Join(names, ", "))
		}
		return array(i)
	}
	return s.mapped.Attach(s.read(o))
}

// readNPZ reads what numpy.savez writes: a zip file of npy files.
func readNPZ(path string, b []byte) ([]string, func(int) (NPYArray, error), error) {
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, nil, err
	}
	name := func(f *zip.File) string { return strings.TrimSuffix(f.Name, ".npy") }
	return dataset.Map(z.File, name), func(i int) (NPYArray, error) {
		full := path + ": " + z.File[i].Name
		member, err := extract(b, z.File[i])
		if err != nil {
			return NPYArray{}, fmt.Errorf("%s: %w", full, err)
		}
		return ParseNPY(full, member)
	}, nil
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
	f, err := dataset.ParseOwn(name, "npy:", arrayOptions(), nil)
	if err != nil {
		return nil, err
	}
	there := func(path string) string {
		return beside(f.Path, path, func(path string) string { return path })
	}
	none := f.Options["y"] == ""
	if none && o.Encoder == nil {
		return nil, errors.New("no labels: add y=Y.npy")
	}
	s := &arraySet{
		OwnFiles:   f,
		unlabelled: none,
		x:          f.Path,
		y:          there(f.Options["y"]),
		g:          dataset.Map(f.List("g"), there),
		split:      there(f.Options["split"]),
		names:      there(f.Options["group_names"]),
	}
	s.get = func(path string) (NPYArray, error) {
		b, err := s.contents(path)
		if err != nil {
			return NPYArray{}, err
		}
		return ParseNPY(path, b)
	}
	return s.mapped.Attach(s.read(o))
}

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
		there := func(p string) string { return beside(absolute(path), p, absolute) }
		switch {
		case key == "split_by":
			keys := strings.Split(value, ",")
			for i, one := range keys {
				columns := dataset.Map(strings.Split(one, "+"), there)
				keys[i] = strings.Join(columns, "+")
			}
			return strings.Join(keys, ",")
		case !slices.Contains([]string{"y", "g", "group_names", "split"}, key):
			return value
		}
		return strings.Join(dataset.Map(strings.Split(value, ","), there), ",")
	})
}

// contents returns the bytes of a file, read or mapped, which are valid until close.
func (s *arraySet) contents(path string) ([]byte, error) {
	if !dataset.Exists(path) {
		return nil, dataset.NoFile(s.Name, path)
	}
	return s.mapped.Contents(path)
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
	var by *dataset.Factor
	if s.split != "" {
		if by, err = s.factor(s.split, f.Len(), sum); err != nil {
			return nil, err
		}
	}
	parts, err := s.Splits(by, how, f, d)
	if err != nil {
		return nil, err
	}
	if err := dataset.Divide(d, f, parts); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Path, err)
	}
	d.Unlabelled, d.Encoder.Options = s.unlabelled, s.Keep()
	if s.Choice("scale") == "standard" && o.Encoder == nil {
		d.Mean, d.Std = f.Moments(dataset.FittedTo(o, f, parts.Train, d))
	}
	d.Checksum = dataset.ChecksumOf(sum)
	return d, nil
}

// own reads labels and groups of n samples.
func (s *arraySet) own(n int, e *dataset.Encoder, sum io.Writer) (of dataset.Own, err error) {
	of.ByGroup, of.Fitted, of.Cells = true, e != nil, s.Cells()
	if s.unlabelled {
		of.Label = &dataset.Factor{Values: e.Classes[:1], Codes: make([]uint16, n)}
	} else if of.Label, err = s.factor(s.y, n, sum); err != nil {
		return of, err
	}
	for _, name := range s.g {
		a, err := s.hashed(name, sum)
		if err != nil {
			return of, err
		}
		var g *dataset.Factor
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
func (s *arraySet) members(a NPYArray, n int, sum io.Writer) (list []*dataset.Factor, err error) {
	names := dataset.Numbered("g", 1, a.Dims[1])
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
func (s *arraySet) factor(name string, n int, sum io.Writer) (*dataset.Factor, error) {
	a, err := s.hashed(name, sum)
	if err != nil {
		return nil, err
	}
	return a.Factor(named(name), n)
}

// keys reads the keys of n samples; nil: split_by= is not given.
func (s *arraySet) keys(n int, sum io.Writer) (*dataset.Keys, error) {
	asked := s.Options["split_by"]
	if asked == "" {
		return nil, nil
	}
	there := func(name string) bool { _, err := s.get(name); return err == nil }
	k := dataset.NewKeys(asked, there)
	for i, names := range k.Columns() {
		var arrays []NPYArray
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
func (s *arraySet) hashed(name string, sum io.Writer) (a NPYArray, err error) {
	if a, err = s.get(name); err == nil {
		fmt.Fprintln(sum, string(a.Kind), a.Size, a.Dims)
		sum.Write(a.Data)
	}
	return a, err
}

// NPYArray is an array of a file in NumPy's format (NumPy Enhancement Proposal 1;
// numpy.lib.format), versions 1 to 3, little-endian and in C order. Existing Go readers copy an
// array, which may have gigabytes; here it stays where the file is mapped.
type NPYArray struct {
	Name string
	Kind byte // f(loat), i(nt), u(int), b(ool), U(nicode) or S (bytes)
	Size int  // bytes of an item
	Dims []int
	Data []byte // item after item, maybe not aligned
}

var (
	npyType  = regexp.MustCompile(`'descr': *'([<>|=])([A-Za-z])([0-9]{1,9})'`)
	npyOrder = regexp.MustCompile(`'fortran_order': *(True|False)`)
	npyShape = regexp.MustCompile(`'shape': *\(([0-9, ]*)\)`)
)

// ParseNPY parses a whole file: \x93NUMPY, two bytes of the version, the length of the header as a
// little-endian uint16 (version 1) or uint32, the header (a Python dict) and the items. It
// allocates no memory of a size that the file declares.
func ParseNPY(name string, b []byte) (NPYArray, error) {
	a := NPYArray{Name: name}
	header, rest, err := npyHeader(b)
	if err == nil {
		err = a.describe(header)
	}
	if err == nil {
		a.Data, err = rest, a.fits(len(rest))
	}
	if err != nil {
		return NPYArray{}, fmt.Errorf("%s: %w", name, err)
	}
	return a, nil
}

// npyHeader separates the header from the items.
func npyHeader(b []byte) (header string, rest []byte, err error) {
	const magic = "\x93NUMPY"
	if len(b) < 12 || string(b[:6]) != magic {
		return "", nil, errors.New("byte 0: not an array of NumPy (.npy)")
	}
	at, length := 10, uint64(binary.LittleEndian.Uint16(b[8:]))
	switch b[6] {
	case 1:
	case 2, 3:
		at, length = 12, uint64(binary.LittleEndian.Uint32(b[8:]))
	default:
		return "", nil, fmt.Errorf("byte 6: version %d of the format, not 1 to 3", b[6])
	}
	if length > uint64(len(b)-at) {
		return "", nil, fmt.Errorf("ends at byte %d, in the header", len(b))
	}
	return string(b[at : at+int(length)]), b[at+int(length):], nil
}

// describe sets the type and the dimensions from the header.
func (a *NPYArray) describe(header string) error {
	order, shape := npyOrder.FindStringSubmatch(header), npyShape.FindStringSubmatch(header)
	if order == nil || shape == nil || !strings.Contains(header, "'descr'") {
		return fmt.Errorf("header %.120q: want 'descr', 'fortran_order' and 'shape'", header)
	}
	t := npyType.FindStringSubmatch(header)
	if t == nil || !strings.Contains("fiubUS", t[2]) {
		return errors.New("values are neither numbers nor strings: save it with " +
			"astype('float32'), astype('int64') or astype('str')")
	}
	a.Kind = t[2][0]
	a.Size, _ = strconv.Atoi(t[3]) // at most nine digits
	if a.Kind == 'U' {
		a.Size *= 4 // UTF-32
	}
	if t[1] == ">" && a.Size > 1 {
		return errors.New("values are big-endian: save it with astype('<" + t[2] + t[3] + "')")
	}
	for field := range strings.SplitSeq(shape[1], ",") {
		if field = strings.TrimSpace(field); field == "" {
			continue // behind the comma of (3,)
		}
		d, err := strconv.Atoi(field)
		if err != nil || d < 1 {
			return fmt.Errorf("shape (%s): want sizes of at least 1", shape[1])
		}
		a.Dims = append(a.Dims, d)
	}
	if order[1] == "True" && len(a.Dims) > 1 {
		return errors.New("values are in Fortran order: save it with numpy.ascontiguousarray")
	}
	return nil
}

// fits returns an error unless the type and the shape suit this number of bytes.
func (a *NPYArray) fits(bytes int) error {
	switch sizes := []int{1, 2, 4, 8}; {
	case a.Kind == 'f' && !slices.Contains(sizes[1:], a.Size):
		return fmt.Errorf("numbers are of %d bytes: save it with astype('float32')", a.Size)
	case (a.Kind == 'i' || a.Kind == 'u') && !slices.Contains(sizes, a.Size):
		return fmt.Errorf("integers are of %d bytes: save it with astype('int64')", a.Size)
	case a.Kind == 'b' && a.Size != 1:
		return fmt.Errorf("truth values are of %d bytes, not 1", a.Size)
	}
	need, room := uint64(a.Size), uint64(bytes)
	ok := need > 0 && len(a.Dims) > 0
	for _, d := range a.Dims {
		if ok = ok && uint64(d) <= room/need; ok {
			need *= uint64(d)
		}
	}
	if !ok || need != room {
		return fmt.Errorf("%d bytes after the header do not suit values of %d bytes and shape %v",
			bytes, a.Size, a.Dims)
	}
	return nil
}

// Factor returns the array as a factor, with one value for each of n samples.
func (a *NPYArray) Factor(name string, n int) (*dataset.Factor, error) {
	if err := a.oneEach(n); err != nil {
		return nil, err
	}
	codes, dict := make([]uint16, n), map[string]uint16{}
	seen := map[string]uint16{} // by the bytes of an item, so that few are converted to text
	for i := range codes {
		item := a.Data[i*a.Size : (i+1)*a.Size]
		code, ok := seen[string(item)]
		if !ok {
			text, err := a.text(item)
			if err != nil && a.Kind == 'f' {
				err = fmt.Errorf("%w, and no class or group: %s", err, dataset.NoRegression)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: sample %d: %w", a.Name, i, err)
			}
			if code, ok = dict[text]; !ok {
				if len(dict) == dataset.MaxClasses {
					return nil, fmt.Errorf(
						"%s has more than %d different values: name another array",
						a.Name, dataset.MaxClasses)
				}
				code = uint16(len(dict))
				dict[text] = code
			}
			seen[string(item)] = code
		}
		codes[i] = code
	}
	return dataset.NewFactor(name, dict, codes), nil
}

// oneEach returns an error unless the array has one value for each of n samples.
func (a *NPYArray) oneEach(n int) error {
	rank := len(a.Dims)
	if rank == 0 || a.Dims[0] != n || rank > 2 || rank == 2 && a.Dims[1] != 1 {
		return fmt.Errorf("%s has shape %v, not one value for each of %d samples", a.Name, a.Dims,
			n)
	}
	return nil
}

// column returns a column of an array of rows.
func (a *NPYArray) column(at int) *NPYArray {
	c := *a
	c.Dims, c.Data = a.Dims[:1], nil
	for i := range a.Dims[0] {
		c.Data = append(c.Data, a.Data[(i*a.Dims[1]+at)*a.Size:][:a.Size]...)
	}
	return &c
}

// text returns an item as text. Numbers must be whole.
func (a *NPYArray) text(item []byte) (string, error) {
	switch a.Kind {
	case 'b':
		return strconv.FormatBool(item[0] != 0), nil
	case 'S':
		text := strings.TrimRight(string(item), "\x00")
		return text, dataset.Named(text)
	case 'U':
		var s strings.Builder
		for ; len(item) >= 4; item = item[4:] {
			c := binary.LittleEndian.Uint32(item)
			if c > utf8.MaxRune || !utf8.ValidRune(rune(c)) {
				return "", fmt.Errorf("%#x is not a Unicode character", c)
			}
			s.WriteRune(rune(c))
		}
		return strings.TrimRight(s.String(), "\x00"), nil
	case 'f':
		v := a.float(item)
		if v != math.Trunc(v) || math.Abs(v) > 1<<53 {
			return "", fmt.Errorf("%v is not a whole number", v)
		}
		return strconv.FormatInt(int64(v), 10), nil
	}
	var bits [8]byte
	copy(bits[:], item)
	v := binary.LittleEndian.Uint64(bits[:])
	if a.Kind == 'u' {
		return strconv.FormatUint(v, 10), nil
	}
	unused := 64 - 8*a.Size
	return strconv.FormatInt(int64(v<<unused)>>unused, 10), nil
}

func (a *NPYArray) float(item []byte) float64 {
	switch a.Size {
	case 2:
		return float64(dataset.Half(binary.LittleEndian.Uint16(item)))
	case 4:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(item)))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(item))
}

func Safetensors() *dataset.Provider {
	const scheme = "safetensors:"
	return &dataset.Provider{
		Name: scheme, Argument: "FILE", Endings: []string{".safetensors"}, Table: true, Apart: true,
		Unscaled: true,
		Purpose: "the same as npz:, tensors of one file: " +
			"safetensors:FILE?x=NAME&y=NAME&g=NAME&split=NAME",
		Open: func(name string, o dataset.Options) (*dataset.Dataset, error) {
			return openBundle(name, scheme, o, ReadSafetensors)
		},
	}
}

// tensorPlace is an entry of the header of a safetensors file.
type tensorPlace struct {
	DType   string    `json:"dtype"`
	Shape   []int     `json:"shape"`
	Offsets [2]uint64 `json:"data_offsets"`
}

// ReadSafetensors reads the format of github.com/huggingface/safetensors: the length of the header
// as a little-endian uint64, the header (a JSON object from names to types, shapes and places) and
// the values.
func ReadSafetensors(path string, b []byte) ([]string, func(int) (NPYArray, error), error) {
	if len(b) < 8 || binary.LittleEndian.Uint64(b) > uint64(len(b)-8) {
		return nil, nil, errors.New(
			"byte 0: not a safetensors file: its header ends after the file")
	}
	length := binary.LittleEndian.Uint64(b)
	if !utf8.Valid(b[8 : 8+length]) {
		return nil, nil, errors.New("header: is not UTF-8, which names must be")
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(b[8:8+length], &raw); err != nil {
		return nil, nil, fmt.Errorf("header: %w", err)
	}
	delete(raw, "__metadata__")
	names, values := slices.Sorted(maps.Keys(raw)), b[8+length:]
	return names, func(i int) (NPYArray, error) {
		full := path + ": " + names[i]
		var p tensorPlace
		err := json.Unmarshal(raw[names[i]], &p)
		if err == nil && (p.Offsets[0] > p.Offsets[1] || p.Offsets[1] > uint64(len(values))) {
			err = fmt.Errorf(
				"its place %v is not in the %d bytes of values", p.Offsets, len(values))
		}
		var a NPYArray
		if err == nil && (p.DType == "BF16" || strings.HasPrefix(p.DType, "F8")) {
			err = fmt.Errorf("values of type %.20q: make float32 of them with safetensors.torch."+
				"save_file({k: t.float() if t.is_floating_point() else t for k, t in "+
				"safetensors.torch.load_file(%q).items()}, %q)", p.DType, path,
				strings.TrimSuffix(path, ".safetensors")+"32.safetensors")
		}
		if err == nil {
			a, err = p.array(full, values[p.Offsets[0]:p.Offsets[1]])
		}
		if err != nil {
			return NPYArray{}, fmt.Errorf("%s: %w", full, err)
		}
		return a, nil
	}, nil
}

// array returns a tensor as the NumPy array with the same values.
func (p *tensorPlace) array(name string, b []byte) (NPYArray, error) {
	known := map[string]struct {
		kind byte
		size int
	}{
		"F16": {'f', 2}, "F32": {'f', 4}, "F64": {'f', 8}, "BOOL": {'b', 1},
		"I8": {'i', 1}, "I16": {'i', 2}, "I32": {'i', 4}, "I64": {'i', 8},
		"U8": {'u', 1}, "U16": {'u', 2}, "U32": {'u', 4}, "U64": {'u', 8},
	}
	t, ok := known[p.DType]
	if !ok {
		return NPYArray{}, fmt.Errorf("values of type %.20q: save them as one of %s", p.DType,
			strings.Join(slices.Sorted(maps.Keys(known)), ", "))
	}
	a := NPYArray{Name: name, Kind: t.kind, Size: t.size, Dims: p.Shape, Data: b}
	for _, d := range p.Shape {
		if d < 1 {
			return a, fmt.Errorf("shape %v: want sizes of at least 1", p.Shape)
		}
	}
	return a, a.fits(len(b))
}

// NewFeatures makes samples of an array: rows of numbers, or one or several planes a sample.
func NewFeatures(a NPYArray) (*dataset.Features, error) {
	f := &dataset.Features{Size: a.Size, Data: a.Data}
	switch n := a.Dims; {
	case a.Kind != 'f':
		return nil, fmt.Errorf(
			"%s: features are not floating-point numbers: save them with astype('float32')", a.Name)
	case len(n) == 2:
		f.Dims = dataset.Shape{C: n[1], H: 1, W: 1}
	case len(n) == 3:
		f.Dims = dataset.Shape{C: 1, H: n[1], W: n[2]}
	case len(n) == 4 && min(n[1], n[2]) > 4 &&
		(n[3] == 3 || n[3] == 4 || n[3] == 1 && n[1] == n[2]):
		return nil, fmt.Errorf("%s: the shape %v has channels last: save it with "+
			"numpy.ascontiguousarray(numpy.moveaxis(x, -1, 1))", a.Name, n)
	case len(n) == 4:
		f.Dims = dataset.Shape{C: n[1], H: n[2], W: n[3]}
	default:
		return nil, fmt.Errorf("%s: features have shape %v: want samples × features, or samples "+
			"× channels × rows × columns", a.Name, n)
	}
	if uint64(a.Dims[0]) > math.MaxUint32 {
		return nil, fmt.Errorf("%s: %d samples: at most %d are taken", a.Name, a.Dims[0],
			uint32(math.MaxUint32))
	}
	f.Decode = dataset.Decoders()[a.Size]
	return f, nil
}
