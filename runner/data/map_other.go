//go:build !unix

package data

import (
	"fmt"
	"io"
	"os"
)

// mapFile reads a whole file: there is no mapping here.
func mapFile(f *os.File, size int64) ([]byte, func() error, error) {
	if size != int64(int(size)) {
		return nil, nil, fmt.Errorf("%s: %d bytes do not fit the address space", f.Name(), size)
	}
	b := make([]byte, size)
	if _, err := io.ReadFull(f, b); err != nil {
		return nil, nil, fmt.Errorf("%s: changed while it was read: %w", f.Name(), err)
	}
	return b, nil, nil
}

// readAtRandom has nothing to do: the file is in memory.
func readAtRandom([]byte) {}
