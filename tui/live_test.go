package tui

import (
	"fmt"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/internal/render"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/lab"
)

// The approximate pace of four runs of the preset shapes side by side on two cores. liveSteps is
// the number of steps of each run between two looks at the files.
const (
	liveEpochSteps = 90
	liveEpochs     = 40
	liveSteps      = 25
)

// growingRuns is a set of runs whose logs grow, and the interface that watches them.
type growingRuns struct {
	*driver
	runs []runner.Recorder
	logs [][]runner.Event // the events that are still to be written
	step int64
}

// liveSeeds is the number of seeds of each of the eight settings when forty runs are watched.
const liveSeeds = 5

// newLive begins four runs, one of each method of the paper, or forty: the methods at two radii,
// with five seeds each.
func newLive(b *testing.B, runs, w, h int) *growingRuns {
	b.Helper()
	store, err := record.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	l := &growingRuns{}
	for i := range runs {
		setting, seed := i, 1
		if methods := len(dro.PaperMethods()); runs > methods {
			setting, seed = i/liveSeeds, i%liveSeeds+1
		}
		a := dro.PaperMethods()[setting%len(dro.PaperMethods())]
		m := tuitest.Meta(a, tuitest.Epoch0().Add(time.Duration(i)*time.Second))
		m.Spec.Seed = uint64(seed)
		m.Spec.Rho *= float64(1 + setting/len(dro.PaperMethods()))
		m.Spec.Epochs, m.StepsPerEpoch = liveEpochs, liveEpochSteps
		m.Steps = liveEpochSteps * liveEpochs
		r, err := store.Create(m, nil)
		if err != nil {
			b.Fatal(err)
		}
		l.runs = append(l.runs, r)
		l.logs = append(l.logs, tuitest.Training(a, i, liveEpochSteps, liveEpochs))
	}
	s := &tuitest.Script{Folder: lab.Folder(store.Dir()), Now: tuitest.Epoch0()}
	l.driver = newDriver(b, s, w, h)
	l.Source = s.Folder // real logs
	l.Round = l.env.round
	l.grow(b)
	l.Press("2")
	return l
}

// grow writes the events that the runs log in the time of a tick. It returns false when no events
// are left.
func (l *growingRuns) grow(b *testing.B) bool {
	l.step += liveSteps
	for i, r := range l.runs {
		for len(l.logs[i]) > 0 && l.logs[i][0].Header().Step <= l.step {
			if err := r.Append(l.logs[i][0]); err != nil {
				b.Fatal(err)
			}
			l.logs[i] = l.logs[i][1:]
		}
	}
	return len(l.logs[0]) > 0
}

func (l *growingRuns) close() {
	for _, r := range l.runs {
		r.Close()
	}
}

// BenchmarkLive measures the work of the interface at each look at live runs: reading, taking in
// and drawing. It also reports the time of the renderer, in ns, and the bytes that are sent.
func BenchmarkLive(b *testing.B) {
	for _, c := range []struct{ runs, w, h int }{{4, 120, 40}, {4, 200, 60}, {40, 200, 60}} {
		b.Run(fmt.Sprintf("%druns/%dx%d", c.runs, c.w, c.h), func(b *testing.B) {
			l, wr := newLive(b, c.runs, c.w, c.h), render.NewRenderer(c.w, c.h)
			wr.Frame(b, l.View().Content)
			var rendered time.Duration
			sent := 0
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				if !l.grow(b) {
					l.close()
					l = newLive(b, c.runs, c.w, c.h)
				}
				l.script.Now = l.script.Now.Add(readEvery)
				b.StartTimer()
				l.Send(kit.Tick(l.script.Now))
				view := l.View()
				b.StopTimer()
				start := time.Now()
				sent += wr.Frame(b, view.Content)
				rendered += time.Since(start)
				b.StartTimer()
			}
			l.close()
			b.ReportMetric(float64(rendered.Nanoseconds())/float64(b.N), "renderer-ns/op")
			b.ReportMetric(float64(sent)/float64(b.N), "sent-B/op")
		})
	}
}

// BenchmarkScreen redraws the screen half-way through the runs, as after a key, and separately
// looks at runs that have nothing new.
func BenchmarkScreen(b *testing.B) {
	for _, runs := range []int{4, 40} {
		l := newLive(b, runs, 200, 60)
		for range liveEpochSteps * liveEpochs / liveSteps / 2 {
			l.grow(b)
		}
		l.Wait(10*time.Second, readEvery)
		b.Run(fmt.Sprintf("drawn/%druns", runs), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				l.Press("tab")
				l.View()
			}
		})
		b.Run(fmt.Sprintf("idle/%druns", runs), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				l.script.Now = l.script.Now.Add(readEvery)
				l.Send(kit.Tick(l.script.Now))
				l.View()
			}
		})
		l.close()
	}
}
