package bridge

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime/debug"
	"strconv"

	"drolab/runner/internal/memory"
)

// A frame carries a message of docs/protocol.md over a pipe. It is three little-endian uint32 (the
// bytes of the head, the bytes of the body, and Magic), the head, which is a small JSON object, and
// the body. The body is the arrays of the head, one behind the other, so that no float goes through
// text. Both sides trust nothing that they read: they check a length against the arrays that the
// head declares and against what the reader expects, and ask the ledger of memory before they
// allocate much.

// Magic follows the two lengths at the start of every frame: "dro1". It distinguishes a program
// that speaks the protocol from one that prints into the pipe.
const Magic = 0x316f7264

// MostHead and MostBody limit a frame, in bytes. UsualHead is the limit of a head that describes
// nothing: it has room for the names of 64 values and for an error.
const (
	MostHead  = 1 << 20
	MostBody  = 1 << 30
	UsualHead = 1 << 16
)

// mostKept is the number of bytes up to which the memory of a frame is kept for the next one.
const mostKept = 4 << 20

// prefixSize is the number of bytes before the head.
const prefixSize = 12

// The types of an array's elements, as NumPy writes them without the byte order.
const (
	Float64 = "f8"
	Float32 = "f4"
	Int64   = "i8"
	Int32   = "i4"
)

// sizes are the sizes of the elements of each type, in bytes.
var sizes = map[string]int{Float64: 8, Float32: 4, Int64: 8, Int32: 4}

// Array holds numbers of one type in their raw form.
type Array struct {
	Type string // one of the types above
	Raw  []byte // little-endian

	bySample bool // it has a number for each sample, which several processes share out
}

// Len returns the number of elements.
func (a Array) Len() int { return len(a.Raw) / sizes[a.Type] }

// layout holds the member of a head that the protocol itself reads; the message has the others.
type layout struct {
	Arrays []declaration `json:"arrays"`
}

// declaration is the type and the number of elements of an array, as ["f8", 128].
type declaration struct {
	kind string
	n    int
}

// UnmarshalJSON reads a declaration by hand. Declarations are in every message of a step, and
// decoding them into a list of any is half of the cost of a message.
func (d *declaration) UnmarshalJSON(b []byte) (err error) {
	kind, n, found := bytes.Cut(bytes.Trim(b, "[] \n"), []byte(","))
	if !found {
		return fmt.Errorf("%.40q is not a type and a number", b)
	}
	if d.kind, err = strconv.Unquote(string(bytes.TrimSpace(kind))); err != nil {
		return fmt.Errorf("%.40q is not a type", kind)
	}
	d.n, err = strconv.Atoi(string(bytes.TrimSpace(n)))
	return err
}

// Conn sends and receives frames. One goroutine may use Send while another uses Receive.
type Conn struct {
	in   *bufio.Reader
	out  io.Writer
	sent []byte // the memory of the last frame sent
	body []byte // the memory of the last frame received
	text []byte
	long *memory.Share // of a body that is not kept; nil: there is none

	begin [prefixSize]byte // start of the frame under way
}

// NewConn returns a connection over two pipes.
func NewConn(in io.Reader, out io.Writer) *Conn {
	return &Conn{in: bufio.NewReaderSize(newPollingReader(in), 1<<16), out: out}
}

// Send writes a message as one frame. The message is a struct or map that makes a JSON object; it
// must not have a member "arrays". The error is the pipe's, or says that the frame exceeds the
// limits.
func (c *Conn) Send(message any, arrays ...Array) error {
	text, err := json.Marshal(message)
	if err != nil {
		return err
	}
	b := append(c.sent[:0], make([]byte, prefixSize)...)
	b = declare(append(b, text...), arrays)
	head, body := len(b)-prefixSize, 0
	for _, a := range arrays {
		body += len(a.Raw)
	}
	if head > MostHead || body > MostBody {
		return fmt.Errorf("a frame of %d and %d bytes: at most %d and %d", head, body,
			MostHead, MostBody)
	}
	binary.LittleEndian.PutUint32(b, uint32(head))
	binary.LittleEndian.PutUint32(b[4:], uint32(body))
	binary.LittleEndian.PutUint32(b[8:], Magic)
	for _, a := range arrays {
		b = append(b, a.Raw...)
	}
	if cap(b) <= mostKept {
		c.sent = b
	}
	_, err = c.out.Write(b)
	return err
}

// declare adds the member "arrays" to the JSON object that b ends with.
func declare(b []byte, arrays []Array) []byte {
	if len(arrays) == 0 {
		return b
	}
	b = b[:len(b)-1]
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	b = append(b, `"arrays":[`...)
	for i, a := range arrays {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '[')
		b = strconv.AppendInt(append(strconv.AppendQuote(b, a.Type), ','), int64(a.Len()), 10)
		b = append(b, ']')
	}
	return append(b, "]}"...)
}

// errFormat is wrapped by the errors about input that is not a frame of the protocol.
var errFormat = errors.New("not a frame of the protocol")

// bodyLimiter is a message whose head, once it is read, tells how long its body may be.
type bodyLimiter interface{ MostBody() int }

