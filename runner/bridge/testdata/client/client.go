// Package client is docs/protocol.md from the program's side, in Go.
package client

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"drolab/runner/bridge"
)

// Model is what a program trains. Samples are places in a split.
type Model interface {
	// Hello says what the program has: the members and arrays of the answer.
	Hello(Question) (answer map[string]any, arrays []bridge.Array, err error)
	SetMode(mode string)
	Losses(split string, epoch uint64, index []int) []float64
	Outputs(want string) bridge.Array
	Gradient(weights []float64, add bool)
	Norm() float64
	Step(rule []float64) (norm float64, skipped bool)
	Accumulate(rule []float64) (norm, velocity float64)
	Advance(rate float64)
	Restart()
	Pick()
	Swap()
	Save(folder string) error
	Load(folder string) error
}

// Logger is a Model that has values of its own: since it was asked last.
type Logger interface {
	Logged() (names []string, values []float64)
}

// Shower is a Model that shows its last layer, and the inputs of that layer for the samples of the
// last losses.
type Shower interface {
	Features() bridge.Array
	Layer() (weights, biases []float64)
	SetLayer(weights, biases []float64)
}

// Question is a message of drolab's: the members of all of them.
type Question struct {
	Do        string         `json:"do"`
	Purpose   string         `json:"purpose"`
	Settings  map[string]any `json:"settings"`
	Arguments []string       `json:"arguments"`
	Seed      uint64         `json:"seed"`
	Batch     int            `json:"batch"`
	Threads   int            `json:"threads"`
	Mode      string         `json:"mode"`
	Split     string         `json:"split"`
	Epoch     uint64         `json:"epoch"`
	Want      []string       `json:"want"`
	Add       bool           `json:"add"`
	Folder    string         `json:"folder"`
}

// Pipes connects to drolab.
func Pipes() (*bridge.Conn, error) {
	var in, out uintptr
	if n, _ := fmt.Sscanf(os.Getenv("DROLAB_PIPES"), "%d,%d", &in, &out); n != 2 {
		return nil, errors.New("drolab starts this program: drolab run PROGRAM")
	}
	return bridge.NewConn(os.NewFile(in, "questions"), os.NewFile(out, "answers")), nil
}

// Main answers questions until drolab wants no more, or is gone.
func Main(c *bridge.Conn, m Model) error {
	for {
		var q Question
		arrays, err := c.Receive(&q, bridge.MostHead, bridge.MostBody)
		if err != nil || q.Do == "close" {
			return err
		}
		head, list, silent, err := answer(m, &q, arrays)
		if l, ok := m.(Logger); ok && !silent && err == nil {
			if names, values := l.Logged(); len(names) > 0 {
				head["log"], list = names, append(list, bridge.Floats(values))
			}
		}
		switch {
		case err != nil:
			err = c.Send(map[string]any{"error": strings.TrimSpace(err.Error())})
		case !silent:
			err = c.Send(head, list...)
		}
		if err != nil {
			return err
		}
	}
}

// answer does what is asked.
func answer(m Model, q *Question, arrays []bridge.Array) (
	head map[string]any, list []bridge.Array, silent bool, err error,
) {
	var numbers []float64
	var index []int
	if len(arrays) > 0 && arrays[0].Type == bridge.Float64 {
		numbers = make([]float64, arrays[0].Len())
		err = arrays[0].Floats(numbers)
	} else if len(arrays) > 0 {
		index = make([]int, arrays[0].Len())
		err = arrays[0].Ints(index, 1<<31)
	}
	if err != nil {
		return nil, nil, false, err
	}
	head = map[string]any{}
	floats := func(x ...float64) { list = append(list, bridge.Floats(x)) }
	switch q.Do {
	case "hello":
		head, list, err = m.Hello(*q)
	case "mode":
		m.SetMode(q.Mode)
		silent = true
	case "next": // this program reads nothing ahead
		silent = true
	case "losses":
		floats(m.Losses(q.Split, q.Epoch, index)...)
	case "outputs":
		for _, want := range q.Want {
			list = append(list, m.Outputs(want))
		}
	case "features":
		list = append(list, m.(Shower).Features())
	case "layer":
		l := m.(Shower)
		if len(arrays) == 2 {
			biases := make([]float64, arrays[1].Len())
			if err = arrays[1].Floats(biases); err == nil {
				l.SetLayer(numbers, biases)
			}
		}
		weights, biases := l.Layer()
		floats(weights...)
		floats(biases...)
	case "gradient":
		m.Gradient(numbers, q.Add)
		silent = true
	case "norm":
		floats(m.Norm())
	case "step":
		norm, skipped := m.Step(numbers)
		head["skipped"] = skipped
		floats(norm)
	case "accumulate":
		norm, velocity := m.Accumulate(numbers)
		floats(norm, velocity)
	case "advance":
		m.Advance(numbers[0])
	case "restart":
		m.Restart()
	case "pick":
		m.Pick()
	case "swap":
		m.Swap()
	case "save":
		err = m.Save(q.Folder)
	case "load":
		err = m.Load(q.Folder)
	default:
		err = fmt.Errorf("%q is no question of this version", q.Do)
	}
	return head, list, silent, err
}
