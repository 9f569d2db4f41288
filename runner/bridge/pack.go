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
)

// saved is the folder into which a program has saved. It implements runner.Opaque as one stream of
// all its files; the same files give the same stream.
type saved struct{ folder string }

// mostFiles bounds the number of files that a program may save.
const mostFiles = 10_000

// WriteTo implements runner.Opaque.
func (s saved) WriteTo(w io.Writer) (int64, error) {
	root, err := os.OpenRoot(s.folder)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	c := &counter{w: w}
	out, files := tar.NewWriter(c), 0
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
		return pack(out, root, name)
	})
	if err == nil {
		err = out.Close()
	}
	return c.n, err
}

// pack writes one file, in its present size.
func pack(out *tar.Writer, root *os.Root, name string) error {
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
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
func (s saved) Release() { os.RemoveAll(s.folder) }

// counter counts the bytes that are written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// unpack puts the files that a program has saved into an empty folder. It writes nothing outside of
// the folder, whatever the stream says. A wrong checksum is an error, too.
func unpack(o runner.Opaque, folder string) error {
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
	if err := unpackFrom(from, root); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, from) // up to the checksum
	return err
}

func unpackFrom(from io.Reader, root *os.Root) error {
	in := tar.NewReader(from)
	for files := 0; ; files++ {
		h, err := in.Next()
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
