package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unsafe"
)

// Encodings of values.
const (
	plainValues   = 0
	oldDictionary = 2
	runLengths    = 3
	deltaNumbers  = 5
	deltaLengths  = 6
	deltaStrings  = 7
	newDictionary = 8
	splitBytes    = 9
)

// values gives those of a page as texts, one after the other.
type values interface{ next() (string, error) }

var errShort = errors.New("a page ends before its values do")

// decoder reads a page's values.
func (p *pages) decoder(encoding int, body []byte) (values, error) {
	numbers := p.column.physical == int32s || p.column.physical == int64s
	switch {
	case encoding == plainValues:
		return newPlain(&p.text, body), nil
	case encoding == newDictionary || encoding == oldDictionary:
		if p.dictionary == nil || len(body) < 1 || body[0] > 32 {
			return nil, errors.New("a page of a dictionary that is not there")
		}
		return &looked{p.dictionary, hybrid{in: body[1:], width: int(body[0])}}, nil
	case encoding == runLengths && p.column.physical == boolean && len(body) >= 4:
		return &flags{&p.text, hybrid{in: body[4:], width: 1}}, nil
	case encoding == deltaNumbers && numbers:
		d, err := newDeltas(body)
		return &deltaTexts{&p.text, d}, err
	case encoding == deltaLengths && p.column.physical == byteArrays:
		return newLengths(&p.text, body)
	case encoding == deltaStrings && (p.column.physical == byteArrays || p.column.physical == fixedArrays):
		return newPrefixes(&p.text, body)
	case encoding == splitBytes && p.text.width() > 0:
		return &split{text: &p.text, in: body, n: len(body) / p.text.width()}, nil
	}
	return nil, fmt.Errorf("has values of encoding %d: save it with another one", encoding)
}

// hybrid reads numbers of so many bits, in runs of equal ones and of packed ones.
type hybrid struct {
	in    []byte
	width int

	equal  uint64 // how many more of the same
	value  uint32
	packed uint64 // how many more packed ones
	bits   uint64 // not used yet
	have   int    // of them
}

func (h *hybrid) next() (uint32, error) {
	if h.width == 0 {
		return 0, nil
	}
	for h.equal == 0 && h.packed == 0 {
		if err := h.run(); err != nil {
			return 0, err
		}
	}
	if h.equal > 0 {
		h.equal--
		return h.value, nil
	}
	h.packed--
	for h.have < h.width {
		if len(h.in) == 0 {
			return 0, errShort
		}
		h.bits |= uint64(h.in[0]) << h.have
		h.have, h.in = h.have+8, h.in[1:]
	}
	v := uint32(h.bits & (1<<h.width - 1))
	h.bits, h.have = h.bits>>h.width, h.have-h.width
	return v, nil
}

// run begins with the next run.
func (h *hybrid) run() error {
	head, n := binary.Uvarint(h.in)
	if n <= 0 {
		return errShort
	}
	h.in = h.in[n:]
	if head&1 == 1 { // groups of eight
		h.packed, h.bits, h.have = head>>1*8, 0, 0
		return nil
	}
	size := (h.width + 7) / 8
	if len(h.in) < size {
		return errShort
	}
	h.equal, h.value = head>>1, 0
	for i := range size {
		h.value |= uint32(h.in[i]) << (8 * i)
	}
	h.in = h.in[size:]
	return nil
}

// dictionary is a list of texts, close together: most of the time of looking them up
// is waiting for the memory.
type dictionary struct {
	texts []byte
	ends  []uint32
}

func (d *dictionary) add(s string) error {
	if uint64(len(d.texts)+len(s)) > math.MaxUint32 {
		return errors.New("more than 4 GB of texts")
	}
	d.texts = append(d.texts, s...)
	d.ends = append(d.ends, uint32(len(d.texts)))
	return nil
}

func (d *dictionary) at(i int) string {
	from := uint32(0)
	if i > 0 {
		from = d.ends[i-1]
	}
	text := d.texts[from:d.ends[i]]
	return unsafe.String(unsafe.SliceData(text), len(text))
}

// looked are values of a dictionary.
type looked struct {
	*dictionary
	hybrid hybrid
}

func (l *looked) next() (string, error) {
	i, err := l.hybrid.next()
	switch {
	case err != nil:
		return "", err
	case int64(i) >= int64(len(l.ends)):
		return "", fmt.Errorf("value %d of a dictionary of %d", i, len(l.ends))
	}
	return l.at(int(i)), nil
}

// flags are booleans in runs.
type flags struct {
	text *text
	at   hybrid
}

func (f *flags) next() (string, error) {
	v, err := f.at.next()
	return f.text.flag(v == 1), err
}

// plain are values one after the other.
type plain struct {
	text *text
	in   []byte
	bit  int // of booleans
}

func newPlain(t *text, body []byte) *plain { return &plain{text: t, in: body} }

func (p *plain) next() (string, error) {
	switch p.text.column.physical {
	case boolean:
		if p.bit/8 >= len(p.in) {
			return "", errShort
		}
		v := p.in[p.bit/8]>>(p.bit%8)&1 == 1
		p.bit++
		return p.text.flag(v), nil
	case byteArrays:
		if len(p.in) < 4 {
			return "", errShort
		}
		n := int64(binary.LittleEndian.Uint32(p.in))
		p.in = p.in[4:]
		return p.take(n)
	}
	return p.take(int64(p.text.width()))
}

func (p *plain) take(n int64) (string, error) {
	if n > int64(len(p.in)) {
		return "", errShort
	}
	value := p.in[:n]
	p.in = p.in[n:]
	return p.text.of(value), nil
}

// split are numbers whose first bytes come first, then their second ones, ...
type split struct {
	text *text
	in   []byte
	n    int // values
	at   int
}

func (s *split) next() (string, error) {
	if s.at >= s.n {
		return "", errShort
	}
	var value [16]byte
	w := s.text.width()
	if w > len(value) {
		return "", fmt.Errorf("numbers of %d bytes", w)
	}
	for k := range w {
		value[k] = s.in[k*s.n+s.at]
	}
	s.at++
	return s.text.of(value[:w]), nil
}
