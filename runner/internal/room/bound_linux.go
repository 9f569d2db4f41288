package room

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// stack is the address space of a thread's stack in bytes, little of which is ever used.
const stack = 8 << 20

// Bound ends this process when it takes more than this number of bytes beyond what it has, mapped
// files not counted. The garbage collector works harder before that. If the system still runs out
// of memory, it ends this process first. No core is dumped.
func Bound(bytes float64) error {
	const others = 8 // threads besides those that compute
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
	// Without /proc this order of killing cannot be set; the limits still hold.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	return nil
}
