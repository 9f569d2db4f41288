package bridge_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/dro/peertest"
	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/data"
	"drolab/runner/data/loader"
	"drolab/runner/measure"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// BenchmarkStep measures a step of a run whose losses come from a table, in batches of 128, with a
// network of this process and with a program in Python. Their difference is the cost of the bridge.
// The same benchmark for a script is BenchmarkStep of runner/engine.
func BenchmarkStep(b *testing.B) {
	for _, a := range []dro.Algorithm{dro.ERM, dro.SFK} {
		for _, name := range []string{"native", "program"} {
			b.Run(string(a)+"/"+name, func(b *testing.B) {
				s := spec.Defaults()
				s.Algorithms, s.Batch = []dro.Algorithm{a}, 128
				s.ProgramPatience, s.LogEvery = 60, 100
				start := lookup(b, &s)
				d, err := bridge.Describe(b.Context(), start)
				if err != nil {
					b.Fatal(err)
				}
				steps(b, &s, d.Data, func(*spec.Spec, *data.Dataset, int) (train.Network, error) {
					if name == "native" {
						return newTable(d.Data.Train.Len()), nil
					}
					return bridge.NewNetwork(lookup(b, &s), d.Data)
				})
			})
		}
	}
}

// lookup returns the start of pythontest/peer/lookup.py.
func lookup(b *testing.B, s *spec.Spec) bridge.Start {
	path, err := filepath.Abs("pythontest/peer/lookup.py")
	if err != nil {
		b.Fatal(err)
	}
	client, err := filepath.Abs("python")
	if err != nil {
		b.Fatal(err)
	}
	start := bridge.Start{Program: spec.Program{Path: path}, Spec: s, Threads: 1,
		Purpose: bridge.Training, Python: peertest.Python(b, "numpy"),
		Env: append(os.Environ(), "PYTHONPATH="+client)}
	if err := start.Outside(); err != nil {
		b.Fatal(err)
	}
	return start
}

// steps takes b.N steps of a run that records nothing.
func steps(b *testing.B, s *spec.Spec, d *data.Dataset, n train.NewNetwork) {
	parts := measure.PartsOf(d)
	r, err := train.New(train.Plan{Meta: &runner.Meta{Spec: *s, Parts: parts,
		StepsPerEpoch: math.MaxInt64, Steps: math.MaxInt64}, Data: d, Record: discard{},
		Gate: &train.Gate{Retry: time.Second}, Network: n, Threads: 1, Until: int64(b.N)})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	b.ResetTimer()
	_, err = r.Do(nil)
	b.StopTimer()
	if err != nil {
		b.Fatal(err)
	}
}

// discard is a runner.Recorder that keeps nothing.
type discard struct{}

func (discard) Append(runner.Event) error                { return nil }
func (discard) Checkpoint(*runner.State) (string, error) { return "", nil }
func (discard) Finish(*runner.Summary) error             { return nil }
func (discard) Close() error                             { return nil }

// table is a train.Network whose losses do not depend on what it learns.
type table struct {
	train.Network // nil: a step calls no other method
	losses        []float64
}

func newTable(n int) table {
	t := table{losses: make([]float64, n)}
	for i := range t.losses {
		t.losses[i] = float64(i%97) / 32
	}
	return t
}

func (table) Feed(_ string, _ nn.Mode, o *loader.Options) { o.IndexOnly = true }
func (table) SetMode(nn.Mode)                             {}
func (table) Gradient([]float64, bool)                    {}
func (table) Step(train.Rule) (norm float64, taken bool)  { return 1, true }
func (table) Pick()                                       {}
func (table) Save(*runner.State) error                    { return nil }
func (table) Err() error                                  { return nil }
func (table) Close()                                      {}

func (t table) Losses(losses []float64, b train.Batch, _ func(weights, losses []float64)) {
	for i, j := range b.Index {
		losses[i] = t.losses[j]
	}
}
