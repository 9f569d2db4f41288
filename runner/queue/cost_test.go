package queue

import (
	"context"
	"testing"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// countingNetwork is a network that counts the samples that training passes through it.
type countingNetwork struct {
	train.Network
	mode              nn.Mode // mode of the last losses
	forward, backward *int
}

func (n *countingNetwork) Losses(
	losses []float64, b train.Batch, weigh func(weights, losses []float64),
) {
	if n.mode = b.Mode; n.mode != nn.Evaluate {
		*n.forward += b.N
	}
	n.Network.Losses(losses, b, weigh)
}

func (n *countingNetwork) Gradient(weights []float64, add bool) {
	if n.mode != nn.Evaluate {
		*n.backward += len(weights)
	}
	n.Network.Gradient(weights, add)
}

// The cost of a step does not grow with the training samples: with several times as many, a step
// passes the same number of samples forward and backward.
func TestCostOfAStepDoesNotGrowWithTheData(t *testing.T) {
	sizes, methods := []int{1, 4, 16}, dro.PaperMethods()
	if testing.Short() {
		sizes, methods = []int{1, 3}, []dro.Algorithm{dro.SFK, dro.ERM}
	}
	for _, a := range methods {
		t.Run(string(a), func(t *testing.T) {
			var first [2]float64
			for _, times := range sizes {
				settings := quick(a)
				settings.Samples, settings.Epochs, settings.LR = 320*times, 1, .001
				var forward, backward int
				store := newMemoryStore()
				q := NewQueue(context.Background(), Settings{Store: store, Threads: 1,
					Network: func(
						s *spec.Spec, d *data.Dataset, threads int,
					) (train.Network, error) {
						net, err := train.Native(s, d, threads)
						n := &countingNetwork{Network: net, forward: &forward, backward: &backward}
						return n, err
					}})
				ids, err := q.Start(runner.Request{Preset: "test", Specs: []spec.Spec{settings}})
				if err != nil {
					t.Fatal(err)
				}
				q.Wait()
				steps := float64(store.runs[ids[0]].meta.Steps)
				is := [2]float64{float64(forward) / steps, float64(backward) / steps}
				if times == 1 {
					first = is
				}
				if is != first {
					t.Errorf("with %d × the data a step passes %v samples forward and backward, "+
						"want %v, as with 1 ×", times, is, first)
				}
				if least := float64(settings.Batch); is[0] < least || is[1] < least {
					t.Errorf("with %d × the data a step passes %v samples forward and backward, "+
						"expected at least the batch, %v", times, is, least)
				}
			}
		})
	}
}
