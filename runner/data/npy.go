package data

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// npyArray is an array of a file in NumPy's format (NumPy Enhancement Proposal 1; numpy.lib.format), versions
// 1 to 3, little-endian and in C order. The readers for Go that there are copy an array, which may be of
// gigabytes; here it stays where the file is mapped.
type npyArray struct {
	name  string
	kind  byte // f(loat), i(nt), u(int), b(ool), U(nicode) or S (bytes)
	size  int  // bytes of an item
	shape []int
	data  []byte // item after item, maybe not aligned
}

var (
	npyType  = regexp.MustCompile(`'descr': *'([<>|=])([A-Za-z])([0-9]{1,9})'`)
	npyOrder = regexp.MustCompile(`'fortran_order': *(True|False)`)
	npyShape = regexp.MustCompile(`'shape': *\(([0-9, ]*)\)`)
)

// parseNPY checks a whole file: \x93NUMPY, two bytes of the version, the length of the header as a
// little-endian uint16 (version 1) or uint32, the header, a Python dict, the items. It allocates nothing of a
// size that the file names.
func parseNPY(name string, b []byte) (npyArray, error) {
	a := npyArray{name: name}
	header, rest, err := npyHeader(b)
	if err == nil {
		err = a.describe(header)
	}
	if err == nil {
		a.data, err = rest, a.fits(len(rest))
	}
	if err != nil {
		return npyArray{}, fmt.Errorf("%s: %w", name, err)
	}
	return a, nil
}

// npyHeader parts the header from the items.
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

// describe reads the header.
func (a *npyArray) describe(header string) error {
	order, shape := npyOrder.FindStringSubmatch(header), npyShape.FindStringSubmatch(header)
	if order == nil || shape == nil || !strings.Contains(header, "'descr'") {
		return fmt.Errorf("header %.120q: want 'descr', 'fortran_order' and 'shape'", header)
	}
	t := npyType.FindStringSubmatch(header)
	if t == nil || !strings.Contains("fiubUS", t[2]) {
		return errors.New("values are neither numbers nor strings: save it with astype('float32'), " +
			"astype('int64') or astype('str')")
	}
	a.kind = t[2][0]
	a.size, _ = strconv.Atoi(t[3]) // at most nine digits
	if a.kind == 'U' {
		a.size *= 4 // UTF-32
	}
	if t[1] == ">" && a.size > 1 {
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
		a.shape = append(a.shape, d)
	}
	if order[1] == "True" && len(a.shape) > 1 {
		return errors.New("values are in Fortran order: save it with numpy.ascontiguousarray")
	}
	return nil
}

// fits says whether the shape is that of so many bytes.
func (a *npyArray) fits(bytes int) error {
	switch a.kind {
	case 'f':
		if a.size != 2 && a.size != 4 && a.size != 8 {
			return fmt.Errorf("numbers are of %d bytes: save it with astype('float32')", a.size)
		}
	case 'i', 'u':
		if a.size != 1 && a.size != 2 && a.size != 4 && a.size != 8 {
			return fmt.Errorf("integers are of %d bytes: save it with astype('int64')", a.size)
		}
	case 'b':
		if a.size != 1 {
			return fmt.Errorf("truth values are of %d bytes, not 1", a.size)
		}
	}
	need, room := uint64(a.size), uint64(bytes)
	ok := need > 0 && len(a.shape) > 0
	for _, d := range a.shape {
		if ok = ok && uint64(d) <= room/need; ok {
			need *= uint64(d)
		}
	}
	if !ok || need != room {
		return fmt.Errorf("%d bytes after the header do not suit values of %d bytes and shape %v",
			bytes, a.size, a.shape)
	}
	return nil
}

// factor takes the array as one value a sample, for n samples.
func (a *npyArray) factor(name string, n int) (factor, error) {
	if rank := len(a.shape); a.shape[0] != n || rank > 2 || rank == 2 && a.shape[1] != 1 {
		return factor{}, fmt.Errorf("%s has shape %v, not one value for each of %d samples", a.name, a.shape, n)
	}
	codes, dict := make([]uint16, n), map[string]uint16{}
	seen := map[string]uint16{} // by the bytes of an item: few are made text
	for i := range codes {
		item := a.data[i*a.size : (i+1)*a.size]
		code, ok := seen[string(item)]
		if !ok {
			text, err := a.text(item)
			if err != nil {
				return factor{}, fmt.Errorf("%s: sample %d: %w", a.name, i, err)
			}
			if code, ok = dict[text]; !ok {
				if len(dict) == maxClasses {
					return factor{}, fmt.Errorf("%s has more than %d different values: name another array",
						a.name, maxClasses)
				}
				code = uint16(len(dict))
				dict[text] = code
			}
			seen[string(item)] = code
		}
		codes[i] = code
	}
	return newFactor(name, dict, codes), nil
}

// text is an item in words; numbers must be whole.
func (a *npyArray) text(item []byte) (string, error) {
	switch a.kind {
	case 'b':
		return strconv.FormatBool(item[0] != 0), nil
	case 'S':
		text := strings.TrimRight(string(item), "\x00")
		return text, named(text)
	case 'U':
		var s strings.Builder
		for ; len(item) >= 4; item = item[4:] {
			c := binary.LittleEndian.Uint32(item)
			if c > utf8.MaxRune || !utf8.ValidRune(rune(c)) {
				return "", fmt.Errorf("%#x is no character of Unicode", c)
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
	if a.kind == 'u' {
		return strconv.FormatUint(v, 10), nil
	}
	unused := 64 - 8*a.size
	return strconv.FormatInt(int64(v<<unused)>>unused, 10), nil
}

func (a *npyArray) float(item []byte) float64 {
	switch a.size {
	case 2:
		return float64(half(binary.LittleEndian.Uint16(item)))
	case 4:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(item)))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(item))
}

// half is the value of a float16.
func half(h uint16) float32 {
	const exponent = 0x7c00 << 13
	v := uint32(h&0x7fff) << 13
	e := v & exponent
	v += (127 - 15) << 23
	switch e {
	case exponent: // infinite or no number
		v += (128 - 16) << 23
	case 0: // subnormal
		v = math.Float32bits(math.Float32frombits(v+1<<23) - math.Float32frombits(113<<23))
	}
	return math.Float32frombits(v | uint32(h&0x8000)<<16)
}
