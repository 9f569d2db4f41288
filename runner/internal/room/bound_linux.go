package room

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// stack is the address space of a thread's stack, of which little is ever taken.
const stack = 8 << 20

// Bound ends this process where it takes so many bytes more than it has, mapped
// files aside. The collector works harder before. Should the system want for memory
// all the same, it ends this process first. No core is dumped.
func Bound(bytes float64) error {
	const others = 8 // threads beside those that compute
	kB, _ := field("/proc/self/status", "VmData:")
	most := uint64(1024*kB+bytes) + stack*uint64(runtime.GOMAXPROCS(0)+others)
	for which, limit := range map[int]uint64{unix.RLIMIT_DATA: most, unix.RLIMIT_FSIZE: most,
		unix.RLIMIT_CORE: 0} {
		var now unix.Rlimit
		err := unix.Getrlimit(which, &now)
		if err == nil {
			limit = min(limit, now.Max)
			err = unix.Setrlimit(which, &unix.Rlimit{Cur: limit, Max: limit})
		}
		if err != nil {
			return fmt.Errorf("setting a limit of this process: %w", err)
		}
	}
	debug.SetMemoryLimit(int64(collectAt * bytes))
	// Without /proc there is no such order, and the limits stand.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	return nil
}
