package page

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"drolab/runner/internal/atomicfile"
)

// Format is one way to write a table to a file that other programs read.
type Format struct {
	Name  string // "csv": the file's ending too
	Doc   string // what it is, a few words
	Write func(w io.Writer, t *Table) error
}

// builtIn is the registry, the customary format first.
func builtIn() []Format {
	return []Format{
		{"csv", "comma-separated values with a header line",
			func(w io.Writer, t *Table) error { return t.CSV(w) }},
		{"jsonl", "one JSON object per line, as pandas.read_json(lines=True) reads",
			writeJSONLines},
		{"npz", "one array per column, as numpy.load reads", writeNPZ},
	}
}

var formats = builtIn()

// Formats lists every format, the customary one first.
func Formats() []Format { return slices.Clone(formats) }

// Register adds a format and returns a function that takes it out again. It is for the start of a
// program and for tests. It panics if the name is taken or empty, or if Write is nil.
func Register(f Format) (remove func()) {
	named := func(o Format) bool { return o.Name == f.Name }
	if slices.ContainsFunc(formats, named) || f.Name == "" || f.Write == nil {
		panic("page: Register wants a new name and a Write")
	}
	formats = append(slices.Clip(formats), f)
	return func() { formats = slices.DeleteFunc(slices.Clone(formats), named) }
}

// WriteFile writes the table to a new file in dir, named after it and the time,
// and returns its path when it is on disk. It replaces nothing, and leaves nothing
// under that name when it fails.
func (f *Format) WriteFile(dir string, t *Table, now time.Time) (path string, err error) {
	in, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer in.Close()
	name, err := f.WriteIn(atomicfile.Root{Root: in}, t, now)
	if err != nil {
		return "", fmt.Errorf("writing to %s: %w", dir, err)
	}
	return filepath.Join(dir, name), nil
}

// WriteIn is WriteFile in an open folder; it returns the name.
func (f *Format) WriteIn(in atomicfile.Disk, t *Table, now time.Time) (name string, err error) {
	base := "export-" + t.Name + "-" + now.Format("20060102-150405")
	names := func(yield func(string) bool) {
		ok := yield(base + "." + f.Name)
		for i := 2; ok && i < 100; i++ {
			ok = yield(fmt.Sprintf("%s-%d.%s", base, i, f.Name))
		}
	}
	return atomicfile.NewIn(in, names, 0o644, func(w io.Writer) error { return f.Write(w, t) })
}

// Replace writes the file at path. The old file stays until the new one is on disk. If path is not
// a regular file but a pipe or a link, for example, Replace writes to it directly.
func Replace(path string, write func(io.Writer) error) error {
	if info, err := os.Lstat(path); err != nil || info.Mode().IsRegular() {
		return atomicfile.Write(path, write)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	return errors.Join(write(w), w.Flush(), f.Close())
}

// FormatOf returns the format that a file's ending names.
func FormatOf(path string) (*Format, error) {
	var names []string
	for _, f := range formats {
		if filepath.Ext(path) == "."+f.Name {
			return &f, nil
		}
		names = append(names, "."+f.Name)
	}
	return nil, fmt.Errorf("%s: give it one of the endings %s", path, strings.Join(names, ", "))
}

// WriteNew writes the table to a file of that path, which must be free.
func (f *Format) WriteNew(path string, t *Table) error {
	return NewFile(path, func(w io.Writer) error { return f.Write(w, t) })
}

// NewFile makes a file of that path, which must be free, whole or not at all.
func NewFile(path string, write func(io.Writer) error) error {
	if err := atomicfile.Add(path, 0o644, write); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
