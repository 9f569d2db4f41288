package bridge_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"drolab/dro/nn"
	"drolab/dro/testsize"
	"drolab/runner/bridge"
	"drolab/runner/bridge/testdata/client"
	"drolab/runner/data/loader"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// mutator changes bytes of one of the writes that pass through it.
type mutator struct {
	io.Writer
	rng   *rand.Rand
	left  int // writes up to the changed one
	limit int
}

func (m *mutator) Write(b []byte) (int, error) {
	if m.left--; m.left == 0 {
		b = append([]byte(nil), b...)
		switch m.rng.IntN(4) {
		case 0: // cut short, or with bytes inserted
			b = b[:m.rng.IntN(len(b))]
		case 1:
			at := m.rng.IntN(len(b))
			b = slices.Concat(b[:at], make([]byte, 1+m.rng.IntN(40)), b[at:])
		default:
			for range 1 + m.rng.IntN(4) {
				b[m.rng.IntN(min(len(b), m.limit))] = byte(m.rng.Uint32())
			}
		}
	}
	n := len(b)
	m.Writer.Write(b)
	return n, nil
}

// wired returns a conversation with a program that is a goroutine. The program's messages pass
// through say, and drolab's messages to it through hear. over waits for its end and returns the
// error.
func wired(t testing.TB, say, hear func(io.Writer) io.Writer) (
	n *bridge.Network, over func() error,
) {
	said, says, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	told, tells, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	gone := make(chan struct{})
	go func() {
		err := client.Main(bridge.NewConn(told, say(says)), &client.Table{Samples: 64})
		told.Close()
		says.Close()
		close(gone)
		ended <- err
	}()
	s := spec.Defaults()
	s.Batch, s.ProgramPatience = 32, .02
	start := bridge.Start{Program: spec.Program{Path: "/table"}, Spec: &s,
		Purpose: bridge.Training}
	return bridge.Wired(start, said, tells, hear(tells), gone), func() error {
		tells.Close()
		err := <-ended
		said.Close()
		return err
	}
}

// converse is a small run: it asks each kind of question, whatever the answers are.
func converse(n *bridge.Network) {
	d := n.Hello()
	if d == nil {
		return
	}
	o := loader.Options{Batch: 32}
	n.Feed("train", nn.Train, &o)
	loader, err := loader.NewEpochs(d.Data.Train, o)
	if err != nil {
		return
	}
	losses := make([]float64, 32)
	for _, mode := range []nn.Mode{nn.Train, nn.Evaluate} {
		b := train.Batch{Split: "train", Mode: mode, Batch: loader.Next()}
		n.Losses(losses, b, nil)
		n.Outputs(train.Outputs{Classes: make([]int, 32), Probabilities: make([]float32, 64)})
		n.Gradient(losses, false)
		n.Step(train.Rule{})
		n.Step(train.Rule{Advance: func(v, lr float64) float64 { return v }})
		n.GradNorm()
		n.Pick()
		if n.Restart(); n.Err() != nil {
			return
		}
	}
}

// TestMutatedFrames changes bytes of a frame on its way, in either direction. The conversation ends
// in one line or goes on, but never panics or waits without end.
func TestMutatedFrames(t *testing.T) {
	most := 300
	if testsize.Long() {
		most = 1000
	} else if testing.Short() {
		most = 40
	}
	plain := func(w io.Writer) io.Writer { return w }
	var failed atomic.Int64
	var wg sync.WaitGroup
	slots := make(chan struct{}, 16)
	one := func(i int) {
		rng := rand.New(rand.NewPCG(uint64(i), 5))
		mutated := func(w io.Writer) io.Writer {
			return &mutator{Writer: w, rng: rng, left: 1 + rng.IntN(16), limit: 1 + rng.IntN(80)}
		}
		for _, way := range [][2]func(io.Writer) io.Writer{{mutated, plain}, {plain, mutated}} {
			n, over := wired(t, way[0], way[1])
			converse(n)
			over()
			if err := n.Err(); err != nil {
				failed.Add(1)
				wantLine(t, fmt.Sprint("seed ", i), err.Error())
				if n := len(err.Error()); n > 600 {
					t.Errorf("seed %d: an error of %d bytes, want at most 600: %q", i, n, err)
				}
			}
		}
	}
	for i := range most {
		slots <- struct{}{}
		wg.Go(func() {
			one(i)
			<-slots
		})
	}
	wg.Wait()
	if n := int(failed.Load()); n < most/2 {
		t.Errorf("of %d mutated frames %d are noticed, want %d or more", 2*most, n, most/2)
	}
}
