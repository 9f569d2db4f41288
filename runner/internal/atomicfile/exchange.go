//go:build linux || darwin

package atomicfile

import (
	"errors"
	"path"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Exchange implements Disk.
func (r Root) Exchange(a, b string) error {
	inA, err := r.Open(path.Dir(filepath.ToSlash(a)))
	if err != nil {
		return err
	}
	defer inA.Close()
	inB, err := r.Open(path.Dir(filepath.ToSlash(b)))
	if err != nil {
		return err
	}
	defer inB.Close()
	err = exchange(int(inA.Fd()), filepath.Base(a), int(inB.Fd()), filepath.Base(b))
	switch {
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.ENOTSUP):
		return errors.ErrUnsupported // by the system, or by this file system
	}
	return err
}