// Receive reads a frame whose head and body have at most these numbers of bytes. It decodes the
// head into message and returns the arrays, which are valid until the next Receive. A frame that is
// too long, also by what a bodyLimiter says, or too long for the machine's memory, is refused
// before its body is read. The error is io.EOF at the end of the pipe between two frames, and an
// errFormat if the input is no frame.
func (c *Conn) Receive(message any, mostHead, mostBody int) ([]Array, error) {
	c.Forget()
	if _, err := io.ReadFull(c.in, c.begin[:]); err != nil {
		return nil, err
	}
	text := binary.LittleEndian.Uint32(c.begin[:])
	body := binary.LittleEndian.Uint32(c.begin[4:])
	if m := binary.LittleEndian.Uint32(c.begin[8:]); m != Magic {
		return nil, fmt.Errorf("%w: it begins with %q", errFormat, c.begin[:])
	}
	if err := c.read("head", &c.text, text, mostHead); err != nil {
		return nil, err
	}
	var h layout
	if err := json.Unmarshal(c.text, &h); err != nil {
		return nil, fmt.Errorf("%w: its head: %w", errFormat, err)
	}
	if err := json.Unmarshal(c.text, message); err != nil {
		return nil, fmt.Errorf("%w: its head: %w", errFormat, err)
	}
	arrays, err := h.split(int(body))
	if err != nil {
		return nil, err
	}
	if s, ok := message.(bodyLimiter); ok {
		mostBody = min(mostBody, s.MostBody())
	}
	if err := c.read("body", &c.body, body, mostBody); err != nil {
		return nil, err
	}
	rest := c.body
	for i, a := range arrays {
		n := h.Arrays[i].n * sizes[a.Type]
		arrays[i].Raw, rest = rest[:n:n], rest[n:]
	}
	return arrays, nil
}

// Forget gives the memory of a long frame back to the system. Its arrays are then no longer valid.
func (c *Conn) Forget() {
	if c.long == nil {
		return
	}
	c.body = nil
	debug.FreeOSMemory() // before others are promised it
	c.long.Release()
	c.long = nil
}

// split checks that the declared arrays of a head fill a body of so many bytes.
func (h *layout) split(body int) ([]Array, error) {
	arrays, sum := make([]Array, len(h.Arrays)), 0
	for i, d := range h.Arrays {
		size, known := sizes[d.kind]
		if !known || d.n < 0 || d.n > MostBody/size {
			return nil, fmt.Errorf("%w: array %d is %d elements of type %.10q",
				errFormat, i, d.n, d.kind)
		}
		arrays[i].Type = d.kind
		sum += d.n * size
	}
	if sum != body {
		return nil, fmt.Errorf("%w: its arrays take %d bytes and its body has %d",
			errFormat, sum, body)
	}
	return arrays, nil
}

// read reads the n bytes of a part of a frame into the memory of b, or into new memory if b has too
// little. It reads none if they are more than most, or more than the machine has room for.
func (c *Conn) read(part string, b *[]byte, n uint32, most int) (err error) {
	if int64(n) > int64(most) {
		return fmt.Errorf("%w: its %s has %d bytes: expected at most %d", errFormat, part, n, most)
	}
	if n > mostKept { // the second half is for what the reader makes of it
		c.long, err = memory.Reserve(context.Background(), 2*float64(n), "what it sends")
		if err != nil {
			return err
		}
	}
	if cap(*b) < int(n) {
		*b = make([]byte, n)
	}
	*b = (*b)[:n]
	_, err = io.ReadFull(c.in, *b)
	if err == io.EOF { // within a frame
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("a frame is cut short: %w", err)
	}
	return nil
}

// Floats returns an array of float64.
func Floats(values []float64) Array { return words(Float64, values, math.Float64bits) }

// Ints returns an array of int64.
func Ints(values []int) Array {
	return words(Int64, values, func(v int) uint64 { return uint64(v) })
}

// words returns an array of numbers of eight bytes.
func words[T float64 | int](kind string, values []T, bits func(T) uint64) Array {
	raw := make([]byte, 0, 8*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, bits(v))
	}
	return Array{Type: kind, Raw: raw}
}

// each returns an array that has a number for each sample.
func (a Array) each() Array {
	a.bySample = true
	return a
}

// Floats fills into with the values of an array of floats of either width. Another type or another
// length is an error.
func (a Array) Floats(into []float64) error {
	switch {
	case a.Len() != len(into) || a.Type != Float64 && a.Type != Float32:
		return fmt.Errorf("%d elements of type %s where %d floats belong", a.Len(), a.Type,
			len(into))
	case a.Type == Float64:
		for i := range into {
			into[i] = math.Float64frombits(binary.LittleEndian.Uint64(a.Raw[8*i:]))
		}
	default:
		for i := range into {
			into[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(a.Raw[4*i:])))
		}
	}
	return nil
}

// Ints is readWhole for ints.
func (a Array) Ints(into []int, below int) error { return readWhole(a, into, below) }

// outsideError says that a number is not in [0, below).
type outsideError struct {
	element int
	value   int64
	below   int
}

// Error implements error.
func (e *outsideError) Error() string {
	return fmt.Sprintf("element %d is %d: expected 0 to %d", e.element, e.value, e.below-1)
}

// readWhole fills into with the values of an array of whole numbers of either width. Another type,
// another length, or a number outside of [0, below) is an error, the last an *outsideError.
func readWhole[T int | int32](a Array, into []T, below int) error {
	if a.Len() != len(into) || a.Type != Int64 && a.Type != Int32 {
		return fmt.Errorf("%d elements of type %s where %d whole numbers belong", a.Len(),
			a.Type, len(into))
	}
	for i := range into {
		v := int64(0)
		if a.Type == Int64 {
			v = int64(binary.LittleEndian.Uint64(a.Raw[8*i:]))
		} else {
			v = int64(int32(binary.LittleEndian.Uint32(a.Raw[4*i:])))
		}
		if v < 0 || v >= int64(below) {
			return &outsideError{i, v, below}
		}
		into[i] = T(v)
	}
	return nil
}
