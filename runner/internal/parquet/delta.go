package parquet

import (
	"encoding/binary"
	"errors"
)

// deltas are numbers by their differences, in blocks of miniblocks of equally many
// bits (DELTA_BINARY_PACKED).
type deltas struct {
	in             []byte
	perMini, minis uint64
	left           uint64 // values
	last, least    int64
	widths         []byte
	mini           uint64 // values left of the miniblock
	packed         []byte // of it
	bit            int
	begun          bool
}

var errDeltas = errors.New("a page's differences are not what their head says")

func newDeltas(in []byte) (*deltas, error) {
	d := &deltas{in: in}
	block, minis, left := d.uvarint(), d.uvarint(), d.uvarint()
	first := d.varint()
	if d.in == nil || minis == 0 || minis > 1<<10 || block > 1<<20 || block%minis != 0 || block/minis%8 != 0 ||
		block == 0 {
		return nil, errDeltas
	}
	d.minis, d.perMini, d.left, d.last = minis, block/minis, left, first
	return d, nil
}

// uvarint reads a number; in is nil after one that is none.
func (d *deltas) uvarint() uint64 {
	v, n := binary.Uvarint(d.in)
	if n <= 0 {
		d.in = nil
		return 0
	}
	d.in = d.in[n:]
	return v
}

func (d *deltas) varint() int64 {
	u := d.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

func (d *deltas) next() (int64, error) {
	if d.left == 0 {
		return 0, errShort
	}
	d.left--
	if !d.begun {
		d.begun = true
		return d.last, nil
	}
	if d.mini == 0 {
		if err := d.turn(); err != nil {
			return 0, err
		}
	}
	d.mini--
	width := int(d.widths[0])
	var v uint64
	for k := range width {
		at := d.bit + k
		v |= uint64(d.packed[at/8]>>(at%8)&1) << k
	}
	d.bit += width
	d.last += d.least + int64(v)
	return d.last, nil
}

// turn goes on to the next miniblock.
func (d *deltas) turn() error {
	if len(d.widths) > 0 {
		d.widths = d.widths[1:]
	}
	if len(d.widths) == 0 {
		d.least = d.varint()
		if uint64(len(d.in)) < d.minis {
			return errShort
		}
		d.widths, d.in = d.in[:d.minis], d.in[d.minis:]
	}
	size := int(d.widths[0]) * int(d.perMini) / 8
	if d.widths[0] > 64 || size > len(d.in) {
		return errDeltas
	}
	d.packed, d.in, d.bit, d.mini = d.in[:size], d.in[size:], 0, d.perMini
	return nil
}

// rest is what comes behind the numbers. Of miniblocks that are not needed there is
// nothing, whatever their widths.
func (d *deltas) rest() ([]byte, error) {
	for d.left > 0 {
		if _, err := d.next(); err != nil {
			return nil, err
		}
	}
	return d.in, nil
}

// deltaTexts are numbers as texts.
type deltaTexts struct {
	text *text
	*deltas
}

func (d *deltaTexts) next() (string, error) {
	v, err := d.deltas.next()
	if err != nil {
		return "", err
	}
	if d.text.column.physical == int32s {
		v = int64(int32(v)) // sums are modulo the width
	}
	return d.text.number(v), nil
}

// lengths are strings behind all their lengths (DELTA_LENGTH_BYTE_ARRAY).
type lengths struct {
	text  *text
	sizes *deltas
	in    []byte
}

func newLengths(t *text, body []byte) (*lengths, error) {
	sizes, err := newDeltas(body)
	if err != nil {
		return nil, err
	}
	behind := *sizes
	in, err := behind.rest()
	return &lengths{t, sizes, in}, err
}

func (l *lengths) bytes() ([]byte, error) {
	n, err := l.sizes.next()
	switch {
	case err != nil:
		return nil, err
	case n < 0 || n > int64(len(l.in)):
		return nil, errShort
	}
	value := l.in[:n]
	l.in = l.in[n:]
	return value, nil
}

func (l *lengths) next() (string, error) {
	b, err := l.bytes()
	return l.text.of(b), err
}

// prefixes are strings that share so many bytes with the one before (DELTA_BYTE_ARRAY).
type prefixes struct {
	shared *deltas
	ends   *lengths
	last   []byte
}

func newPrefixes(t *text, body []byte) (*prefixes, error) {
	shared, err := newDeltas(body)
	if err != nil {
		return nil, err
	}
	behind := *shared
	in, err := behind.rest()
	if err != nil {
		return nil, err
	}
	ends, err := newLengths(t, in)
	return &prefixes{shared: shared, ends: ends}, err
}

func (p *prefixes) next() (string, error) {
	n, err := p.shared.next()
	if err != nil {
		return "", err
	}
	end, err := p.ends.bytes()
	if err != nil {
		return "", err
	}
	if n < 0 || n > int64(len(p.last)) {
		return "", errShort
	}
	p.last = append(p.last[:n], end...)
	t := p.ends.text
	return t.of(t.copied(p.last)), nil
}
