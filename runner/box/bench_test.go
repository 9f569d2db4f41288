package box

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"drolab/runner"
	"drolab/runner/record"
	"drolab/runner/record/recordtest/eventtest"
)

// The budgets of a link. A benchmark fails where it does not keep to them:
//
//	go test -run '^$' -bench . -benchtime 1x ./runner/box

// endedRuns makes runs that have ended, each with settings and results of its own.
func endedRuns(b *testing.B, n int) *record.Store {
	b.Helper()
	store, err := record.Open(b.TempDir())
	must(b, err)
	for i := range n {
		m := eventtest.Meta(uint64(i))
		m.ID = fmt.Sprintf("run-%05d", i)
		m.Created = m.Created.Add(time.Duration(i) * time.Second)
		m.Spec.LR = 1 / float64(i+2)
		r, err := store.Create(m, nil)
		must(b, err)
		must(b, r.Append(&runner.StatusEvent{Status: runner.Running}))
		must(b, r.Append(eventtest.Step(int64(i+1))))
		must(b, r.Append(eventtest.Eval(int64(i+1))))
		must(b, r.Append(&runner.StatusEvent{Head: eventtest.Head(int64(i + 1)),
			Status: runner.Done}))
		must(b, r.Finish(runner.Summarize(m, runner.Done, int64(i+1), nil, nil)))
		must(b, r.Close())
	}
	return store
}

// counted is a connection that counts the bytes in both directions.
type counted struct {
	net.Conn
	n *atomic.Int64
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.n.Add(int64(n))
	return n, err
}

func (c counted) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.n.Add(int64(n))
	return n, err
}

// complete links a mirror with a folder of runs until the list is complete, and returns the bytes
// in both directions.
func complete(b *testing.B, runsDir, mirror string) int64 {
	b.Helper()
	var came atomic.Int64
	dial := func(ctx context.Context) (Conn, error) {
		near, far := net.Pipe()
		side := &FarSide{RunsDir: runsDir, Now: time.Now}
		go func() { side.Serve(ctx, far, far); far.Close() }()
		return counted{near, &came}, nil
	}
	l := NewLink("gpu1", mirror, dial)
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan struct{})
	go func() { l.Run(ctx); close(ended) }()
	if s := l.Await(ctx, func(s State) bool { return s.Complete }); !s.Complete {
		b.Fatalf("the list does not become complete: %+v", s)
	}
	cancel()
	<-ended
	return came.Load()
}

// budget reports a figure, and fails where it is more than the most.
func budget(b *testing.B, got, most float64, unit string) {
	b.Helper()
	b.ReportMetric(got, unit)
	if got > most {
		b.Errorf("%g %s, want at most %g", got, unit, most)
	}
}

// BenchmarkFirstLook mirrors a thousand distinct runs, and then the same, unchanged.
func BenchmarkFirstLook(b *testing.B) {
	store := endedRuns(b, 1000)
	var first, unchanged int64
	for b.Loop() {
		mirror := filepath.Join(b.TempDir(), "mirror")
		first = complete(b, store.Dir(), mirror)
		unchanged = complete(b, store.Dir(), mirror)
	}
	budget(b, float64(first), 1.5e6, "B/first")
	budget(b, float64(unchanged), 4e3, "B/unchanged")
}

// BenchmarkFirstRows counts the bytes until the runs are here that fit a screen of 80×24, of a
// thousand: at 20 kB/s they may take three seconds.
func BenchmarkFirstRows(b *testing.B) {
	store := endedRuns(b, 1000)
	const rows = 24
	var bytesToRows int
	for b.Loop() {
		var toNear bytes.Buffer
		s := newFarConversation(&FarSide{RunsDir: store.Dir(), Now: time.Now}, &toNear)
		must(b, s.sayHello())
		must(b, s.compare(nil))
		must(b, s.askHeads(&heads{IDs: s.order}))
		for range rows {
			must(b, s.sendNextHead())
		}
		bytesToRows = toNear.Len()
	}
	budget(b, float64(bytesToRows), 3*20e3, "B/rows")
}

// BenchmarkLiveRuns counts what four runs cost that log four steps a second each.
func BenchmarkLiveRuns(b *testing.B) {
	store, err := record.Open(b.TempDir())
	must(b, err)
	var toNear bytes.Buffer
	s := newFarConversation(&FarSide{RunsDir: store.Dir(), Now: time.Now}, &toNear)
	var live []runner.Recorder
	for i := range 4 {
		m := eventtest.Meta(uint64(i))
		m.ID = fmt.Sprintf("run-%d", i)
		r, err := store.Create(m, nil)
		must(b, err)
		defer r.Close()
		live = append(live, r)
	}
	must(b, s.compare(nil))
	for i := range live {
		must(b, s.want(&place{ID: fmt.Sprintf("run-%d", i)}))
	}
	before, step := toNear.Len(), int64(0)
	looks := 0
	for b.Loop() {
		for range 40 {
			step++
			for _, r := range live {
				must(b, r.Append(eventtest.Step(step)))
			}
			must(b, s.look())
			looks++
		}
	}
	seconds := float64(looks) * LookEvery.Seconds()
	budget(b, float64(toNear.Len()-before)/seconds, 3e3, "B/s")
}

// BenchmarkIdleFarSide measures the looks at ten thousand runs that have ended.
func BenchmarkIdleFarSide(b *testing.B) {
	store := endedRuns(b, 10_000)
	s := newFarConversation(&FarSide{RunsDir: store.Dir(), Now: time.Now}, io.Discard)
	must(b, s.compare(nil))
	for range restingParts {
		must(b, s.look())
	}
	for b.Loop() {
		must(b, s.look())
	}
	perLook := b.Elapsed().Seconds() / float64(b.N)
	budget(b, 100*perLook/LookEvery.Seconds(), 2, "%core")
}
