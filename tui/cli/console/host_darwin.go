package console

import "syscall"

func systemCPU() string {
	name, err := syscall.Sysctl("machdep.cpu.brand_string")
	if err != nil {
		return ""
	}
	return name
}
