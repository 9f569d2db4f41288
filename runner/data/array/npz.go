package array

import (
	"archive/zip"
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"drolab/runner/data"
	"drolab/runner/internal/memory"
	"drolab/runner/lists"
)

func NPZFiles() *data.Provider {
	return &data.Provider{
		Name: "npz:", Argument: "FILE", Endings: []string{".npz"}, Table: true, Apart: true,
		Unscaled: true,
		Purpose: "arrays of your own, such as frozen features: " +
			"npz:FILE?x=NAME&y=NAME&g=NAME,NAME&split=NAME",
		Open: func(name string, o data.Options) (*data.Dataset, error) {
			return openBundle(name, "npz:", o, readNPZ)
		},
	}
}

// readNPZ reads what numpy.savez writes: a zip file of npy files.
func readNPZ(path string, b []byte) ([]string, func(int) (Array, error), error) {
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, nil, damaged("is not a whole NPZ file")
	}
	name := func(f *zip.File) string { return strings.TrimSuffix(f.Name, ".npy") }
	return lists.Map(z.File, name), func(i int) (Array, error) {
		full := path + ": " + z.File[i].Name
		member, err := extract(b, z.File[i])
		if err != nil {
			return Array{}, fmt.Errorf("%s: %w", full, err)
		}
		return ParseNPY(full, member)
	}, nil
}

// damaged returns the error of a file that lacks something or has other bytes than were written.
func damaged(how string) error {
	return fmt.Errorf("%s: make the file again, or copy it again", how)
}

// extract returns the bytes of a member of a zip file, without a copy if they are stored
// uncompressed.
func extract(whole []byte, f *zip.File) ([]byte, error) {
	at, err := f.DataOffset()
	if err != nil {
		return nil, err
	}
	size, end := f.UncompressedSize64, uint64(len(whole))
	if uint64(at) > end || f.CompressedSize64 > end-uint64(at) {
		return nil, damaged("is cut short")
	}
	if f.Method == zip.Store {
		if size != f.CompressedSize64 {
			return nil, damaged("is damaged, with two sizes")
		}
		b := whole[at : uint64(at)+size]
		if crc32.ChecksumIEEE(b) != f.CRC32 {
			return nil, damaged("is damaged, with another checksum")
		}
		return b, nil
	}
	const most = 1032 // bytes that one byte of deflate can become
	if size/most > f.CompressedSize64 {
		return nil, fmt.Errorf("%d bytes cannot be %d uncompressed", f.CompressedSize64, size)
	}
	if err := memory.Ask(float64(size), "it"); err != nil {
		return nil, err
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b := make([]byte, size)
	if _, err = io.ReadFull(r, b); err == nil {
		_, err = io.Copy(io.Discard, r) // to the end: the checksum is compared there
	}
	if err != nil {
		return nil, damaged("is damaged, " + err.Error())
	}
	return b, nil
}
