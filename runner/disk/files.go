package disk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"drolab/runner/internal/atomicfile"
)

// Files keeps small files beside runs, for what concerns many of them. Each is complete at every
// moment, a regular file with one name, and only its owner can read it. A file is JSON, sealed, or
// a text without a seal. The zero value uses the system's disk, with this machine as the holder of
// locks, and does not check to what sealed files belong.
type Files struct {
	Open atomicfile.Opener
	Who  Holder
	Owner
}

// mostFile bounds one file, in bytes: the list of 100 000 runs has a tenth of it.
const mostFile = 256 << 20

// Folder makes a folder that only its owner can enter, where there is none.
func (k Files) Folder(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), FolderMode); err != nil {
		return err
	}
	return InFolderOf(k.Open, path, func(in *Folder, name string) error {
		err := in.Mkdir(name, FolderMode)
		if errors.Is(err, fs.ErrExist) {
			return nil
		}
		return errors.Join(err, in.Sync())
	})
}

// Write makes or replaces a sealed file.
func (k Files) Write(path string, v any) error { return k.writeSealed(path, v, atomicfile.WriteIn) }

// Add makes a sealed file. The error is an fs.ErrExist where the file exists. Of several processes
// that add it at once only one succeeds.
func (k Files) Add(path string, v any) error { return k.writeSealed(path, v, atomicfile.AddIn) }

// WriteText makes or replaces a file that is not sealed, as a person or a program wrote it.
func (k Files) WriteText(path string, text []byte) error {
	return k.write(path, text, atomicfile.WriteIn)
}

// AddText is Add for a file that is not sealed.
func (k Files) AddText(path string, text []byte) error {
	return k.write(path, text,
		atomicfile.AddIn)
}

// A writeFunc puts a file into a folder: atomicfile.WriteIn or atomicfile.AddIn.
type writeFunc func(
	in atomicfile.Disk, name string, mode fs.FileMode, write func(io.Writer) error,
) error

func (k Files) writeSealed(path string, v any, how writeFunc) error {
	b, err := json.Marshal(v)
	if err == nil {
		b, err = Seal{Owner: k.Owner}.PutJSON(b)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return k.write(path, b, how)
}

func (k Files) write(path string, text []byte, how writeFunc) error {
	return InFolderOf(k.Open, path, func(in *Folder, name string) error {
		if err := how(in, name, lockMode, atomicfile.Copying(bytes.NewReader(text))); err != nil {
			return fmt.Errorf("writing %s: %w", path, Explain(err, in.Path))
		}
		return nil
	})
}

// Read reads a sealed file.
func (k Files) Read(path string, v any) error { return k.decode(path, v, k.Decode) }

// ReadFirst is Read for a file that says the format of the others. The error is ErrBefore for one
// from before there was a format.
func (k Files) ReadFirst(path string, v any) error { return k.decode(path, v, Decode) }

func (k Files) decode(path string, v any, by func(text []byte, v any) (Seal, error)) error {
	text, err := k.Text(path)
	if err != nil {
		return err
	}
	if _, err = by(text, v); err != nil && !errors.Is(err, ErrBefore) {
		err = fmt.Errorf("%s: %w; drolab doctor has the remedy", path, err)
	}
	return err
}

// Text returns the text of a file as it is, with its seal.
func (k Files) Text(path string) (text []byte, err error) {
	err = InFolderOf(k.Open, path, func(in *Folder, name string) error {
		text, err = in.text(name, mostFile)
		return err
	})
	return text, err
}

// Remove removes a file. A missing file is no error.
func (k Files) Remove(path string) error {
	return InFolderOf(k.Open, path, func(in *Folder, name string) error {
		if err := in.Remove(name); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}

// Lock acquires a lock file. It waits for it at most for patience. On a disk without locks the lock
// is a lease.
func (k Files) Lock(path string, patience time.Duration) (l *Lock, err error) {
	const pause = 50 * time.Millisecond
	err = InFolderOf(k.Open, path, func(in *Folder, name string) error {
		in.Who = k.Who
		for began := time.Now(); ; time.Sleep(pause) {
			l, err = in.Acquire(name)
			if !errors.Is(err, ErrHeld) && !errors.Is(err, ErrLeased) {
				return Explain(err, in.Path)
			}
			if time.Since(began) > patience {
				return fmt.Errorf("%s: %w for %v: try again", path, err, patience)
			}
		}
	})
	return l, err
}

// AppendPlain opens the log of an engine to append to, in the same way as a file of a run: only a
// regular file, without following a link. It makes a missing file for its owner only. It empties a
// file of more than most bytes. size is the number of bytes that it has then.
func AppendPlain(path string, most int64) (f *os.File, size int64, err error) {
	err = InFolderOf(nil, path, func(in *Folder, name string) error {
		o, n, err := in.OpenSized(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, lockMode)
		if err != nil {
			return err
		}
		f, size = o.(*os.File), n // without an Opener, files are the system's
		if size > most {
			size = 0
			if err = f.Truncate(0); err != nil {
				f.Close()
			}
		}
		return err
	})
	return f, size, err
}
