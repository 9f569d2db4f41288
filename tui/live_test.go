package tui

import (
	"fmt"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/lab"
)

// The pace of four runs of the preset shapes beside each other on two cores,
// about: steps of each in the time from one look at the files to the next.
const (
	liveEpochSteps = 90
	liveEpochs     = 40
	liveSteps      = 25
)

// live is four runs whose logs grow, and the interface that watches them.
type live4 struct {
	*rig
	runs []runner.Recorder
	logs [][]runner.Event // what is still to be written
	step int64
}

func newLive(b *testing.B, w, h int) *live4 {
	b.Helper()
	store, err := record.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	l := &live4{}
	for i, a := range dro.PaperMethods() {
		m := tuitest.Meta(a, tuitest.Epoch0().Add(time.Duration(i)*time.Second))
		m.Spec.Epochs, m.StepsPerEpoch, m.Steps = liveEpochs, liveEpochSteps, liveEpochSteps*liveEpochs
		r, err := store.Create(m, nil)
		if err != nil {
			b.Fatal(err)
		}
		l.runs = append(l.runs, r)
		l.logs = append(l.logs, tuitest.Training(a, i, liveEpochSteps, liveEpochs))
	}
	s := &tuitest.Script{Folder: lab.Folder(store.Dir()), Now: tuitest.Epoch0()}
	l.rig = newRig(b, s, w, h)
	l.Source = s.Folder // real logs
	l.Round = l.env.round()
	l.grow(b)
	l.press("2")
	return l
}

// grow writes what the runs log in the time of a tick; false at their end.
func (l *live4) grow(b *testing.B) bool {
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

func (l *live4) close() {
	for _, r := range l.runs {
		r.Close()
	}
}

// BenchmarkLive is what the interface does at each look at four live runs:
// read, take in, draw. Its renderer's part is reported beside it, in ns.
func BenchmarkLive(b *testing.B) {
	for _, size := range [][2]int{{120, 40}, {200, 60}} {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			l, wr := newLive(b, size[0], size[1]), tuitest.NewWire(size[0], size[1])
			wr.Frame(b, l.View().Content)
			var sent time.Duration
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				if !l.grow(b) {
					l.close()
					l = newLive(b, size[0], size[1])
				}
				l.script.Now = l.script.Now.Add(readEvery)
				b.StartTimer()
				l.send(kit.Tick(l.script.Now))
				view := l.View()
				b.StopTimer()
				start := time.Now()
				wr.Frame(b, view.Content)
				sent += time.Since(start)
				b.StartTimer()
			}
			l.close()
			b.ReportMetric(float64(sent.Nanoseconds())/float64(b.N), "renderer-ns/op")
		})
	}
}
