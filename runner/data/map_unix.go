//go:build unix

package data

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps a whole file for reading.
func mapFile(f *os.File, size int64) ([]byte, func() error, error) {
	if size != int64(int(size)) {
		return nil, nil, fmt.Errorf("%s: %d bytes do not fit the address space", f.Name(), size)
	}
	b, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, fmt.Errorf("mapping %s: %w", f.Name(), err)
	}
	return b, func() error { return unix.Munmap(b) }, nil
}
