package box

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// The files that a forwarded command writes come here as one tar archive. The file or folder that
// stands for the argument N is named N in it.

// packOutputs writes the archive of the outputs that exist; paths has the path of each by its
// number.
func packOutputs(to io.Writer, paths map[int]string) error {
	archive := tar.NewWriter(to)
	for n, root := range paths {
		err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
			if file == root && errors.Is(err, fs.ErrNotExist) {
				return nil // the command has not written it
			}
			if err != nil {
				return err
			}
			below, err := filepath.Rel(root, file)
			if err != nil {
				return err
			}
			return packOne(archive, file, path.Join(strconv.Itoa(n), filepath.ToSlash(below)), d)
		})
		if err != nil {
			return err
		}
	}
	return archive.Close()
}

func packOne(archive *tar.Writer, file, name string, d fs.DirEntry) error {
	if d.IsDir() {
		return archive.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name, Mode: 0o755})
	}
	if !d.Type().IsRegular() {
		return fmt.Errorf("%s: expected a file or a folder", file)
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	head := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: info.Size()}
	if err := archive.WriteHeader(head); err != nil {
		return err
	}
	_, err = io.Copy(archive, f)
	return err
}

// Bounds of what a box may send as the output of one command.
const (
	maxOutputs     = 10_000   // files and folders
	maxOutputBytes = 64 << 30 // of their content
)

// outputs takes in the files of a forwarded command. Each is written aside, beside the place that
// the user named, until keep gives it its name.
type outputs struct {
	wanted map[int]string   // the place of each, by its number
	aside  map[int]*os.Root // a folder beside it, in which it is written
	count  int
	bytes  int64
}

// newOutputs refuses a place where something is already.
func newOutputs(wanted map[int]string) (*outputs, error) {
	for _, place := range wanted {
		if _, err := os.Lstat(place); err == nil {
			return nil, fmt.Errorf("%s exists already: give another name", place)
		}
		if info, err := os.Stat(filepath.Dir(place)); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("%s: its folder does not exist", place)
		}
	}
	return &outputs{wanted: wanted, aside: map[int]*os.Root{}}, nil
}

// unpack reads an archive to its end.
func (o *outputs) unpack(from io.Reader) error {
	archive := tar.NewReader(from)
	for {
		head, err := archive.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the files of the box: %w", err)
		}
		if err := o.take(head, archive); err != nil {
			return err
		}
	}
}

// take takes in one file or folder. Its name begins with the number of an output, and cannot lead
// out of it.
func (o *outputs) take(head *tar.Header, content io.Reader) error {
	name := path.Clean(head.Name)
	number, _, _ := strings.Cut(name, "/")
	n, err := strconv.Atoi(number)
	place, ok := o.wanted[n]
	if err != nil || !ok || !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("the box sends a file %.100q, which nobody asked for", head.Name)
	}
	o.count++
	if o.bytes += max(head.Size, 0); o.count > maxOutputs || o.bytes > maxOutputBytes {
		return fmt.Errorf("the box sends more than %d files or %d bytes", maxOutputs,
			int64(maxOutputBytes))
	}
	if o.aside[n] == nil {
		if o.aside[n], err = openAside(place); err != nil {
			return err
		}
	}
	name = filepath.FromSlash(name)
	switch head.Typeflag {
	case tar.TypeDir:
		return o.aside[n].Mkdir(name, 0o755)
	case tar.TypeReg:
		return writeSynced(o.aside[n], name, content)
	}
	return fmt.Errorf("the box sends %.100q, which is neither a file nor a folder", head.Name)
}

func openAside(place string) (*os.Root, error) {
	dir, err := os.MkdirTemp(filepath.Dir(place), ".drolab-")
	if err != nil {
		return nil, err
	}
	return os.OpenRoot(dir)
}

func writeSynced(in *os.Root, name string, content io.Reader) error {
	f, err := in.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Sync(), f.Close())
}

// keep gives the outputs the names that the user has given.
func (o *outputs) keep() (err error) {
	for n, aside := range o.aside {
		place := o.wanted[n]
		if _, there := os.Lstat(place); there == nil {
			err = errors.Join(err, fmt.Errorf("%s exists by now: give another name", place))
			continue
		}
		err = errors.Join(err, os.Rename(filepath.Join(aside.Name(), strconv.Itoa(n)), place))
	}
	return err
}

// drop removes what was written aside and is not kept.
func (o *outputs) drop() {
	for _, aside := range o.aside {
		aside.Close()
		os.RemoveAll(aside.Name())
	}
}
