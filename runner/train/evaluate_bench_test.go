package train

import (
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"

	"drolab/runner/data/source"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// BenchmarkEvaluation measures one evaluation of the preset shapes.
func BenchmarkEvaluation(b *testing.B) {
	s := spec.Defaults()
	s.Algorithms, s.Model, s.Samples = []dro.Algorithm{dro.SFK}, "convnet", 8000
	d, err := source.Open(s.Dataset, s.DataOptions(""))
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	perEpoch := int64(d.Train.Len() / s.Batch)
	m := &runner.Meta{Spec: s, Parts: measure.PartsOf(d), StepsPerEpoch: perEpoch,
		Steps: perEpoch * int64(s.Epochs)}
	r, err := New(Plan{Meta: m, Data: d, Record: nullRecorder{}, Gate: &Gate{Retry: time.Second},
		Network: Native, Threads: 1})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	for range 20 {
		if err := r.train(); err != nil {
			b.Fatal(err)
		}
	}
	r.step = m.StepsPerEpoch // the step of an evaluation without the full gradient
	m.Spec.CertifyEvery = 0
	b.ResetTimer()
	for range b.N {
		if err := r.evaluate(); err != nil {
			b.Fatal(err)
		}
	}
}
