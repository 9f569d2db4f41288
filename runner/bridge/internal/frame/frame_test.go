package frame

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

type question struct {
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
	pipe := append(sent(t, question{"losses", "train"}, Floats(losses), Ints([]int{3, 0, 7})),
		sent(t, question{Do: "close"})...)
	c := NewConn(bytes.NewReader(pipe), nil)
	var q question
	arrays, err := c.Receive(&q)
	if err != nil || q != (question{"losses", "train"}) || len(arrays) != 2 {
		t.Fatalf("%v %v %d arrays", err, q, len(arrays))
	}
	got, index := make([]float64, 4), make([]int, 3)
	if err := errors.Join(arrays[0].Floats(got), arrays[1].Ints(index, 8)); err != nil {
		t.Fatal(err)
	}
	same := slices.EqualFunc(got, losses, func(a, b float64) bool {
		return math.Float64bits(a) == math.Float64bits(b)
	})
	if !same || !slices.Equal(index, []int{3, 0, 7}) {
		t.Fatalf("%v %v", got, index)
	}
	q = question{}
	if arrays, err = c.Receive(&q); err != nil || q.Do != "close" || len(arrays) != 0 {
		t.Fatalf("%v %v %d arrays", err, q, len(arrays))
	}
	if _, err = c.Receive(&q); err != io.EOF {
		t.Fatalf("at the end: %v", err)
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
			t.Error(name, "is taken")
		}
	}
}

// Bytes that are no frame end in an error that says so, whatever lengths they declare.
func TestNoFrame(t *testing.T) {
	good := sent(t, question{Do: "losses"}, Floats([]float64{1, 2}))
	changed := func(change func(b []byte) []byte) []byte { return change(slices.Clone(good)) }
	lengths := func(text, body uint32) []byte {
		b := binary.LittleEndian.AppendUint32(nil, text)
		b = binary.LittleEndian.AppendUint32(b, body)
		return binary.LittleEndian.AppendUint32(b, Magic)
	}
	for name, pipe := range map[string][]byte{
		"text":          []byte("Epoch 1: loss 0.3\n"),
		"head too long": lengths(MostHead+1, 0),
		"body too long": lengths(2, MostBody+1),
		"no JSON":       append(lengths(2, 0), "[["...),
		"a list":        append(lengths(2, 0), "[]"...),
		"unknown type": append(lengths(24, 8),
			`{"arrays":[["f2",4]]   }12345678`...),
		"less than nothing": append(lengths(24, 8),
			`{"arrays":[["f8",-1]]  }12345678`...),
		"body too short": changed(func(b []byte) []byte { b[4]--; return b }),
	} {
		var q question
		if _, err := NewConn(bytes.NewReader(pipe), nil).Receive(&q); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for n := 1; n < len(good); n++ {
		var q question
		_, err := NewConn(bytes.NewReader(good[:n]), nil).Receive(&q)
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	}
}

// A frame beyond the limits is not sent.
func TestTooLong(t *testing.T) {
	q := question{Do: strings.Repeat("x", MostHead)}
	if err := NewConn(nil, io.Discard).Send(q); err == nil {
		t.Fatal("it is sent")
	}
}

// FuzzReceive holds that no input makes a reader allocate memory for bytes that are not there, or
// panic.
func FuzzReceive(f *testing.F) {
	f.Add([]byte("Epoch 1: loss 0.3\n"))
	var pipe bytes.Buffer
	NewConn(nil, &pipe).Send(question{Do: "losses"}, Floats([]float64{1, 2}))
	f.Add(pipe.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		c := NewConn(bytes.NewReader(b), nil)
		for {
			var q question
			arrays, err := c.Receive(&q)
			if err != nil {
				return
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
		c.Send(question{"losses", "train"}, losses)
		var q question
		if _, err := c.Receive(&q); err != nil {
			b.Fatal(err)
		}
	}
}
