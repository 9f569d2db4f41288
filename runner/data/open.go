package data

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"drolab/runner/data/internal/dataset"
	"drolab/runner/data/internal/picture"
	"drolab/runner/data/internal/table"
)

// Open opens the dataset of the given name: one of Names, or the user's own files in the form that
// a scheme of List describes. It writes nothing but the cache of resized pictures in the data
// folder. If the dataset is not there, it returns a *MissingError.
func Open(name string, o Options) (*Dataset, error) {
	return OpenContext(context.Background(), name, o)
}

// OpenContext is like Open, but the end of ctx stops a reading that takes minutes, or that another
// process does: see [ReadApart].
func OpenContext(ctx context.Context, name string, o Options) (*Dataset, error) {
	d, err := open(ctx, name, o)
	if _, missing := errors.AsType[*MissingError](err); err != nil && !missing {
		err = fmt.Errorf("dataset %s: %w", name, err)
	}
	if err != nil && len(err.Error()) > maxError {
		err = &longError{err}
	}
	return d, err
}

// maxError is the maximum length of an error's text in bytes. It is needed because a file may name
// any number of columns and arrays.
const maxError = 64 << 10

// longError is an error whose text leaves out the middle.
type longError struct{ error }

func (e *longError) Error() string {
	text, half := e.error.Error(), maxError/2
	begin, end := text[:half], text[len(text)-half:]
	return strings.ToValidUTF8(begin, "") + " … " + strings.ToValidUTF8(end, "")
}

func (e *longError) Unwrap() error { return e.error }

func open(ctx context.Context, name string, o Options) (*Dataset, error) {
	if err := dataset.Validate(o); err != nil {
		return nil, err
	}
	if err := dataset.Named(name); err != nil {
		return nil, err
	}
	p, err := find(name)
	if err != nil {
		return nil, err
	}
	o.Progress = stopping(ctx, o.Progress)
	d, err := readBy(ctx, p, name, o)
	if err != nil {
		return nil, err
	}
	for _, m := range d.Mapped {
		dataset.ReadAtRandom(m.Bytes)
	}
	d.Name = name
	if err := dataset.Finish(d, p, o); err != nil {
		d.Close() // the first error is the one to tell
		return nil, err
	}
	return d, nil
}

// stopping returns an Options.Progress that also ends the reading once ctx ends.
func stopping(ctx context.Context, tell func(done, of int) error) func(done, of int) error {
	return func(done, of int) error {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("reading it was stopped: %w", err)
		}
		if tell == nil {
			return nil
		}
		return tell(done, of)
	}
}

// OpenRaw reads a table of another program's predictions as its file has it. The rows are the test
// split, and Encoder.Columns names the numbers that [Raw] returns for a row. Label, groups and
// split are found as in other tables.
func OpenRaw(ctx context.Context, name string) (*Dataset, error) {
	p, err := find(name)
	if err != nil || !p.Raw {
		return nil, fmt.Errorf("%s: predictions are a table: want a file .csv, .csv.gz, .tsv or "+
			".parquet", name)
	}
	return readBy(ctx, p, name, Options{Raw: true})
}

// InOrder returns the names in the order of class names: by value if all are whole numbers, else in
// byte order.
func InOrder(names []string) []string {
	names = slices.Sorted(slices.Values(names))
	dataset.SortNumeric(names)
	return names
}

// registry holds every Provider, the providers of a single dataset in the order of Names.
var registry = struct {
	sync.RWMutex
	list []*Provider
}{list: []*Provider{Shapes(), Spurious(), table.CSVExample(),
	picture.CIFAR10(), picture.CIFAR100(), picture.CIFAR100Coarse(), picture.Mnist(),
	picture.Fashion(), table.CSVFiles(), table.ParquetFiles(), NPZFiles(), NPYFiles(),
	Safetensors(),
	picture.IDXFolders(), picture.PictureFolders()}}

// Register adds a data source for the whole program, until remove is called. It panics if the name
// is taken.
func Register(p Provider) (remove func()) {
	registry.Lock()
	defer registry.Unlock()
	named := func(q *Provider) bool { return q.Name == p.Name }
	if p.Name == "" || p.Open == nil || slices.ContainsFunc(registry.list, named) {
		panic("data: a provider needs a name of its own and Open")
	}
	registry.list = append(slices.Clip(registry.list), &p)
	return func() {
		registry.Lock()
		defer registry.Unlock()
		registry.list = slices.DeleteFunc(slices.Clone(registry.list),
			func(q *Provider) bool { return q == &p })
	}
}

// providers gives the registry as it is now.
func providers() []*Provider {
	registry.RLock()
	defer registry.RUnlock()
	return registry.list
}

// find returns the provider of a name: the provider with exactly this name, else the provider of
// its scheme, else the provider of its file name ending.
func find(name string) (*Provider, error) {
	list := providers()
	for _, fits := range []func(p *Provider) bool{
		func(p *Provider) bool { return p.Name == name },
		func(p *Provider) bool { return isScheme(p) && strings.HasPrefix(name, p.Name) },
		func(p *Provider) bool {
			path, _, _ := strings.Cut(name, "?")
			return slices.ContainsFunc(p.Endings, func(e string) bool {
				return strings.HasSuffix(path, e)
			})
		},
	} {
		if i := slices.IndexFunc(list, fits); i >= 0 {
			return list[i], nil
		}
	}
	return nil, unknown(name, list)
}

