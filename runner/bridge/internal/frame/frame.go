// Package frame carries the messages of docs/protocol.md over a pair of pipes: a small
// JSON head and raw arrays of numbers, so that no float goes through text.
//
// A frame is three little-endian uint32 (the bytes of the head, the bytes of the body, and Magic),
// the head, and the body. The body is the arrays of the head, one behind the other. Both sides
// trust nothing that they read: they check a length against its limit before they allocate memory,
// and against the arrays that the head declares.
package frame

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// Magic follows the two lengths at the start of every frame: "dro1". It distinguishes a program
// that speaks the protocol from one that prints into the pipe.
const Magic = 0x316f7264

// MostHead and MostBody limit a frame, in bytes.
const (
	MostHead = 1 << 20
	MostBody = 1 << 30
)

// lengths is the number of bytes before the head.
const lengths = 12

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
}

// Len returns the number of elements.
func (a Array) Len() int { return len(a.Raw) / sizes[a.Type] }

// head holds the member of a head that the protocol itself reads; the message has the others.
type head struct {
	Arrays []declared `json:"arrays"`
}

// declared is the type and the number of elements of an array, as ["f8", 128].
type declared struct {
	kind string
	n    int
}

// UnmarshalJSON reads a declaration by hand. Declarations are in every message of a step, and
// decoding them into a list of any is half of the cost of a message.
func (d *declared) UnmarshalJSON(b []byte) (err error) {
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

	begin [lengths]byte // start of the frame under way
}

// NewConn returns a connection over two pipes.
func NewConn(in io.Reader, out io.Writer) *Conn {
	return &Conn{in: bufio.NewReaderSize(soon(in), 1<<16), out: out}
}

// Send writes a message as one frame. The message is a struct or map that makes a JSON object; it
// must not have a member "arrays". The error is the pipe's, or says that the frame exceeds the
// limits.
func (c *Conn) Send(message any, arrays ...Array) error {
	text, err := json.Marshal(message)
	if err != nil {
		return err
	}
	b := append(c.sent[:0], make([]byte, lengths)...)
	b = declare(append(b, text...), arrays)
	head, body := len(b)-lengths, 0
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
	c.sent = b
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

// ErrFormat is wrapped by the errors about input that is not a frame of the protocol.
var ErrFormat = errors.New("not a frame of the protocol")

// Receive reads a frame. It decodes the head into message and returns the arrays, which are valid
// until the next Receive. The error is io.EOF at the end of the pipe between two frames, and an
// ErrFormat if the input is no frame.
func (c *Conn) Receive(message any) ([]Array, error) {
	if _, err := io.ReadFull(c.in, c.begin[:]); err != nil {
		return nil, err
	}
	text := binary.LittleEndian.Uint32(c.begin[:])
	body := binary.LittleEndian.Uint32(c.begin[4:])
	if m := binary.LittleEndian.Uint32(c.begin[8:]); m != Magic {
		return nil, fmt.Errorf("%w: it begins with %q", ErrFormat, c.begin[:])
	}
	if text > MostHead || body > MostBody {
		return nil, fmt.Errorf("%w: it declares %d and %d bytes", ErrFormat, text, body)
	}
	var err error
	if c.text, err = read(c.in, c.text, int(text)); err != nil {
		return nil, err
	}
	var h head
	if err := json.Unmarshal(c.text, &h); err != nil {
		return nil, fmt.Errorf("%w: its head: %w", ErrFormat, err)
	}
	if err := json.Unmarshal(c.text, message); err != nil {
		return nil, fmt.Errorf("%w: its head: %w", ErrFormat, err)
	}
	arrays, err := h.split(int(body))
	if err != nil {
		return nil, err
	}
	if c.body, err = read(c.in, c.body, int(body)); err != nil {
		return nil, err
	}
	rest := c.body
	for i, a := range arrays {
		n := h.Arrays[i].n * sizes[a.Type]
		arrays[i].Raw, rest = rest[:n:n], rest[n:]
	}
	return arrays, nil
}

// split checks that the declared arrays of a head fill a body of so many bytes.
func (h *head) split(body int) ([]Array, error) {
	arrays, sum := make([]Array, len(h.Arrays)), 0
	for i, d := range h.Arrays {
		size, known := sizes[d.kind]
		if !known || d.n < 0 || d.n > MostBody/size {
			return nil, fmt.Errorf("%w: array %d is %d elements of type %.10q",
				ErrFormat, i, d.n, d.kind)
		}
		arrays[i].Type = d.kind
		sum += d.n * size
	}
	if sum != body {
		return nil, fmt.Errorf("%w: its arrays take %d bytes and its body has %d",
			ErrFormat, sum, body)
	}
	return arrays, nil
}

// read reads n bytes into the memory of b. The memory grows with the bytes that have come, not with
// the number that is declared.
func read(r io.Reader, b []byte, n int) ([]byte, error) {
	const step = 1 << 20
	b = b[:0]
	for len(b) < n {
		from := len(b)
		part := min(n-from, step)
		if cap(b) < from+part {
			b = append(make([]byte, 0, max(2*cap(b), from+part)), b...)
		}
		b = b[:from+part]
		if _, err := io.ReadFull(r, b[from:]); err != nil {
			return nil, fmt.Errorf("a frame is cut short: %w", noEnd(err))
		}
	}
	return b, nil
}

// noEnd distinguishes the end of a pipe within a frame from its end between two frames.
func noEnd(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Floats returns an array of float64.
func Floats(values []float64) Array {
	raw := make([]byte, 0, 8*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
	}
	return Array{Float64, raw}
}

// Ints returns an array of int64.
func Ints(values []int) Array {
	raw := make([]byte, 0, 8*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	return Array{Int64, raw}
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

// Ints fills into with the values of an array of whole numbers of either width. Another type,
// another length, or a number outside of [0, below) is an error.
func (a Array) Ints(into []int, below int) error {
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
			return fmt.Errorf("element %d is %d: want 0 to %d", i, v, below-1)
		}
		into[i] = int(v)
	}
	return nil
}
