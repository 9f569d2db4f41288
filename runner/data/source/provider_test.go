package source_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/runner/data"
	"drolab/runner/data/source"
)

// toy is a source of one feature, three classes and two groups that are not the classes.
type toy int

func (n toy) Len() int                  { return int(n) }
func (n toy) Shape() data.Shape         { return data.Shape{C: 1, H: 1, W: 1} }
func (n toy) Label(i int) int           { return i % 3 }
func (n toy) Group(i int) int           { return i / 2 % 2 }
func (n toy) Read(dst []float32, i int) { dst[0] = float32(i) }

func openToy(string, data.Options) (*data.Dataset, error) {
	return &data.Dataset{
		Classes: []string{"a", "b", "c"}, Groups: []string{"left", "right"}, Train: toy(60),
		Test: toy(12),
	}, nil
}

// toys returns a complete data source, written as doc.go says.
func toys(url string) data.Provider {
	sum := sha256.Sum256([]byte("toy"))
	return data.Provider{
		Name: "toy", Purpose: "for a test",
		Open: func(name string, o data.Options) (*data.Dataset, error) {
			if _, err := os.Stat(filepath.Join(o.Dir, "toys", "toy.bin")); err != nil {
				return nil, &data.MissingError{Dataset: name, Path: o.Dir,
					Remedy: "run `drolab data fetch toy`"}
			}
			return openToy(name, o)
		},
		Files: &data.Files{Folder: "toys", Remote: []data.Remote{
			{Name: "toy.bin", Size: 3, Sum: fmt.Sprintf("sha256:%x", sum), URLs: []string{url}},
		}},
		Sizes:     data.Sizes{Shape: data.Shape{C: 1, H: 1, W: 1}, Classes: 3, Train: 60, Test: 12},
		Imbalance: []float64{1, .5, .25},
	}
}

func TestRegister(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte("toy"))
	}))
	defer site.Close()
	before := source.Names()
	remove := source.Register(toys(site.URL))
	defer remove()

	dir := t.TempDir()
	entry, err := source.Info("toy", dir)
	if err != nil {
		t.Fatalf("before it is fetched, Info(%q): %v", "toy", err)
	}
	if entry.Available {
		t.Errorf("before it is fetched, Info gives it as available: %+v", entry)
	}
	if entry.Download != 3 {
		t.Errorf("before it is fetched, Info gives %d bytes to download, want 3", entry.Download)
	}
	if entry.Sizes.Train != 60 {
		t.Errorf("before it is fetched, Info gives %d samples to train on, want 60",
			entry.Sizes.Train)
	}
	if _, err := source.Open("toy", data.Options{Dir: dir}); err == nil ||
		!strings.Contains(err.Error(), "data fetch toy") {
		t.Errorf("before it is fetched, Open gives the error %v, want one with %q", err,
			"data fetch toy")
	}
	if err := source.Fetch(context.Background(), "toy", dir, data.FetchOptions{}); err != nil {
		t.Fatal(err)
	}
	entry, err = source.Info("toy", dir)
	if err != nil {
		t.Fatalf("Info(%q): %v", "toy", err)
	}
	if !entry.Available {
		t.Errorf("Info gives what was fetched as not available: %+v", entry)
	}
	if list := source.List(dir); !slices.Contains(list, entry) {
		t.Errorf("List gives %+v, want %+v among them", list, entry)
	}
	if got := source.Names(); !slices.Equal(got, append(slices.Clone(before), "toy")) {
		t.Errorf("the names are %q", got)
	}
	for _, f := range []func() error{
		func() error { _, err := source.Open("tyo", data.Options{}); return err },
		func() error {
			return source.Fetch(context.Background(), "shapes", dir, data.FetchOptions{})
		},
	} {
		if err := f(); err == nil || !strings.HasSuffix(err.Error(), "toy") {
			t.Errorf("the choices of %q are without toy", err)
		}
	}

	remove()
	if _, err := source.Info("toy", dir); err == nil {
		t.Error("Info finds a source that was removed")
	}
	if got := source.Names(); !slices.Equal(got, before) {
		t.Errorf("after remove, the names are %q, want %q", got, before)
	}
}

// The package does for a source what the source leaves to it: name, shape, cap, imbalance and
// hold-out. Groups and sizes stay right.
func TestRegisteredIsRestricted(t *testing.T) {
	p := toys("")
	p.Open, p.Files = openToy, nil
	defer source.Register(p)()
	for _, o := range []data.Options{
		{}, {Samples: 30}, {Samples: 100}, {Imbalance: source.DefaultImbalance("toy")},
		{ValFraction: .2},
		{Samples: 30, Imbalance: source.DefaultImbalance("toy"), ValFraction: .2},
	} {
		d, err := source.Open("toy", o)
		if err != nil {
			t.Fatal(err)
		}
		if d.Name != "toy" || len(d.Groups) != 2 {
			t.Errorf("%+v: name %q, groups %q", o, d.Name, d.Groups)
		}
		want := data.Sizes{Shape: d.Shape, Classes: len(d.Classes), Train: d.Train.Len(),
			Test: d.Test.Len()}
		if got, err := source.SizesOf(t.Context(), "toy", o); err != nil || got != want {
			t.Errorf("%+v: SizesOf gives %+v, %v, Open %+v", o, got, err, want)
		}
		x := []float32{0}
		for i := range d.Train.Len() {
			d.Train.Read(x, i)
			if whole := int(x[0]); d.Train.Group(i) != toy(60).Group(whole) ||
				d.Train.Label(i) != toy(60).Label(whole) {
				t.Fatalf("%+v: sample %d, which is %d of the whole, has another group or label", o,
					i, whole)
			}
		}
	}
	one := data.Options{Imbalance: []float64{1}}
	if _, err := source.SizesOf(t.Context(), "toy", one); err == nil {
		t.Error("SizesOf takes one ratio for three classes")
	}
}

