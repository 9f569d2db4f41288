//go:build !unix

package data

import (
	"fmt"
	"os"
)

// mapFile reads a whole file: there is no mapping here.
func mapFile(f *os.File, size int64) ([]byte, func() error, error) {
	if size != int64(int(size)) {
		return nil, nil, fmt.Errorf("%s: %d bytes do not fit the address space", f.Name(), size)
	}
	return readWhole(&input{f, size, io.LimitedReader{R: f, N: size}})
}

// readAtRandom has nothing to do: the file is in memory.
func readAtRandom([]byte) {}
