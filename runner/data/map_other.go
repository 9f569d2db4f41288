//go:build !unix

package data

// mapFile reads a whole file, and returns no function that releases it: there is no mapping here.
func mapFile(f *Input) ([]byte, func() error, error) {
	b, err := ReadWhole(f)
	return b, nil, err
}

// ReadAtRandom has nothing to do: the file is in memory.
func ReadAtRandom([]byte) {}
