//go:build !unix

package data

import "fmt"

// mapFile reads a whole file: there is no mapping here.
func mapFile(f *input) ([]byte, func() error, error) {
	if f.size != int64(int(f.size)) {
		return nil, nil, fmt.Errorf("%s: %d bytes do not fit the address space", f.Name(), f.size)
	}
	return readWhole(f)
}

// readAtRandom has nothing to do: the file is in memory.
func readAtRandom([]byte) {}
