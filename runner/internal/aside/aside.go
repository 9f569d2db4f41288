// Package aside writes files so that a name never stands for less than the
// whole: under another name first, then to the disk, then renamed. Whoever makes
// a folder in that way uses its Prefix and Sync.
//
// It is for files that have one writer; what else is to be known of them is
// their owners' business.
package aside

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// Prefix begins the name of what is not whole yet. A crash may leave it.
const Prefix = ".new-"

// Write makes or replaces the file at path. A leftover aside is overwritten.
func Write(path string, write func(io.Writer) error) error {
	folder, name := filepath.Split(path)
	aside := folder + Prefix + name
	f, err := os.Create(aside)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<18)
	err = write(w)
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(aside, path)
	}
	if err != nil {
		os.Remove(aside)
		return err
	}
	return Sync(filepath.Dir(path))
}

// Sync makes renames within a folder survive a power cut. Some systems have no
// handle of a folder that could be flushed: they order their own metadata.
func Sync(folder string) error {
	switch runtime.GOOS {
	case "windows", "plan9", "js", "wasip1":
		return nil
	}
	d, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
