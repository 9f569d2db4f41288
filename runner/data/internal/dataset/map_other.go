//go:build !unix

package dataset

import "fmt"

// MapFile reads a whole file: there is no mapping here.
func MapFile(f *Input) ([]byte, func() error, error) {
	if f.Size != int64(int(f.Size)) {
		return nil, nil, fmt.Errorf("%s: %d bytes do not fit the address space", f.Name(), f.Size)
	}
	return ReadWhole(f)
}

// ReadAtRandom has nothing to do: the file is in memory.
func ReadAtRandom([]byte) {}
