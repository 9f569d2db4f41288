package train

import (
	"math"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"drolab/runner/data"
)

// newMapped returns a source of n images in a mapped file that is a single hole. Reading makes
// pages of zeros in the page cache, and only for the images that are read: the mapping is advised
// as package data advises its own.
func newMapped(b *testing.B, n int) (data.Source, error) {
	x := newNoise(data.Shape{C: 3, H: 32, W: 32}, 10, 0)
	size := int64(n) * int64(x.shape.Len())
	if size > math.MaxInt {
		b.Skip("the address space is too small")
	}
	f, err := os.Create(filepath.Join(b.TempDir(), "images"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := f.Truncate(size); err != nil {
		return nil, err
	}
	x.bytes, err = syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	b.Cleanup(func() { syscall.Munmap(x.bytes) })
	return x, syscall.Madvise(x.bytes, syscall.MADV_RANDOM)
}
