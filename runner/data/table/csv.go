package table

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"io"

	"drolab/runner/data"
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
//	groups=COLUMN,COLUMN   groups that may overlap, a column each: 1 for a member, else 0
//	cells=yes              groups are label × group
//	test=PATH+PATH         the files of the test split; without it,
//	split=COLUMN           a column that says train, val or test of each sample; without both,
//	test_fraction=.2       this part of every class and group (of group=) is the test split,
//	data_seed=0            drawn by this seed
//	split_by=COLUMN,COLUMN rows with the same value in one of these stay in one split;
//	                       COLUMN+COLUMN for a combination
//	na=WORD,WORD           the cells without a value, besides the empty one; na= alone: no others
//	missing=error          what to do with missing values: also drop, mean and category
//	drop=COLUMN,COLUMN     columns to leave out
//	keep=COLUMN,COLUMN     columns of group=, groups= and split= that are features, too
//	categorical=COLUMN     columns whose numbers are codes
//	numeric=COLUMN         columns whose numbers are quantities, even with leading zeros
//	categories=top:N       of a column with more categories the N commonest, the rest as one
//	label_trim=.           characters that the labels end in and that are no part of them
//	header=none            the first line is a sample: the columns are c1, c2, ...
//	sep=,                  one character, or tab, semicolon, pipe, space; tab for .tsv
//	encoding=utf8          also latin1, cp1252 and utf16
func csvOptions() []string {
	return append([]string{"label", "group", "groups", "cells=no|yes", "test", "split",
		"split_by", "test_fraction", "data_seed", "na", "missing=error|drop|mean|category", "drop",
		"keep", "categorical", "numeric", "categories", "label_trim"}, ofText()...)
}

// ofText lists the options that say how a text file is read.
func ofText() []string {
	return []string{"header=yes|none", "sep", "encoding=utf8|latin1|cp1252|utf16"}
}

// inText is the format of tables in comma-separated form: a header, then one sample a line; lines
// before the header that start with # are comments. The ending of a path says how it is compressed.
func inText() tableFormat { return tableFormat{"csv:", csvOptions(), (*Frame).load} }

func CSVFiles() *data.Provider {
	return &data.Provider{
		Name: "csv:", Argument: "PATH", Endings: packedAs(".csv", ".tsv"),
		Table: true, Apart: true, Raw: true,
		Purpose: "a table of your own: csv:PATH?label=COLUMN&group=COLUMN,COLUMN&missing=drop&...",
		Open:    inText().open, Locate: inText().locate,
	}
}

func CSVExample() *data.Provider {
	return &data.Provider{Name: "csv:" + examplePath, Open: inText().open, Table: true,
		Purpose: "a small synthetic table with two classes and a minority group"}
}

// refuseUseless refuses options that say nothing beside another way to split the samples.
func (f *Frame) refuseUseless() error {
	switch {
	case f.opened.Raw:
		return cmp.Or(f.RefuseBeside("predictions", "groups"),
			f.RefuseBeside("predictions", "split_by"),
			f.RefuseBeside("a column of splits", "test", "test_fraction", "data_seed"))
	case f.Options["test"] != "":
		return f.RefuseBeside("test", "split", "test_fraction", "data_seed")
	}
	return nil
}

// load appends one file to the frame and its bytes to the hash.
func (f *Frame) load(path string, hash io.Writer) error {
	var r io.Reader = bytes.NewReader(example)
	if path != examplePath {
		file, err := data.OpenOwn(f.Name, path)
		if err != nil {
			return err
		}
		defer file.Close()
		head := make([]byte, headSize)
		n, _ := file.ReadAt(head, 0) // reading the text tells of an error
		if err := foreign(path, head[:n], f.encoding); err != nil {
			return err
		}
		r = file
	}
	r, done, err := unpacked(path, r)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer done()
	return f.within(path, func() error { return f.Read(io.TeeReader(r, hash)) })
}
