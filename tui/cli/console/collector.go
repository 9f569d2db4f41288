package console

import (
	"runtime"
	"runtime/debug"
	"time"
)

// CollectEarly makes the process collect its garbage early. Its memory is networks and images,
// which stay and hold no pointers, so collecting costs next to nothing. Go's default, as much
// garbage again, would be hundreds of megabytes.
func CollectEarly() { collect(10) }

// YieldToRuns sets up the process of an interface whose runs are in another process. It takes at
// most one core from them, which is many times what it needs: with more, each tick wakes threads
// that only look for work. It holds a few megabytes, and collects garbage twice as often as Go's
// default. Collecting less often would gain no time that a user would see, and dozens of logs that
// are read would leave three times as much in memory as is drawn of them.
func YieldToRuns() {
	runtime.GOMAXPROCS(1)
	collect(50)
}

// collect sets how much garbage makes the collector run, in percent of the memory in use, unless
// GOGC or a test has chosen another percentage than Go's 100. It does so after the start, which
// leaves some megabytes of garbage: an interface collected them six times before its first frame.
func collect(percent int) {
	time.AfterFunc(300*time.Millisecond, func() {
		if chosen := debug.SetGCPercent(percent); chosen != 100 {
			debug.SetGCPercent(chosen)
		}
	})
}
