package table

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"drolab/runner/data"
)

// inParquet is the format of tables in Parquet files: flat columns of numbers, texts and booleans,
// with the options of csv: except those of text files. Cells are the same as in CSV: a null or a
// NaN is missing, a boolean is True or False, a day or a time is the number in the file. The line
// that an error names is the row, from 1.
func inParquet() tableFormat {
	options := slices.DeleteFunc(csvOptions(), func(o string) bool {
		return slices.Contains(ofText(), o)
	})
	return tableFormat{"parquet:", options, (*Frame).loadParquet}
}

func ParquetFiles() *data.Provider {
	return &data.Provider{
		Name: "parquet:", Argument: "PATH", Endings: []string{".parquet"},
		Table: true, Apart: true, Raw: true,
		Purpose: "the same in Parquet: parquet:PATH?label=COLUMN&group=COLUMN,COLUMN&...",
		Open:    inParquet().open, Locate: inParquet().locate,
	}
}

// rowNames is the beginning of the names that pandas gives to the columns of an index, which are
// not features.
const rowNames = "__index_level_"

// loadParquet appends one file to the frame and its bytes to the hash.
func (f *Frame) loadParquet(path string, hash io.Writer) error {
	file, err := data.OpenOwn(f.Name, path)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := io.Copy(hash, file); err != nil {
		return err
	}
	return f.within(path, func() error {
		table, err := openParquet(file.File, file.Size)
		if err != nil {
			return err
		}
		table.drop = f.Options["drop"]
		return f.readParquet(table)
	})
}

// readParquet appends the rows of a file.
func (f *Frame) readParquet(in *parquetFile) error {
	names := in.Columns()
	for _, name := range names {
		if f.header == nil && f.fitted == nil && strings.HasPrefix(name, rowNames) {
			f.Options["drop"] = strings.TrimPrefix(f.Options["drop"]+","+name, ",")
			note := fmt.Sprintf("column %q, an index of pandas, is left out", name)
			f.notes = append(f.notes, note)
		}
	}
	f.setWritten(names)
	if err := f.setHeader(f.unique(names)); err != nil {
		return err
	}
	wanted := make([]bool, len(names))
	for i := range f.columns {
		if at := f.placeOf(i); at >= 0 && f.reads(i) {
			wanted[at] = true
		}
	}
	row := 0
	return in.Rows(func(i int) bool { return wanted[i] }, func(cells []string) error {
		row++
		return f.add(cells, row)
	})
}
