package room

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// memoryStatus is MEMORYSTATUSEX.
type memoryStatus struct {
	length, load                    uint32
	all, free                       uint64
	allCommit, freeCommit           uint64
	allAddresses, freeAddresses, no uint64
}

var globalMemoryStatus = windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")

// Free returns how many bytes this process can still take: what the machine
// has, or what it promises at most.
func Free() (bytes float64, known bool) {
	var s memoryStatus
	s.length = uint32(unsafe.Sizeof(s))
	ok, _, _ := globalMemoryStatus.Call(uintptr(unsafe.Pointer(&s)))
	return float64(min(s.free, s.freeCommit, s.freeAddresses)), ok != 0
}
