package parquet

import (
	"errors"
	"fmt"
	"io"
)

// The kinds of values in Thrift's compact protocol, as far as they are told apart.
const (
	isTrue   = 1
	isFalse  = 2
	isByte   = 3
	isDouble = 7
	isBinary = 8
	isList   = 9
	isSet    = 10
	isMap    = 11
	isStruct = 12
)

// thrift reads the compact protocol. After its first error it reads nothing but zeros
// and ends of structs.
type thrift struct {
	in    io.ByteReader
	left  int // bytes that may be read
	made  int // columns and chunks so far
	depth int
	err   error
}

var errLong = errors.New("a header is longer than it may be")

func (t *thrift) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

func (t *thrift) byte() byte {
	if t.left--; t.left < 0 {
		t.fail(errLong)
	}
	if t.err != nil {
		return 0
	}
	b, err := t.in.ReadByte()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		t.fail(err)
		return 0
	}
	return b
}

func (t *thrift) varint() (n uint64) {
	for shift := 0; shift < 64; shift += 7 {
		b := t.byte()
		if n |= uint64(b&0x7f) << shift; b < 0x80 {
			return n
		}
	}
	t.fail(errors.New("a number of too many bytes"))
	return 0
}

// int is a number of 16, 32 or 64 bits.
func (t *thrift) int() int64 {
	n := t.varint()
	return int64(n>>1) ^ -int64(n&1)
}

// text is a string or binary.
func (t *thrift) text() string {
	n := t.varint()
	if n > uint64(max(0, t.left)) {
		t.fail(errLong)
		return ""
	}
	b := make([]byte, 0, min(n, 1<<12))
	for range n {
		b = append(b, t.byte())
	}
	return string(b)
}

// fields calls do with every field of a struct; it reads the field, or skips it.
func (t *thrift) fields(do func(id int, kind byte)) {
	if t.depth++; t.depth > 32 {
		t.fail(errors.New("headers within headers within headers"))
	}
	id := 0
	for t.err == nil {
		head := t.byte()
		if head == 0 {
			break
		}
		if delta := int(head >> 4); delta > 0 {
			id += delta
		} else {
			id = int(t.int())
		}
		do(id, head&0xf)
	}
	t.depth--
}

// list calls do for every element.
func (t *thrift) list(do func(kind byte)) {
	head := t.byte()
	n := uint64(head >> 4)
	if n == 15 {
		n = t.varint()
	}
	if n > uint64(max(0, t.left)) { // an element has a byte at least
		t.fail(fmt.Errorf("a list of %d elements in %d bytes", n, t.left))
	}
	for range n {
		if t.err != nil {
			return
		}
		do(head & 0xf)
	}
}

// make counts what is kept, which takes more memory than the bytes that say so.
func (t *thrift) make() {
	const most = 1 << 21
	if t.made++; t.made > most {
		t.fail(fmt.Errorf("more than %d columns and chunks of them", most))
	}
}

// skip passes over a value.
func (t *thrift) skip(kind byte) {
	switch kind {
	case isTrue, isFalse: // of a field: there is nothing more
	case isByte:
		t.byte()
	case isDouble:
		for range 8 {
			t.byte()
		}
	case isBinary:
		n := t.varint()
		for i := uint64(0); i < n && t.err == nil; i++ {
			t.byte()
		}
	case isList, isSet:
		t.list(t.skipElement)
	case isMap:
		t.skipMap()
	case isStruct:
		t.fields(func(_ int, kind byte) { t.skip(kind) })
	default:
		t.varint()
	}
}

// skipElement passes over one of a list, where a flag takes a byte.
func (t *thrift) skipElement(kind byte) {
	if kind == isTrue || kind == isFalse {
		kind = isByte
	}
	t.skip(kind)
}

func (t *thrift) skipMap() {
	n := t.varint()
	if n == 0 {
		return
	}
	kinds := t.byte()
	for i := uint64(0); i < n && t.err == nil; i++ {
		t.skipElement(kinds >> 4)
		t.skipElement(kinds & 0xf)
	}
}
