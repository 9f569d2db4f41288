//go:build unix

package data

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// forget gives the memory of b back to the system, but for pages that it shares with others. What
// is in it is lost: nobody may read it any more.
func forget(b []byte) {
	page := os.Getpagesize()
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(b))) & uintptr(page-1)
	if int(skip) < len(b) {
		b = b[skip:]
		// refused, it stays until the process ends
		_ = unix.Madvise(b[:len(b)/page*page], unix.MADV_DONTNEED)
	}
}
