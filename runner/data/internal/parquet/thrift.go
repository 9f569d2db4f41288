package parquet

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// structLength returns the length of the struct at the beginning of b, in Thrift's compact
// protocol. It refuses every length and every number of items for which b has too few bytes, since
// the library would take memory for them first.
func structLength(b []byte) (int, error) {
	w := &walk{b: b}
	w.structure(0)
	return w.at, w.err
}

// walk passes over the bytes of a struct.
type walk struct {
	b   []byte
	at  int
	err error // the first
}

func (w *walk) pass(n uint64) {
	if n > uint64(len(w.b)-w.at) {
		w.err = io.ErrUnexpectedEOF
		n = 0
	}
	w.at += int(n)
}

func (w *walk) byte() byte {
	if w.pass(1); w.err != nil {
		return 0
	}
	return w.b[w.at-1]
}

func (w *walk) varint() uint64 {
	v, n := binary.Uvarint(w.b[w.at:])
	if n == 0 {
		w.err = io.ErrUnexpectedEOF
	} else if n < 0 {
		w.err = errors.New("a number of too many bytes")
	}
	w.at += max(n, 0)
	return v
}

func (w *walk) structure(depth int) {
	const most = 32 // structs in structs
	if depth > most {
		w.err = errors.New("is nested too deep")
	}
	for w.err == nil {
		head := w.byte()
		if head == 0 {
			return
		}
		if head>>4 == 0 {
			w.varint() // the field's number
		}
		kind := thrift.Type(head & 15)
		if kind != thrift.TRUE && kind != thrift.FALSE { // which are in the head
			w.value(kind, depth)
		}
	}
}

func (w *walk) value(kind thrift.Type, depth int) {
	switch kind {
	case thrift.TRUE, thrift.FALSE, thrift.I8:
		w.pass(1)
	case thrift.I16, thrift.I32, thrift.I64:
		w.varint()
	case thrift.DOUBLE:
		w.pass(8)
	case thrift.BINARY:
		w.pass(w.varint())
	case thrift.LIST, thrift.SET:
		head := w.byte()
		n := uint64(head >> 4)
		if n == 15 {
			n = w.varint()
		}
		w.items(n, depth, thrift.Type(head&15))
	case thrift.MAP:
		if n := w.varint(); n > 0 {
			kinds := w.byte()
			w.items(n, depth, thrift.Type(kinds>>4), thrift.Type(kinds&15))
		}
	case thrift.STRUCT:
		w.structure(depth + 1)
	default:
		w.err = errors.New("an unknown type")
	}
}

// items passes over n items, or n pairs of items. Each item has at least one byte.
func (w *walk) items(n uint64, depth int, kinds ...thrift.Type) {
	if n > uint64(len(w.b)-w.at) {
		w.err = io.ErrUnexpectedEOF
	}
	for ; n > 0 && w.err == nil; n-- {
		for _, kind := range kinds {
			w.value(kind, depth+1)
		}
	}
}
