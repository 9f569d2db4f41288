package machine

import (
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

// Memory returns the size of the memory in bytes, or 0 if the system does not tell it.
func Memory() int64 {
	m, err := mem.VirtualMemory()
	if err != nil {
		return 0
	}
	return int64(m.Total)
}
