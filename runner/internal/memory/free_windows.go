package memory

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// memoryStatus has the layout of MEMORYSTATUSEX.
type memoryStatus struct {
	length, load                    uint32
	all, free                       uint64
	allCommit, freeCommit           uint64
	allAddresses, freeAddresses, no uint64
}

var globalMemoryStatus = windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")

// Free returns the number of bytes that this process can still take: the free memory of the
// machine, or less where the system's commit limit or the address space leaves less.
func Free() (bytes float64, known bool) {
	var s memoryStatus
	s.length = uint32(unsafe.Sizeof(s))
	ok, _, _ := globalMemoryStatus.Call(uintptr(unsafe.Pointer(&s)))
	return float64(min(s.free, s.freeCommit, s.freeAddresses)), ok != 0
}
