//go:build unix

package data

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// mapFile maps a whole file for reading, and returns the function that releases it.
func mapFile(f *Input) ([]byte, func() error, error) {
	b, err := unix.Mmap(int(f.Fd()), 0, int(f.Size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, fmt.Errorf("mapping %s: %w", f.Name(), err)
	}
	return b, func() error { return unix.Munmap(b) }, nil
}

// ReadAtRandom tells the system that samples are read from a mapped file in random order from now
// on. Otherwise the system reads ahead around each sample that is not in memory: up to megabytes
// for an image, which then push out other samples.
func ReadAtRandom(mapped []byte) {
	_ = unix.Madvise(mapped, unix.MADV_RANDOM) // if the system refuses, reading stays slow
}
