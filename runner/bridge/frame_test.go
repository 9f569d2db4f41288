package bridge

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"drolab/runner/internal/memory"
)

type message struct {
	Do    string `json:"do"`
	Split string `json:"split,omitempty"`
}

// sent returns a frame as it goes through the pipe.
func sent(t *testing.T, message any, arrays ...Array) []byte {
	t.Helper()
	var pipe bytes.Buffer
	if err := NewConn(nil, &pipe).Send(message, arrays...); err != nil {
		t.Fatal(err)
	}
	return pipe.Bytes()
}

// A message is received as it was sent, to the bit, and a second frame does not disturb it.
func TestRoundTrip(t *testing.T) {
	losses := []float64{0.1, math.Inf(1), math.Copysign(0, -1), math.SmallestNonzeroFloat64}
	pipe := append(sent(t, message{"losses", "train"}, Floats(losses), Ints([]int{3, 0, 7})),
		sent(t, message{Do: "close"})...)
	c := NewConn(bytes.NewReader(pipe), nil)
	var q message
	arrays, err := c.Receive(&q, MostHead, MostBody)
	if err != nil {
		t.Fatalf("Receive: %v", err)
	}
	if want := (message{"losses", "train"}); q != want {
		t.Errorf("Receive: message %v, want %v", q, want)
	}
	if len(arrays) != 2 {
		t.Fatalf("Receive: %d arrays, want 2", len(arrays))
	}
	got, index := make([]float64, 4), make([]int, 3)
	if err := errors.Join(arrays[0].Floats(got), arrays[1].Ints(index, 8)); err != nil {
		t.Fatal(err)
	}
	same := slices.EqualFunc(got, losses, func(a, b float64) bool {
		return math.Float64bits(a) == math.Float64bits(b)
	})
	if !same {
		t.Errorf("Receive: floats %v, want the bits of %v", got, losses)
	}
	if want := []int{3, 0, 7}; !slices.Equal(index, want) {
		t.Errorf("Receive: ints %v, want %v", index, want)
	}
	q = message{}
	arrays, err = c.Receive(&q, MostHead, MostBody)
	if err != nil {
		t.Fatalf("Receive of the second frame: %v", err)
	}
	if q.Do != "close" {
		t.Errorf("Receive of the second frame: %v, want close", q)
	}
	if len(arrays) != 0 {
		t.Errorf("Receive of the second frame: %d arrays, want none", len(arrays))
	}
	if _, err = c.Receive(&q, MostHead, MostBody); err != io.EOF {
		t.Fatalf("Receive at the end = %v, want io.EOF", err)
	}
}

// Arrays are checked when they are read.
func TestArraysAreChecked(t *testing.T) {
	for name, err := range map[string]error{
		"short":      Floats([]float64{1}).Floats(make([]float64, 2)),
		"of ints":    Ints([]int{1}).Floats(make([]float64, 1)),
		"of floats":  Floats([]float64{1}).Ints(make([]int, 1), 9),
		"beyond":     Ints([]int{9}).Ints(make([]int, 1), 9),
		"below zero": Ints([]int{-1}).Ints(make([]int, 1), 9),
	} {
		if err == nil {
			t.Errorf("an array that is %s is read, want an error", name)
		}
	}
}

// Bytes that are no frame end in an error that says so, whatever lengths they declare.
func TestNoFrame(t *testing.T) {
	good := sent(t, message{Do: "losses"}, Floats([]float64{1, 2}))
	changed := func(change func(b []byte) []byte) []byte { return change(slices.Clone(good)) }
	lengths := func(text, body uint32) []byte {
		b := binary.LittleEndian.AppendUint32(nil, text)
		b = binary.LittleEndian.AppendUint32(b, body)
		return binary.LittleEndian.AppendUint32(b, Magic)
	}
	for name, pipe := range map[string][]byte{
		"text":          []byte("Epoch 1: loss 0.3\n"),
		"head too long": lengths(MostHead+1, 0),
		"body too long": append(lengths(31, MostBody+8), `{"arrays":[["f8",134217729]]  }`...),
		"no JSON":       append(lengths(2, 0), "[["...),
		"a list":        append(lengths(2, 0), "[]"...),
		"unknown type": append(lengths(24, 8),
			`{"arrays":[["f2",4]]   }12345678`...),
		"less than nothing": append(lengths(24, 8),
			`{"arrays":[["f8",-1]]  }12345678`...),
		"body too short": changed(func(b []byte) []byte { b[4]--; return b }),
	} {
		var q message
		_, err := NewConn(bytes.NewReader(pipe), nil).Receive(&q, MostHead, MostBody)
		if !errors.Is(err, errFormat) {
			t.Errorf("%s: Receive = %v, want an errFormat", name, err)
		}
	}
	for n := 1; n < len(good); n++ {
		var q message
		_, err := NewConn(bytes.NewReader(good[:n]), nil).Receive(&q, MostHead, MostBody)
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("cut to %d bytes: Receive = %v, want io.ErrUnexpectedEOF", n, err)
		}
	}
}

// A frame beyond the limits is not sent.
func TestTooLong(t *testing.T) {
	q := message{Do: strings.Repeat("x", MostHead)}
	if err := NewConn(nil, io.Discard).Send(q); err == nil {
		t.Fatal("Send of a head beyond MostHead = nil, want an error")
	}
}

// unread is the rest of a pipe, of which nothing may be read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the rest is read")
	return 0, io.ErrNoProgress
}

// announced is a message that tells how many numbers follow.
type announced struct{ N int }

func (c *announced) MostBody() int { return 8 * c.N }

