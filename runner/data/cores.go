package data

import (
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
)

// OnEveryCore calls do for each number below n, on all cores. If a call panics, OnEveryCore panics
// with the same value: a panic on a goroutine of its own would end the program. The cause is mostly
// a mapped file that was cut.
func OnEveryCore(n int, do func(i int)) {
	var wg sync.WaitGroup
	workers := min(runtime.GOMAXPROCS(0), n)
	panics := make([]any, workers)
	for w := range workers {
		wg.Go(func() {
			defer func() { panics[w] = recover() }()
			debug.SetPanicOnFault(true)
			for i := w * n / workers; i < (w+1)*n/workers; i++ {
				do(i)
			}
		})
	}
	wg.Wait()
	if i := slices.IndexFunc(panics, func(p any) bool { return p != nil }); i >= 0 {
		panic(panics[i])
	}
}
