package disk

import (
	"os"
	"path/filepath"
)

// What else lies in a folder of runs, the engine's lock and log, is opened as
// what is in a run: only a regular file, without following a link.

// OpenPlain opens a file to read.
func OpenPlain(path string) (*os.File, error) { return plainFile(path, os.O_RDONLY) }

// AppendPlain opens a file to append to; where it is missing it is made for its
// owner only. One of more than most bytes begins anew.
func AppendPlain(path string, most int64) (*os.File, error) {
	f, err := plainFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > most {
		err = f.Truncate(0)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func plainFile(path string, flags int) (*os.File, error) {
	in, err := OpenFolder(nil, filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	f, err := in.Open(filepath.Base(path), flags, lockMode)
	if err != nil {
		return nil, err
	}
	return f.(*os.File), nil // the system's
}
