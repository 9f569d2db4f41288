//go:build unix

package data

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// mapFile maps a whole file for reading.
func mapFile(f *input) ([]byte, func() error, error) {
	if f.size != int64(int(f.size)) {
		return nil, nil, fmt.Errorf("%s: %d bytes do not fit the address space", f.Name(), f.size)
	}
	b, err := unix.Mmap(int(f.Fd()), 0, int(f.size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, fmt.Errorf("mapping %s: %w", f.Name(), err)
	}
	return b, func() error { return unix.Munmap(b) }, nil
}

// readAtRandom says that samples are read from a mapped file in random order from now on. The system would
// else read ahead around each that is not in memory: up to megabytes for an image, which then push out
// others.
func readAtRandom(mapped []byte) {
	_ = unix.Madvise(mapped, unix.MADV_RANDOM) // refused, it only stays slow
}
