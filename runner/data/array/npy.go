package array

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"drolab/runner/data"
	"drolab/runner/lists"
)

func NPYFiles() *data.Provider {
	return &data.Provider{
		Name: "npy:", Argument: "X", Endings: []string{".npy"}, Table: true, Apart: true,
		Unscaled: true,
		Purpose:  "the same, a file each: npy:X.npy?y=Y.npy&g=G.npy,H.npy&split=S.npy",
		Open:     openNPY, Locate: locateNPY,
	}
}

func openNPY(name string, o data.Options) (*data.Dataset, error) {
	f, err := data.ParseOwn(name, "npy:", arrayOptions(), nil)
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
		g:          lists.Map(f.List("g"), there),
		split:      there(f.Options["split"]),
		names:      there(f.Options["group_names"]),
	}
	s.get = func(path string) (Array, error) {
		b, err := s.contents(path)
		if err != nil {
			return Array{}, err
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
	if there := filepath.Join(filepath.Dir(x), path); data.Exists(there) ||
		!data.Exists(absolute(path)) {
		return there
	}
	return absolute(path)
}

func locateNPY(name string, absolute func(string) string) string {
	path, _, _ := strings.Cut(strings.TrimPrefix(name, "npy:"), "?")
	return data.LocateOwn(name, "npy:", absolute, func(key, value string) string {
		there := func(p string) string { return beside(absolute(path), p, absolute) }
		switch {
		case key == "split_by":
			keys := strings.Split(value, ",")
			for i, one := range keys {
				columns := lists.Map(strings.Split(one, "+"), there)
				keys[i] = strings.Join(columns, "+")
			}
			return strings.Join(keys, ",")
		case !slices.Contains([]string{"y", "g", "group_names", "split"}, key):
			return value
		}
		return strings.Join(lists.Map(strings.Split(value, ","), there), ",")
	})
}

// Array is an array of a file in NumPy's format (NumPy Enhancement Proposal 1;
// numpy.lib.format), versions 1 to 3, little-endian and in C order. Existing Go readers copy an
// array, which may have gigabytes; here it stays where the file is mapped.
type Array struct {
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
func ParseNPY(name string, b []byte) (Array, error) {
	a := Array{Name: name}
	header, rest, err := npyHeader(b)
	if err == nil {
		err = a.describe(header)
	}
	if err == nil {
		a.Data, err = rest, a.fits(len(rest))
	}
	if err != nil {
		return Array{}, fmt.Errorf("%s: %w", name, err)
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
func (a *Array) describe(header string) error {
	order, shape := npyOrder.FindStringSubmatch(header), npyShape.FindStringSubmatch(header)
	if order == nil || shape == nil || !strings.Contains(header, "'descr'") {
		return fmt.Errorf("header %.120q: expected 'descr', 'fortran_order' and 'shape'", header)
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
		field = strings.TrimSpace(field)
		if field == "" {
			continue // behind the comma of (3,)
		}
		d, err := strconv.Atoi(field)
		if err != nil || d < 1 {
			return fmt.Errorf("shape (%s): expected sizes of at least 1", shape[1])
		}
		a.Dims = append(a.Dims, d)
	}
	if order[1] == "True" && len(a.Dims) > 1 {
		return errors.New("values are in Fortran order: save it with numpy.ascontiguousarray")
	}
	return nil
}

// fits returns an error unless the type and the shape suit this number of bytes.
func (a *Array) fits(bytes int) error {
	integers, floats := []int{1, 2, 4, 8}, []int{2, 4, 8}
	switch {
	case a.Kind == 'f' && !slices.Contains(floats, a.Size):
		return fmt.Errorf("numbers are of %d bytes: save it with astype('float32')", a.Size)
	case (a.Kind == 'i' || a.Kind == 'u') && !slices.Contains(integers, a.Size):
		return fmt.Errorf("integers are of %d bytes: save it with astype('int64')", a.Size)
	case a.Kind == 'b' && a.Size != 1:
		return fmt.Errorf("truth values are of %d bytes, not 1", a.Size)
	}
	wrong := fmt.Errorf("%d bytes after the header do not suit values of %d bytes and shape %v",
		bytes, a.Size, a.Dims)
	need, room := uint64(a.Size), uint64(bytes)
	if need == 0 || len(a.Dims) == 0 {
		return wrong
	}
	for _, d := range a.Dims {
		if uint64(d) > room/need { // the product could overflow
			return wrong
		}
		need *= uint64(d)
	}
	if need != room {
		return wrong
	}
	return nil
}

// Factor returns the array as a factor, with one value for each of n samples.
func (a *Array) Factor(name string, n int) (*data.Factor, error) {
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
				err = fmt.Errorf("%w, and no class or group: %s", err, data.NoRegression)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: sample %d: %w", a.Name, i, err)
			}
			if code, ok = dict[text]; !ok {
				if len(dict) == data.MaxClasses {
					return nil, fmt.Errorf(
						"%s has more than %d different values: name another array",
						a.Name, data.MaxClasses)
				}
				code = uint16(len(dict))
				dict[text] = code
			}
			seen[string(item)] = code
		}
		codes[i] = code
	}
	return data.NewFactor(name, dict, codes), nil
}

// oneEach returns an error unless the array has one value for each of n samples.
func (a *Array) oneEach(n int) error {
	rank := len(a.Dims)
	if rank == 0 || a.Dims[0] != n || rank > 2 || rank == 2 && a.Dims[1] != 1 {
		return fmt.Errorf("%s has shape %v, not one value for each of %d samples", a.Name, a.Dims,
			n)
	}
	return nil
}

// column returns a column of an array of rows.
func (a *Array) column(at int) *Array {
	c := *a
	c.Dims, c.Data = a.Dims[:1], nil
	for i := range a.Dims[0] {
		c.Data = append(c.Data, a.Data[(i*a.Dims[1]+at)*a.Size:][:a.Size]...)
	}
	return &c
}

// text returns an item as text. Numbers must be whole.
func (a *Array) text(item []byte) (string, error) {
	switch a.Kind {
	case 'b':
		return strconv.FormatBool(item[0] != 0), nil
	case 'S':
		text := strings.TrimRight(string(item), "\x00")
		return text, data.Named(text)
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

func (a *Array) float(item []byte) float64 {
	switch a.Size {
	case 2:
		return float64(data.Half(binary.LittleEndian.Uint16(item)))
	case 4:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(item)))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(item))
}