// A scheme serves the names that begin with it and the names that end like its files. Relative
// paths are made absolute.
func TestRegisteredScheme(t *testing.T) {
	defer source.Register(data.Provider{
		Name: "toy:", Argument: "PATH", Endings: []string{".toy"}, Purpose: "for a test",
		Open: func(name string, _ data.Options) (*data.Dataset, error) {
			return &data.Dataset{Classes: []string{"a", "b", "c"}, Train: toy(len(name)),
				Test: toy(3)}, nil
		},
		Locate: func(name string, absolute func(string) string) string {
			return "toy:" + absolute(strings.TrimPrefix(name, "toy:"))
		},
	})()
	for name, want := range map[string]string{"toy:rows": "toy:/home/rows",
		"rows.toy": "toy:/home/rows.toy"} {
		if got := source.Locate(name, "/home"); got != want {
			t.Errorf("%q is located at %q, want %q", name, got, want)
		}
		d, err := source.Open(name, data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if d.Train.Len() != len(name) || !slices.Equal(d.Groups, d.Classes) {
			t.Errorf("%q opens %d samples with groups %q", name, d.Train.Len(), d.Groups)
		}
		s, err := source.SizesOf(t.Context(), name, data.Options{})
		if err != nil || s.Train != len(name) {
			t.Errorf("%q: SizesOf gives %+v, %v", name, s, err)
		}
	}
	if slices.Contains(source.Names(), "toy:") || source.DefaultImbalance("toy:rows") != nil {
		t.Error("a scheme is no dataset, and has no ratios of its own")
	}
	i := slices.IndexFunc(source.List(""),
		func(e source.Entry) bool { return e.Name == "toy:PATH" })
	if i < 0 || !source.List("")[i].Scheme {
		t.Errorf("the list is %+v", source.List(""))
	}
}

func TestRegisterRefuses(t *testing.T) {
	for _, name := range []string{"", "shapes"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a source is registered as %q", name)
				}
			}()
			p := toys("")
			p.Name = name
			source.Register(p)()
		}()
	}
}

// The default imbalance is the paper's for the named images, which have ten classes each. Tables
// and the user's own files have none.
func TestDefaultImbalance(t *testing.T) {
	for _, name := range []string{"shapes", "cifar10", "mnist", "fashion-mnist"} {
		if !slices.Equal(source.DefaultImbalance(name), data.PaperImbalance()) {
			t.Errorf("%s: ratios %v", name, source.DefaultImbalance(name))
		}
	}
	for _, name := range []string{"csv:example", "csv:rows", "rows.csv", "idx:digits", "wherever"} {
		if source.DefaultImbalance(name) != nil {
			t.Errorf("%s: ratios %v", name, source.DefaultImbalance(name))
		}
	}
}

// The sizes that are known beforehand agree with those of the opened data set.
func TestSizesOfShapes(t *testing.T) {
	for _, o := range []data.Options{
		{}, {Samples: 123, ValFraction: .3}, {Samples: 12345, Imbalance: data.PaperImbalance(),
			ValFraction: .1},
	} {
		o.Glance = true // no image is looked at
		d, err := source.Open("shapes", o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := source.SizesOf(t.Context(), "shapes", o)
		if err != nil {
			t.Fatalf("SizesOf(%q, %+v): %v", "shapes", o, err)
		}
		want := [...]int{d.Train.Len(), d.Test.Len()}
		if lengths := [...]int{got.Train, got.Test}; lengths != want {
			t.Errorf("%+v: SizesOf gives %v samples to train on and to test with, Open %v", o,
				lengths, want)
		}
		if got.Shape != d.Shape {
			t.Errorf("%+v: SizesOf gives the shape %v, Open %v", o, got.Shape, d.Shape)
		}
	}
	known := map[string]int{"cifar10": 50000, "mnist": 60000, "fashion-mnist": 60000}
	for name, train := range known {
		s, err := source.SizesOf(t.Context(), name, data.Options{})
		if err != nil {
			t.Errorf("SizesOf(%q): %v", name, err)
		}
		got, want := [...]int{s.Train, s.Test, s.Classes}, [...]int{train, 10000, 10}
		if got != want {
			t.Errorf("%s has %v training samples, test samples and classes, want %v", name, got,
				want)
		}
	}
	if _, err := source.SizesOf(t.Context(), "nowhere", data.Options{}); err == nil {
		t.Error("SizesOf knows a dataset that does not exist")
	}
}
