//go:build unix

package tui

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"drolab/presets"
	"drolab/runner"
	"drolab/runner/queue"
	"drolab/runner/record"
	"drolab/tui/lab"

	"github.com/creack/pty"
)

// BenchmarkWatched trains four runs on drawn images headless and watched, in turn, and reports the
// ratio of the median times: 1.02 is 2 % slower. The interface is open before the clock starts, and
// watches the runs from start to end. It runs in the process of the trainers, which slows them more
// than a process of its own would. The terminal only receives its output. Close other programs
// first; the benchmark takes some minutes.
func BenchmarkWatched(b *testing.B) {
	const rounds = 5
	var alone, watched []float64 // seconds
	for b.Loop() {
		for round := range rounds {
			// The order alternates, so that a slowing machine favours neither.
			for _, with := range [...]bool{round%2 == 0, round%2 != 0} {
				seconds := trainFour(b, with).Seconds()
				if with {
					watched = append(watched, seconds)
				} else {
					alone = append(alone, seconds)
				}
			}
			n := len(watched) - 1
			b.Logf("round %d: headless %.3f s, watched %.3f s", n+1, alone[n], watched[n])
		}
	}
	b.ReportMetric(median(watched)/median(alone), "watched/headless")
	b.ReportMetric(median(alone), "headless-s")
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return (x[len(x)/2] + x[(len(x)-1)/2]) / 2
}

// trainFour returns the time that half of the preset shapes takes.
func trainFour(b *testing.B, watched bool) time.Duration {
	b.Helper()
	p, err := presets.Load("shapes")
	if err != nil {
		b.Fatal(err)
	}
	spec := p.Spec
	spec.Epochs, spec.LRDropEpoch = 20, 0
	store, err := record.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	q := queue.NewQueue(b.Context(), queue.Settings{Store: store, DataDir: b.TempDir(),
		Threads: runtime.NumCPU()})
	watch, leave := func() {}, func() {}
	if watched {
		watch, leave = openOn(b, q, store.Dir())
	}
	runtime.GC() // the garbage of the previous round
	start := time.Now()
	if _, err := q.Start(runner.Request{Preset: p.Name, Specs: spec.Expand()}); err != nil {
		b.Fatal(err)
	}
	watch()
	outcomes := q.Wait()
	took := time.Since(start)
	leave()
	for _, o := range outcomes {
		if o.Err != nil || o.Status != runner.Done {
			b.Fatalf("run %s is %s: %v", o.ID, o.Status, o.Err)
		}
	}
	return took
}

// openOn opens the interface on a folder without runs, and returns when the first frame is visible.
// The function watch presses the key for the newest runs. The function leave leaves the interface
// and checks that the runs were watched.
func openOn(b *testing.B, verbs runner.Verbs, dir string) (watch, leave func()) {
	b.Helper()
	end, tty, err := pty.Open()
	if err != nil {
		b.Skipf("no pseudo-terminals here: %v", err)
	}
	if err := pty.Setsize(tty, &pty.Winsize{Cols: 120, Rows: 40}); err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- Run(ctx, lab.Config{Verbs: verbs, Opening: lab.Opening{Attach: true},
			RunsDir: dir, DataDir: b.TempDir(), Stdin: tty, Stdout: tty,
			Environ: []string{"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8"}})
	}()
	seen, taken := make(chan struct{}), make(chan []byte, 1)
	go func() {
		var all, chunk []byte = nil, make([]byte, 1<<14)
		for open := false; ; {
			n, err := end.Read(chunk)
			all = append(all, chunk[:n]...)
			if !open && bytes.Contains(all, []byte("No runs yet")) {
				open = true
				close(seen)
			}
			if err != nil { // the terminal is closed
				taken <- all
				return
			}
		}
	}()
	select {
	case <-seen:
	case err := <-ended:
		b.Fatalf("the interface ended: %v", err)
	}
	watch = func() { end.WriteString("n") }
	leave = func() {
		cancel()
		if err := <-ended; err != nil {
			b.Fatal(fmt.Errorf("the interface: %w", err))
		}
		tty.Close()
		const twoScreens = 15000 // bytes
		if all := <-taken; !bytes.Contains(all, []byte("Dual variables")) || len(all) < twoScreens {
			b.Fatalf("the terminal got %d bytes: the runs were not watched", len(all))
		}
		end.Close()
	}
	return watch, leave
}
