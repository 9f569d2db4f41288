package memory

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"

	"drolab/runner/internal/cgroup"

	"golang.org/x/sys/unix"
)

// Free returns the number of bytes that this process can still take: what the machine has without
// swapping, or less where its control group or its own limits say so.
func Free() (bytes float64, known bool) {
	bytes = math.Inf(1)
	if kB, ok := cgroup.Field("/proc/meminfo", "MemAvailable:"); ok {
		bytes = 1024 * kB
	}
	if m, limited := cgroup.System.Memory(); limited {
		bytes = min(bytes, m.Left())
	}
	bytes = min(bytes, limit(unix.RLIMIT_DATA, "VmData:"), limit(unix.RLIMIT_AS, "VmSize:"))
	return bytes, !math.IsInf(bytes, 1)
}

// resident returns the number of bytes that this process has in memory.
func resident() float64 {
	kB, _ := cgroup.Field("/proc/self/status", "VmRSS:")
	return 1024 * kB
}

// limit returns the number of bytes that a limit of the process leaves. name is the field of the
// process's status with the bytes that it has.
func limit(which int, name string) float64 {
	var l unix.Rlimit
	if unix.Getrlimit(which, &l) != nil || l.Cur == unix.RLIM_INFINITY {
		return math.Inf(1)
	}
	kB, _ := cgroup.Field("/proc/self/status", name)
	return float64(l.Cur) - 1024*kB
}

// stack is the address space of a thread's stack in bytes, little of which is ever used.
const stack = 8 << 20

// Bound ends this process when it takes more than this number of bytes beyond what it has, mapped
// files not counted. The garbage collector works harder before that. If the system still runs out
// of memory, it ends this process first. No core is dumped.
func Bound(bytes float64) error {
	const others = 8 // threads besides those that compute
	kB, _ := cgroup.Field("/proc/self/status", "VmData:")
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
