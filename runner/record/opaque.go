package record

import (
	"crypto/sha256"
	"io"

	"drolab/runner/disk"
)

// opaqueFile is the file of a checkpoint that holds what a program saved.
type opaqueFile struct {
	folder string
	name   string
	sum    string // sha256, in hexadecimal
}

// WriteTo implements runner.Opaque. It compares the checksum after the last byte.
func (o *opaqueFile) WriteTo(w io.Writer) (n int64, err error) {
	in, err := disk.OpenFolder(nil, o.folder)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	return o.copyFrom(in, w)
}

func (o *opaqueFile) copyFrom(in *disk.Folder, w io.Writer) (n int64, err error) {
	f, size, err := in.Read(o.name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	hash := sha256.New()
	n, err = io.Copy(io.MultiWriter(w, hash), io.LimitReader(f, size))
	if err == nil {
		err = checkSum(in, o.name, hash, o.sum)
	}
	return n, err
}

// Release implements runner.Opaque.
func (*opaqueFile) Release() {}
