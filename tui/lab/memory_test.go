package lab

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestFreeMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // no other collection
	collections := func() uint32 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.NumForcedGC
	}
	debug.FreeOSMemory()
	before := collections()
	FreeMemory()
	if n := collections(); n != before {
		t.Error("a small heap is collected")
	}
	kept := make([]byte, freeFrom)
	FreeMemory()
	runtime.KeepAlive(kept)
	if n := collections(); n != before+1 {
		t.Errorf("a heap of %d MB is collected %d times, want once", freeFrom>>20, n-before)
	}
}