// unknown returns the error of a name that no provider has. It may be a path without its scheme.
func unknown(name string, list []*Provider) error {
	path, _, _ := strings.Cut(name, "?")
	if folder := dataset.ForeignFolder(path); folder != nil {
		return fmt.Errorf("%s %w, or a folder of pictures as images:%s", path, folder, path)
	}
	if foreign := dataset.ForeignEnding(path); foreign != nil {
		return fmt.Errorf("%s %w", path, foreign)
	}
	if path != "" && dataset.Exists(path) {
		return fmt.Errorf("%s is a file of unknown kind: give a table as csv:%s", path, name)
	}
	near := dataset.Near(dataset.Map(list, func(p *Provider) string { return p.Name }), name)
	if near != "" {
		return fmt.Errorf("unknown name: write %s, or choose one of %s", near, choice(list))
	}
	return fmt.Errorf("unknown name: choose one of %s", choice(list))
}

func isScheme(p *Provider) bool { return strings.HasSuffix(p.Name, ":") }

// choice lists the names of providers.
func choice(list []*Provider) string {
	form := func(p *Provider) string { return p.Name + p.Argument }
	return strings.Join(dataset.Map(list, form), ", ")
}

// Locate returns the name of a dataset with the paths that are relative to the folder base made
// absolute, for a process that works in another folder. Names without a path stay as they
// are.
func Locate(name, base string) string {
	absolute := func(path string) string {
		if filepath.IsAbs(path) || path == "" {
			return path
		}
		return filepath.Join(base, path)
	}
	p, err := find(name)
	switch {
	case err != nil:
		return name
	case p.Locate != nil:
		return p.Locate(name, absolute)
	case !isScheme(p):
		return name
	}
	return dataset.LocateOwn(name, p.Name, absolute, func(_, value string) string { return value })
}

// Table reports whether the samples of a dataset are rows of numbers, which have no augmentation.
func Table(name string) bool {
	p, err := find(name)
	return err == nil && p.Table
}

// Unscaled reports whether the features of a dataset are used as its file has them, and scale=
// would standardise them.
func Unscaled(name string) bool {
	p, err := find(name)
	_, query, _ := strings.Cut(name, "?")
	return err == nil && p.Unscaled && !strings.Contains("&"+query+"&", "&scale=standard&")
}

// DefaultImbalance returns the customary imbalance of a dataset, one ratio a class; nil: all
// samples.
func DefaultImbalance(name string) []float64 {
	p, err := find(name)
	if err != nil {
		return nil
	}
	return slices.Clone(p.Imbalance)
}

// SizesOf returns the sizes of the dataset with these options. It opens the dataset if they are not
// known.
func SizesOf(name string, o Options) (Sizes, error) {
	if s, ok := KnownSizes(name, o); ok {
		return s, nil
	}
	d, err := Open(name, o)
	if err != nil {
		return Sizes{}, err
	}
	return Sizes{Shape: d.Shape, Classes: len(d.Classes), Train: d.Train.Len(), Test: d.Test.Len()},
		d.Close()
}

// KnownSizes returns the sizes of the dataset with these options, on the assumption that all
// classes have the same size. ok is false if the sizes are unknown until files are read, or if the
// options cannot be used.
func KnownSizes(name string, o Options) (s Sizes, ok bool) {
	p, err := find(name)
	if err != nil {
		return Sizes{}, false
	}
	return dataset.SizesBy(p, o)
}

// An Entry describes one data source.
type Entry struct {
	Name      string // of the dataset; of a scheme, the form of its names: "idx:DIR"
	Scheme    bool   // the user's own files, wherever they lie
	Purpose   string // one line
	Available bool   // its files are there, though not checked; Open checks them
	Path      string // where it is looked for; empty if it needs no file in the data folder
	Download  int64  // bytes that Fetch loads when nothing is there; 0 if it needs no file
	Sizes     Sizes  // of the whole dataset; zero where only opening it tells
}

// Names lists the names of the single datasets. Datasets that need no file come first.
func Names() []string {
	var names []string
	for _, p := range providers() {
		if !isScheme(p) {
			names = append(names, p.Name)
		}
	}
	return names
}

// List describes every data source, the datasets in the order of Names and the schemes. It looks
// for their files in the data folder dir.
func List(dir string) []Entry {
	return dataset.Map(providers(), func(p *Provider) Entry { return described(p, dir) })
}

// Info describes the data source of a name that Open takes. It looks for the files in the data
// folder dir.
func Info(name, dir string) (Entry, error) {
	p, err := find(name)
	if err != nil {
		return Entry{}, fmt.Errorf("dataset %s: %w", name, err)
	}
	return described(p, dir), nil
}

func described(p *Provider, dir string) Entry {
	e := Entry{
		Name: p.Name + p.Argument, Scheme: isScheme(p), Purpose: p.Purpose, Sizes: p.Sizes,
		Available: true,
	}
	if f := p.Files; f != nil {
		e.Path = filepath.Join(dir, f.Folder)
		e.Available, e.Download = f.AreIn(dir), dataset.TotalSize(f.Remote)
	}
	return e
}

// Fetch makes sure that all files of a dataset are in the data folder dir, and downloads the
// missing ones; after it, Open finds the dataset. A downloaded file gets its name only with the
// right size and checksum. An interrupted download (by ctx or a broken connection) is kept aside,
// and the next call continues it.
func Fetch(ctx context.Context, name, dir string, o FetchOptions) error {
	list := slices.DeleteFunc(slices.Clone(providers()),
		func(p *Provider) bool { return p.Files == nil })
	i := slices.IndexFunc(list, func(p *Provider) bool { return p.Name == name })
	if i < 0 {
		return fmt.Errorf(
			"fetch %s: nothing to fetch under that name: choose one of %s", name, choice(list))
	}
	if err := list[i].Files.Bring(ctx, dir, o); err != nil {
		return fmt.Errorf("fetch %s: %w", name, err)
	}
	return nil
}
