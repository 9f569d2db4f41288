//go:build unix

package source

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// forget gives the memory of b back to the system, except pages that b shares with other data. The
// content is lost: nobody may read it any more.
func forget(b []byte) {
	page := os.Getpagesize()
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(b))) & uintptr(page-1)
	if int(skip) < len(b) {
		b = b[skip:]
		// If the system refuses, the memory stays in use until the process ends.
		_ = unix.Madvise(b[:len(b)/page*page], unix.MADV_DONTNEED)
	}
}