// A frame that is longer than its reader expects is refused before the part that is too long is
// read.
func TestUnexpectedLength(t *testing.T) {
	usual := sent(t, message{Do: "losses"}, Floats(make([]float64, 100)))
	head := usual[:len(usual)-800]
	n := len(head) - prefixSize
	told := sent(t, announced{99}, Floats(make([]float64, 100)))
	for want, c := range map[string]struct {
		pipe       []byte
		message    any
		head, body int
	}{
		fmt.Sprintf("its head has %d bytes: expected at most %d", n, n-1): {head[:prefixSize],
			&message{}, n - 1, 800},
		"its body has 800 bytes: expected at most 799": {head, &message{}, MostHead, 799},
		"its body has 800 bytes: expected at most 792": {told[:len(told)-800], &announced{},
			MostHead, MostBody},
	} {
		conn := NewConn(io.MultiReader(bytes.NewReader(c.pipe), unread{t}), nil)
		_, err := conn.Receive(c.message, c.head, c.body)
		if !errors.Is(err, errFormat) || !strings.Contains(err.Error(), want) {
			t.Errorf("Receive = %v, want an errFormat with %q", err, want)
		}
	}
	if _, err := NewConn(bytes.NewReader(usual), nil).Receive(&message{}, n, 800); err != nil {
		t.Errorf("Receive of a frame that is just short enough: %v", err)
	}
}

// The memory of a long frame is on the ledger while its arrays are valid, and is then given back. A
// frame for which the ledger has no room is refused before its body is read.
func TestLedger(t *testing.T) {
	if _, known := memory.Free(); !known {
		t.Skip("the free memory is not known on this system")
	}
	const n = mostKept/8 + 1
	long := sent(t, message{Do: "losses"}, Floats(make([]float64, n)))
	short := sent(t, message{Do: "close"})
	var promised []*memory.Share
	release := func() {
		for _, s := range promised {
			s.Release()
		}
	}
	defer release()
	var lack *memory.Error
	var err error
	for range 100 { // other processes of the machine give memory back meanwhile
		for bytes := float64(1 << 50); bytes > mostKept/4; bytes /= 2 { // all but mostKept/2 bytes
			if s, err := memory.Reserve(t.Context(), bytes, "this test"); err == nil {
				promised = append(promised, s)
			}
		}
		body := iotest.ErrReader(io.ErrNoProgress)
		conn := NewConn(io.MultiReader(bytes.NewReader(long[:len(long)-8*n]), body), nil)
		if _, err = conn.Receive(&message{}, MostHead, MostBody); errors.As(err, &lack) {
			break
		}
	}
	if lack == nil {
		t.Errorf("Receive without memory = %v, want a memory.Error", err)
	}
	release()
	promised = nil
	conn := NewConn(bytes.NewReader(append(long, short...)), io.Discard)
	arrays, err := conn.Receive(&message{}, MostHead, MostBody)
	if err != nil {
		t.Fatalf("Receive of a long frame: %v", err)
	}
	if len(arrays) != 1 {
		t.Fatalf("Receive of a long frame: %d arrays, want 1", len(arrays))
	}
	if got := arrays[0].Len(); got != n {
		t.Errorf("Receive of a long frame: %d numbers, want %d", got, n)
	}
	share := conn.long
	if share == nil {
		t.Fatal("the ledger has no share of the long frame")
	}
	if got := share.Bytes(); got < 8*n {
		t.Errorf("the ledger has %v bytes of the long frame, want %d or more", got, 8*n)
	}
	if _, err := conn.Receive(&message{}, MostHead, MostBody); err != nil {
		t.Errorf("Receive of the frame behind it: %v", err)
	}
	if got := share.Bytes(); got != 0 {
		t.Errorf("the ledger has %v bytes of a frame that is past, want 0", got)
	}
	if got := cap(conn.body); got > mostKept {
		t.Errorf("%d bytes are kept for the next body, want at most %d", got, mostKept)
	}
	if err := conn.Send(message{}, Floats(make([]float64, n))); err != nil {
		t.Errorf("Send of a long frame: %v", err)
	}
	if got := cap(conn.sent); got > mostKept {
		t.Errorf("%d bytes are kept for the next frame to send, want at most %d", got, mostKept)
	}
}

// FuzzReceive holds that no input makes a reader panic, or read a frame that is longer than it
// expects.
func FuzzReceive(f *testing.F) {
	f.Add([]byte("Epoch 1: loss 0.3\n"))
	var pipe bytes.Buffer
	NewConn(nil, &pipe).Send(message{Do: "losses"}, Floats([]float64{1, 2}))
	f.Add(pipe.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		c := NewConn(bytes.NewReader(b), nil)
		for {
			var q message
			arrays, err := c.Receive(&q, 1<<10, 1<<16)
			if err != nil {
				return
			}
			if cap(c.text) > 1<<10 || cap(c.body) > 1<<16 {
				t.Fatalf("a head of %d bytes and a body of %d are read, want at most %d and %d",
					cap(c.text), cap(c.body), 1<<10, 1<<16)
			}
			for _, a := range arrays {
				a.Floats(make([]float64, a.Len()))
				a.Ints(make([]int, a.Len()), 10)
			}
		}
	})
}

func BenchmarkRoundTrip(b *testing.B) {
	losses := Floats(make([]float64, 128))
	for b.Loop() {
		var pipe bytes.Buffer
		c := NewConn(&pipe, &pipe)
		c.Send(message{"losses", "train"}, losses)
		var q message
		if _, err := c.Receive(&q, MostHead, MostBody); err != nil {
			b.Fatal(err)
		}
	}
}
