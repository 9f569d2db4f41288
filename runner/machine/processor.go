package machine

import "github.com/shirou/gopsutil/v4/cpu"

// Processor returns the name of the processor, or "" if the system does not tell it.
func Processor() string {
	list, _ := cpu.Info()
	if len(list) == 0 {
		return ""
	}
	return list[0].ModelName
}
