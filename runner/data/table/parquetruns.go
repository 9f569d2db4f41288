package table

import (
	"encoding/binary"
	"errors"
	"math"
)

// smallInts are whole numbers of a few bits: the levels of a page, and its places in a dictionary.
// They lie in runs of one number and in packed groups of eight.
//
// They are read one by one, so that a page takes no memory for them.
type smallInts struct {
	rest []byte // the bytes behind the current run
	bits int    // of a number

	left   int64  // numbers of the run still to read
	value  uint64 // the value of all of them, if the run is not packed
	packed []byte // nil: the run is not packed
	at     int    // the bits of packed that were read
}

// next returns the next number, or errShort if there is none.
func (r *smallInts) next() (uint64, error) {
	if err := r.begin(); err != nil {
		return 0, err
	}
	r.left--
	if r.packed == nil {
		return r.value, nil
	}
	var eight [8]byte // a number has at most 32 bits, of five bytes
	copy(eight[:], r.packed[r.at/8:])
	v := binary.LittleEndian.Uint64(eight[:]) >> (r.at % 8) & (1<<r.bits - 1)
	r.at += r.bits
	return v, nil
}

// begin goes on to the next run that has a number left.
func (r *smallInts) begin() error {
	for r.left == 0 {
		head, n := binary.Uvarint(r.rest)
		if n <= 0 {
			return errShort
		}
		r.rest = r.rest[n:]
		size := (r.bits + 7) / 8
		if head&1 == 1 { // the bytes of the last group may be cut
			groups := int(min(uint64(len(r.rest)), head>>1))
			size = min(len(r.rest), groups*r.bits)
			r.packed, r.at = r.rest[:size], 0
			r.left = int64(8 * size / r.bits)
		} else if size > len(r.rest) {
			return errShort
		} else {
			var eight [8]byte
			copy(eight[:], r.rest[:size])
			r.packed, r.left = nil, int64(head>>1)
			r.value = binary.LittleEndian.Uint64(eight[:]) & (1<<r.bits - 1)
		}
		r.rest = r.rest[size:]
	}
	return nil
}

// placesIn returns the places in a dictionary that body holds. Its first byte is the number of bits
// of a place.
func placesIn(body []byte) (*smallInts, error) {
	switch {
	case len(body) == 0:
		return &smallInts{}, nil
	case body[0] == 0: // all places are 0
		return &smallInts{left: math.MaxInt64}, nil
	case body[0] > 32:
		return nil, errors.New("places in a dictionary of more than 32 bits")
	}
	return &smallInts{rest: body[1:], bits: int(body[0])}, nil
}
