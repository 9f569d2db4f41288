package table

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"drolab/runner/data/internal/dataset"
)

// example is the table "csv:example". Its head says how it was made.
//
//go:embed example.csv
var example []byte

// examplePath stands for the example in place of a path.
const examplePath = "example"

// csvOptions lists the options that may follow the path of a table:
//
//	label=COLUMN           what to predict; without it the column named label, else the last one
//	group=COLUMN,COLUMN    the groups, crossed; without it the column named group, else none
//	cells=yes              groups are label × group
//	test=PATH+PATH         the files of the test split; without it,
//	split=COLUMN           a column that says train, val or test of each sample; without both,
//	test_fraction=.2       this part of every class and group (of group=) is the test split,
//	data_seed=0            drawn by this seed
//	missing=error          what to do with missing values: also drop, mean and category
//	drop=COLUMN,COLUMN     columns to leave out
//	categories=top:N       of a column with more categories the N commonest, the rest as one
//	label_trim=.           characters that the labels end in and that are no part of them
//	header=none            the first line is a sample: the columns are c1, c2, ...
//	sep=,                  one character, or tab, semicolon, pipe, space; tab for .tsv
//	encoding=utf8          also latin1, cp1252 and utf16
func csvOptions() []string {
	return append([]string{"label", "group", "cells", "test", "split", "test_fraction",
		"data_seed", "missing", "drop", "categories", "label_trim"}, ofText()...)
}

// ofText lists the options that say how a text file is read.
func ofText() []string { return []string{"header", "sep", "encoding"} }

// csvSet is a table in comma-separated form: a header, then one sample a line; lines before the
// header that start with # are comments. A path that ends in .gz is compressed.
//
// Every column but label, group and split is a feature: numeric if all its values are numbers, else
// categorical and one-hot coded in the order of the sorted values. Scales, means and categories are
// fitted to the training split. These cells are missing values: the empty cell, ?, NA, N/A, NaN,
// null, none and -, in any case of letters.
type csvSet struct {
	dataset.OwnFiles
	dataset.Draw
	Frame
	format tableFormat
}

// tableFormat is how the files of a table are read.
type tableFormat struct {
	scheme  string
	options []string
	// load appends a file to the frame and its bytes to the hash.
	load func(s *csvSet, path string, hash io.Writer) error
}

func inText() tableFormat { return tableFormat{"csv:", csvOptions(), (*csvSet).load} }

func (t tableFormat) parse(name string, e *dataset.Encoder) (s csvSet, err error) {
	s.format = t
	if s.OwnFiles, err = dataset.ParseOwn(name, t.scheme, t.options); err != nil {
		return s, err
	}
	s.Inherit(e)
	s.fitted = e
	o := s.Options
	s.asked = columnsAsked{label: o["label"], group: o["group"], split: o["split"], drop: o["drop"]}
	header, err := s.Choice("header", "yes", "none")
	if err != nil {
		return s, err
	}
	s.bare = header == "none"
	word, err := s.Choice("missing", string(missingError), string(missingDrop), string(missingMean),
		string(missingCategory))
	if err != nil {
		return s, err
	}
	s.missing = missing(word)
	if s.Frame.cells, err = s.OwnFiles.Cells(); err != nil {
		return s, err
	}
	if s.encoding, err = s.Choice("encoding", encodings()...); err != nil {
		return s, err
	}
	if s.top, err = commonest(o["categories"]); err != nil {
		return s, err
	}
	s.trim = o["label_trim"]
	s.comma, err = separator(o["sep"], s.Path)
	return s, err
}

// commonest reads the option categories, the number of categories to keep; 0: the option is not
// given.
func commonest(word string) (n int, err error) {
	if word == "" {
		return 0, nil
	}
	text, ok := strings.CutPrefix(word, "top:")
	if n, err = strconv.Atoi(text); !ok || err != nil || n < 1 || n > MaxCategories {
		return 0, fmt.Errorf("categories=%s: give top:N, as in top:20, with N from 1 to %d", word,
			MaxCategories)
	}
	return n, nil
}

