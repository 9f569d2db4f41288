package cli

import (
	"runtime"
	"syscall"
)

// yieldThread lowers the priority of this goroutine, which keeps its thread from then on. Processes
// that other goroutines start, such as an engine, have the priority of this process.
func yieldThread() {
	const nice = 10
	runtime.LockOSThread()
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, nice) // on Linux 0 is this thread
}
