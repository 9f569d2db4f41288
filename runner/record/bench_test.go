package record

import (
	"os"
	"path/filepath"
	"testing"

	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/eventlog"
)

// The benchmarks time writing and resuming: step events, checkpoints of the size of a small
// network, and the resume of a run with 20 000 events.

func benched(b *testing.B, events int64) (*Store, runner.Recorder, string) {
	b.Helper()
	s, err := Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	m := newMeta(1)
	r, err := s.Create(m, nil)
	if err != nil {
		b.Fatal(err)
	}
	for step := range events {
		if err := r.Append(stepEvent(step + 1)); err != nil {
			b.Fatal(err)
		}
	}
	return s, r, m.ID
}

func BenchmarkAppend(b *testing.B) {
	_, r, _ := benched(b, 1)
	defer r.Close()
	e := stepEvent(7)
	for b.Loop() {
		if err := r.Append(e); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheckpoint(b *testing.B) {
	_, r, _ := benched(b, 1)
	defer r.Close()
	state := newState(7)
	state.Parameters = []nn.Tensor{{Name: "w", Shape: []int{1 << 18}, Data: make([]float32, 1<<18)}}
	for b.Loop() {
		if _, err := r.Checkpoint(state); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReopen(b *testing.B) {
	s, r, id := benched(b, 20_000)
	if _, err := r.Checkpoint(newState(20_000)); err != nil {
		b.Fatal(err)
	}
	r.Close()
	if info, err := os.Stat(filepath.Join(s.Dir(), id, eventlog.LogName)); err == nil {
		b.ReportMetric(float64(info.Size())/20_000, "bytes/event")
	}
	for b.Loop() {
		r, _, err := s.Reopen(id)
		if err != nil {
			b.Fatal(err)
		}
		r.Close()
	}
}

// BenchmarkNewlines times the resume of a log that ends in a megabyte of newlines.
func BenchmarkNewlines(b *testing.B) {
	s, r, id := benched(b, 1)
	r.Close()
	path := filepath.Join(s.Dir(), id, eventlog.LogName)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	blank := make([]byte, 1<<20)
	for i := range blank {
		blank[i] = '\n'
	}
	if _, err := f.Write(blank); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		r, _, err := s.Reopen(id)
		if err != nil {
			b.Fatal(err)
		}
		r.Close()
	}
}

func BenchmarkTail(b *testing.B) {
	s, r, id := benched(b, 20_000)
	defer r.Close()
	run, err := Find(s.Dir(), id)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		tail := run.Tail()
		for {
			events, err := tail.Read()
			if err != nil {
				b.Fatal(err)
			}
			if len(events) == 0 {
				break
			}
		}
	}
}
