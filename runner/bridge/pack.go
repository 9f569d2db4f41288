package bridge

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/spec"
)

// savedFolder is the folder into which a program has saved. It implements runner.Opaque as one
// stream of all its files; the same files give the same stream.
type savedFolder struct {
	folder   string
	settings *spec.Spec  // bounds the bytes of all files
	atOnce   func() bool // whether the run is to stop without them
}

// mostFiles bounds the number of files that a program may save.
const mostFiles = 10_000

// WriteTo implements runner.Opaque.
func (s savedFolder) WriteTo(w io.Writer) (int64, error) {
	root, err := os.OpenRoot(s.folder)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	c := &countingWriter{from: s, w: w}
	out, files, left := tar.NewWriter(c), 0, &allowance{s.folder, s.settings.MostSaved()}
	err = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if files++; files > mostFiles {
			return fmt.Errorf("the program has saved more than %d files", mostFiles)
		}
		if !e.Type().IsRegular() {
			return fmt.Errorf("the program has saved %q, which is not a file", name)
		}
		return pack(out, root, name, left)
	})
	if err == nil {
		err = out.Close()
	}
	return c.n, err
}

// allowance is what may still be written of the files that a program saves.
type allowance struct {
	folder string // on whose disk
	bytes  int64
}

// take takes the size of a file from it. Holes count as the zeros that will be written.
func (a *allowance) take(size int64) error {
	if a.bytes -= size; a.bytes < 0 {
		return errors.New("the program has saved more than the setting checkpoint_gb allows: " +
			"save less, or raise it")
	}
	return disk.AskFree(a.folder, float64(size))
}

// pack writes one file, in its present size.
func pack(out *tar.Writer, root *os.Root, name string, left *allowance) error {
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		err = left.take(info.Size())
	}
	if err != nil {
		return err
	}
	h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o600, Size: info.Size(),
		Format: tar.FormatPAX}
	if err := out.WriteHeader(h); err != nil {
		return err
	}
	_, err = io.CopyN(out, f, info.Size())
	return err
}

// Release implements runner.Opaque.
func (s savedFolder) Release() { os.RemoveAll(s.folder) }

// countingWriter counts the bytes that are written, as long as they are of use.
type countingWriter struct {
	from savedFolder
	w    io.Writer
	n    int64
}

func (c *countingWriter) Write(b []byte) (int, error) {
	if c.from.atOnce() {
		how := "drolab resume"
		if c.from.settings.IsScript() {
			how = "drolab.start(resume=...)"
		}
		return 0, fmt.Errorf("the checkpoint was given up because its run was to stop at once: "+
			"%s continues from the last checkpoint", how)
	}
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// unpack puts the files that a program has saved into an empty folder. It writes nothing outside of
// the folder, and no more than the settings allow, whatever the stream says. A wrong checksum is an
// error, too.
func unpack(o runner.Opaque, folder string, of *spec.Spec) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	from, to := io.Pipe()
	go func() {
		_, err := o.WriteTo(to)
		to.CloseWithError(err) // nil is the end
	}()
	defer from.Close()
	if err := unpackFrom(from, root, &allowance{folder, of.MostSaved()}); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, from) // up to the checksum
	return err
}

func unpackFrom(from io.Reader, root *os.Root, left *allowance) error {
	in := tar.NewReader(from)
	for files := 0; ; files++ {
		h, err := in.Next()
		if err == nil {
			err = left.take(h.Size)
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("what the program saved cannot be read: %w", err)
		case files == mostFiles || h.Typeflag != tar.TypeReg || !filepath.IsLocal(h.Name):
			return fmt.Errorf("what the program saved has %.100q, which no program saved", h.Name)
		}
		if err := unpackFile(in, root, path.Clean(h.Name)); err != nil {
			return err
		}
	}
}

func unpackFile(in io.Reader, root *os.Root, name string) error {
	if dir := path.Dir(name); dir != "." {
		if err := root.MkdirAll(filepath.FromSlash(dir), 0o700); err != nil {
			return err
		}
	}
	f, err := root.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, in)
	return errors.Join(err, f.Close())
}
