package memory

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Free returns the number of bytes that this process can still take: what the machine has without
// swapping, or less where its control group or its own limits say so.
func Free() (bytes float64, known bool) {
	bytes = math.Inf(1)
	if kB, ok := field("/proc/meminfo", "MemAvailable:"); ok {
		bytes = 1024 * kB
	}
	bytes = min(bytes, groupsLeave("/sys/fs/cgroup"),
		limit(unix.RLIMIT_DATA, "VmData:"), limit(unix.RLIMIT_AS, "VmSize:"))
	return bytes, !math.IsInf(bytes, 1)
}

// resident returns the number of bytes that this process has in memory.
func resident() float64 {
	kB, _ := field("/proc/self/status", "VmRSS:")
	return 1024 * kB
}

// limit returns the number of bytes that a limit of the process leaves. name is the field of the
// process's status with the bytes that it has.
func limit(which int, name string) float64 {
	var l unix.Rlimit
	if unix.Getrlimit(which, &l) != nil || l.Cur == unix.RLIM_INFINITY {
		return math.Inf(1)
	}
	kB, _ := field("/proc/self/status", name)
	return float64(l.Cur) - 1024*kB
}

// groupsLeave returns the number of bytes that the control groups of this process leave (version 2,
// and version 1 with its memory controller in the usual place).
func groupsLeave(root string) float64 {
	left := math.Inf(1)
	text, _ := os.ReadFile("/proc/self/cgroup")
	for line := range strings.Lines(string(text)) {
		_, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, path, _ := strings.Cut(rest, ":")
		switch controllers {
		case "":
			dir := filepath.Join(root, path)
			for ; strings.HasPrefix(dir, root); dir = filepath.Dir(dir) {
				left = min(left, groupLeaves(dir, "memory.max", "memory.current", "inactive_file"))
			}
		case "memory":
			dir := filepath.Join(root, "memory")
			if _, err := os.Stat(filepath.Join(dir, path)); err == nil {
				dir = filepath.Join(dir, path)
			}
			left = min(left, groupLeaves(dir, "memory.limit_in_bytes", "memory.usage_in_bytes",
				"total_inactive_file"))
		}
	}
	return left
}

// groupLeaves returns the number of bytes that one group leaves. Pages of files that nobody used
// lately count as free, since the system drops them when room is needed.
func groupLeaves(dir, most, now, files string) float64 {
	limit, ok := number(filepath.Join(dir, most))
	used, ok2 := number(filepath.Join(dir, now))
	if !ok || !ok2 || limit > 1<<60 { // version 1 writes a very large limit for none
		return math.Inf(1)
	}
	idle, _ := field(filepath.Join(dir, "memory.stat"), files)
	return limit - used + idle
}

func number(path string) (float64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	return n, err == nil
}

// field returns the number that follows name in a file with such lines, as /proc/meminfo.
func field(path, name string) (float64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == name {
			n, err := strconv.ParseFloat(words[1], 64)
			return n, err == nil
		}
	}
	return 0, false
}

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
