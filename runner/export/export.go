// Package export writes tables in the formats that other programs read: one
// observation a row, under names as the log has them.
//
//	Sheet ──> Format.Write ──> a file of a name that was free
//
// It computes nothing, and knows neither runs nor screens: whoever has a table
// makes a Sheet of it. A format is a Format in a file of its own and its line in
// builtIn, or is registered.
package export

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Sheet is a table. Every row has as many cells as Head; numbers are written so
// that they read back as they were.
type Sheet struct {
	Name string // of the file, without folder, time and ending
	Head []string
	Rows iter.Seq[[]string] // a row is valid until the next one
}

// Format is one way to write a Sheet.
type Format struct {
	Name  string // "csv": the file's ending too
	Doc   string // what it is, a few words
	Write func(w io.Writer, s *Sheet) error
}

// builtIn is the registry, the customary format first.
func builtIn() []Format { return []Format{csvFormat(), jsonLines(), npzFormat()} }

var registered = builtIn()

// Formats lists every format, the customary one first.
func Formats() []Format { return slices.Clone(registered) }

// Register adds a format and returns what takes it out again. It is for the
// start of a program and for tests. It panics where the name is taken.
func Register(f Format) (remove func()) {
	named := func(o Format) bool { return o.Name == f.Name }
	if slices.ContainsFunc(registered, named) || f.Name == "" || f.Write == nil {
		panic("export: Register wants a new name and a Write")
	}
	registered = append(slices.Clip(registered), f)
	return func() { registered = slices.DeleteFunc(slices.Clone(registered), named) }
}

// WriteFile writes the sheet to a new file in dir, named after it and the time,
// and returns its path. It replaces nothing, and leaves nothing when it fails.
func (f *Format) WriteFile(dir string, s *Sheet, now time.Time) (path string, err error) {
	file, err := f.create(filepath.Join(dir, "export-"+s.Name+"-"+now.Format("20060102-150405")))
	if err != nil {
		return "", err
	}
	return file.Name(), f.into(file, s)
}

// create makes a file of the first free name.
func (f *Format) create(base string) (file *os.File, err error) {
	for i := 1; i < 100; i++ {
		path := base + "." + f.Name
		if i > 1 {
			path = fmt.Sprintf("%s-%d.%s", base, i, f.Name)
		}
		if file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return file, err
}

// Of returns the format that a file's ending names.
func Of(path string) (*Format, error) {
	var names []string
	for _, f := range registered {
		if filepath.Ext(path) == "."+f.Name {
			return &f, nil
		}
		names = append(names, "."+f.Name)
	}
	return nil, fmt.Errorf("%s: give it one of the endings %s", path, strings.Join(names, ", "))
}

// Put writes the sheet to a file of that path, which must be free.
func (f *Format) Put(path string, s *Sheet) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	return f.into(file, s)
}

// into writes the sheet to an open file, which is closed, and removed where that fails.
func (f *Format) into(file *os.File, s *Sheet) error {
	w := bufio.NewWriter(file)
	if err := errors.Join(f.Write(w, s), w.Flush(), file.Close()); err != nil {
		os.Remove(file.Name())
		return fmt.Errorf("writing %s: %w", file.Name(), err)
	}
	return nil
}
