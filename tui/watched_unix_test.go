//go:build unix

package tui

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"testing"
	"time"

	"drolab/presets"
	"drolab/runner"
	"drolab/runner/record"

	"github.com/creack/pty"
)

// BenchmarkWatched trains four runs on drawn images headless and with the
// interface open on them, in turn, and reports the ratio of the medians of
// their times: 1.02 is 2 % slower. The interface is in the trainers' process,
// which is worse for them than its being in one of its own; the terminal only
// takes what it is sent. Close other programs first.
func BenchmarkWatched(b *testing.B) {
	const rounds = 5
	var alone, watched []float64 // seconds
	for b.Loop() {
		for round := range rounds {
			// Which comes first changes, so that a slowing machine favours neither.
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

// trainFour returns how long the first epochs of the preset shapes take.
func trainFour(b *testing.B, watched bool) time.Duration {
	b.Helper()
	p, err := presets.Load("shapes")
	if err != nil {
		b.Fatal(err)
	}
	spec := p.Spec
	spec.Epochs, spec.LRDropEpoch = 6, 0
	store, err := record.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	q := runner.NewQueue(b.Context(), runner.Settings{Store: store, DataDir: b.TempDir(), Threads: runtime.NumCPU()})
	start := time.Now()
	if _, err := q.Start(runner.Request{Preset: p.Name, Specs: spec.Expand()}); err != nil {
		b.Fatal(err)
	}
	leave := func() {}
	if watched {
		leave = openOn(b, q, store.Dir())
	}
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

// openOn opens the interface on the live runs of a folder; the function that
// it returns leaves it.
func openOn(b *testing.B, verbs runner.Verbs, dir string) (leave func()) {
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
		ended <- Run(ctx, Config{Verbs: verbs, Attach: true, RunsDir: dir, DataDir: b.TempDir(), Stdin: tty, Stdout: tty,
			Environ: []string{"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8"}})
	}()
	taken := make(chan int64, 1)
	go func() {
		n, _ := io.Copy(io.Discard, end) // ends with an error when the terminal is closed
		taken <- n
	}()
	return func() {
		cancel()
		if err := <-ended; err != nil {
			b.Fatal(fmt.Errorf("the interface: %w", err))
		}
		tty.Close()
		if n := <-taken; n < 5000 {
			b.Fatalf("the terminal got %d bytes: nothing was watched", n)
		}
		end.Close()
	}
}
