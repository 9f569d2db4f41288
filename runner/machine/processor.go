package machine

import (
	"math"
	"runtime"

	"drolab/runner/internal/cgroup"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/mem"
)

// Processor returns the name of the processor, or "" if the system does not tell it.
func Processor() string {
	list, _ := cpu.Info()
	if len(list) == 0 {
		return ""
	}
	return list[0].ModelName
}

// Memory returns the bytes of memory that this process may use: those of the machine, or fewer
// where its control group has a limit. It is 0 if the system does not tell it.
func Memory() int64 {
	m, err := mem.VirtualMemory()
	if err != nil {
		return 0
	}
	return int64(memory(m, cgroup.System).Of)
}

// memory returns the memory of the machine, or that of the control group where this is less.
func memory(m *mem.VirtualMemoryStat, groups cgroup.Tree) Part {
	if g, limited := groups.Memory(); limited && g.Most < float64(m.Total) {
		return Part{g.Used, g.Most}
	}
	return Part{float64(m.Total - min(m.Total, m.Available)), float64(m.Total)}
}

// Cores returns the number of processors that this process may use at once, which need not be
// whole: those that it may run on, or fewer where its control group has a quota.
func Cores() float64 { return coresOf(cgroup.System) }

func coresOf(groups cgroup.Tree) float64 {
	cores := float64(runtime.NumCPU())
	if q, limited := groups.Quota(); limited {
		cores = min(cores, q.Cores)
	}
	return cores
}

// Threads returns the number of threads that use these processors.
func Threads() int { return min(runtime.GOMAXPROCS(0), int(math.Ceil(Cores()))) }