// separator reads the option sep.
func separator(word, path string) (rune, error) {
	if word == "" && strings.HasSuffix(strings.TrimSuffix(path, ".gz"), ".tsv") {
		word = "tab"
	}
	words := map[string]rune{"": ',', "comma": ',', "tab": '\t', "semicolon": ';', "pipe": '|',
		"space": ' '}
	if r, ok := words[word]; ok {
		return r, nil
	}
	r, size := utf8.DecodeRuneInString(word)
	if size != len(word) || r == '"' || r == '\r' || r == '\n' || r == utf8.RuneError {
		return 0, fmt.Errorf("sep=%s: give one character, or comma, tab, semicolon, pipe or space",
			word)
	}
	return r, nil
}

func CSVFiles() *dataset.Provider {
	return &dataset.Provider{
		Name: "csv:", Argument: "PATH", Endings: []string{".csv", ".csv.gz", ".tsv", ".tsv.gz"},
		Table: true, Apart: true, Raw: true,
		Purpose: "a table of your own: csv:PATH?label=COLUMN&group=COLUMN,COLUMN&missing=drop&...",
		Open:    inText().open, Locate: inText().locate,
	}
}

func CSVExample() *dataset.Provider {
	return &dataset.Provider{Name: "csv:" + examplePath, Open: inText().open, Table: true,
		Purpose: "a small synthetic table with two classes and a minority group"}
}

func (t tableFormat) open(name string, o dataset.Options) (*dataset.Dataset, error) {
	s, err := t.parse(name, o.Encoder)
	if err != nil {
		return nil, err
	}
	if s.Draw, err = s.OwnFiles.Draw(o); err != nil {
		return nil, err
	}
	s.opened = o
	if o.Raw {
		return s.openRaw()
	}
	return s.open()
}

func (t tableFormat) locate(name string, absolute func(string) string) string {
	within := func(path string) string {
		if path == examplePath {
			return path
		}
		return absolute(path)
	}
	return dataset.LocateOwn(name, t.scheme, within, func(key, value string) string {
		if key == "test" {
			paths := testFiles(value)
			for i, path := range paths {
				paths[i] = within(path)
			}
			return strings.Join(paths, "+")
		}
		return value
	})
}

// testFiles returns the paths in test=, which are separated by plus signs.
func testFiles(option string) []string { return strings.Split(option, "+") }

func (s csvSet) open() (*dataset.Dataset, error) {
	sum := sha256.New()
	if err := s.format.load(&s, s.Path, sum); err != nil {
		return nil, err
	}
	trainRows := s.Rows
	if test := s.Options["test"]; test != "" {
		if err := s.Useless("test", "split", "test_fraction", "data_seed"); err != nil {
			return nil, err
		}
		for _, path := range testFiles(test) {
			if err := s.format.load(&s, path, sum); err != nil {
				return nil, err
			}
		}
	}
	if s.Options["split"] != "" {
		if err := s.Useless("split", "test_fraction", "data_seed"); err != nil {
			return nil, err
		}
	}
	d, err := s.Dataset(trainRows, s.Draw)
	if in := new(inFile); err != nil && !errors.As(err, &in) {
		err = &inFile{s.Path, err}
	}
	if err != nil {
		return nil, err
	}
	d.Checksum = dataset.ChecksumOf(sum)
	d.Encoder.Options = s.Keep()
	d.Encoder.Options["label"] = s.header[max(0, s.label)]
	return d, nil
}

// load appends one file to the frame and its bytes to the hash.
func (s *csvSet) load(path string, hash io.Writer) error {
	var r io.Reader = bytes.NewReader(example)
	if path != examplePath {
		file, err := dataset.OpenPresent(s.Name, path, "check the path")
		if err != nil {
			return err
		}
		defer file.Close()
		r = file
	}
	if strings.HasSuffix(path, ".gz") {
		z, err := gzip.NewReader(r)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		r = z
	}
	return s.within(path, func() error { return s.Read(io.TeeReader(r, hash)) })
}
