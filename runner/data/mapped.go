package data

import (
	"errors"
	"fmt"
)

// Mapped are the files that a data set has mapped.
type Mapped []Mapping

// Mapping is a mapped file.
type Mapping struct {
	Path    string
	Bytes   []byte
	release func() error
}

// Contents returns the bytes of a file. If it is larger than InMemory, it is mapped, and the bytes
// are valid until Close.
func (m *Mapped) Contents(path string) ([]byte, error) {
	f, err := OpenInput(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Size > InMemory {
		return m.Map(f)
	}
	return ReadWhole(f)
}

// Map maps a whole file for reading, or reads it where the system maps none.
func (m *Mapped) Map(f *Input) ([]byte, error) {
	if f.Size != int64(int(f.Size)) {
		return nil, fmt.Errorf("%s: %d bytes do not fit the address space", f.Name(), f.Size)
	}
	b, release, err := mapFile(f)
	if release != nil {
		*m = append(*m, Mapping{f.Name(), b, release})
	}
	return b, err
}

// Attach gives the files to the data set that was made of them. If there is an error instead, it
// releases them and returns the error.
func (m *Mapped) Attach(d *Dataset, err error) (*Dataset, error) {
	if err != nil {
		m.Close() // the first error is the one to tell
		return nil, err
	}
	d.Mapped = *m
	return d, nil
}

// Close releases the files, whose bytes nobody may read any more.
func (m *Mapped) Close() (err error) {
	for _, f := range *m {
		err = errors.Join(err, f.release())
	}
	*m = nil
	return err
}

// IsFault reports whether a value that was recovered is a fault in a mapped file, which was cut or
// lost while it was read.
func IsFault(recovered any) bool {
	f, ok := recovered.(interface{ Addr() uintptr })
	return ok && f.Addr() > 1<<16 // below lies nil
}
