package data

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// foreign are kinds of files that are not read as text, by their first bytes or their endings, and
// a line of Python that makes a table of one. In a line, IN and OUT stand for the paths, in
// quotation marks.
var foreign = []struct {
	what    string
	heads   []string
	endings []string
	line    string
	out     string // the ending of the table
}{
	{"a Feather file", []string{"ARROW1", "FEA1"}, []string{".feather", ".fea"},
		"pandas.read_feather(IN).to_parquet(OUT)", ".parquet"},
	{"a stream of Arrow", []string{"\xff\xff\xff\xff"}, []string{".arrow"},
		"datasets.Dataset.from_file(IN).to_parquet(OUT)", ".parquet"},
	{"a pickle", []string{"\x80\x02", "\x80\x03", "\x80\x04", "\x80\x05"},
		[]string{".pkl", ".pickle"}, "pandas.read_pickle(IN).to_parquet(OUT)", ".parquet"},
	{"an Excel file", []string{"\xd0\xcf\x11\xe0"}, []string{".xlsx", ".xls"},
		"pandas.read_excel(IN).to_csv(OUT, index=False)", ".csv"},
	{"an HDF5 file", []string{"\x89HDF"}, []string{".h5", ".hdf5"},
		"pandas.read_hdf(IN).to_csv(OUT, index=False)", ".csv"},
	{"lines of JSON", []string{`{"`}, []string{".jsonl", ".ndjson"},
		"pandas.read_json(IN, lines=True).to_csv(OUT, index=False)", ".csv"},
	{"a JSON file", []string{"[{"}, []string{".json"},
		"pandas.read_json(IN).to_csv(OUT, index=False)", ".csv"},
	{"a Stata file", nil, []string{".dta"}, "pandas.read_stata(IN).to_csv(OUT, index=False)",
		".csv"},
	{"a SAS file", nil, []string{".sas7bdat"}, "pandas.read_sas(IN).to_csv(OUT, index=False)",
		".csv"},
}

// A ForeignError is the error of a file or folder that is no table as it is, with the line that
// makes one of it.
type ForeignError struct{ What, Remedy string }

func (e *ForeignError) Error() string { return "is " + e.What + ": " + e.Remedy }

// known are kinds of files that are read under another name, by their first bytes.
var known = []struct{ head, what, before, behind string }{
	{"PAR1", "a Parquet file", "give it as parquet:", ""},
	{"\x93NUMPY", "an array of NumPy", "give it as npy:", "?y=Y.npy"},
	{"\x1f\x8b", "compressed by gzip", "call it ", ".gz"},
	{"BZh", "compressed by bzip2", "call it ", ".bz2"},
	{"\x28\xb5\x2f\xfd", "compressed by Zstandard", "call it ", ".zst"},
	{"PK\x03\x04", "a zip archive", "call it ", ".zip"},
}

const oneLine = "make a table of it with "

// ForeignEnding returns a *ForeignError if the path of a file ends as one of a foreign kind, else
// nil.
func ForeignEnding(path string) error {
	for _, f := range foreign {
		if slices.Contains(f.endings, strings.ToLower(filepath.Ext(path))) {
			return &ForeignError{f.what, oneLine + converting(f.line, path, f.out)}
		}
	}
	return nil
}

// ForeignHead returns a *ForeignError if a file that begins with head is no text, else nil.
func ForeignHead(path string, head []byte) error {
	if err := ForeignEnding(path); err != nil {
		return err
	}
	begins := func(magic string) bool { return strings.HasPrefix(string(head), magic) }
	for _, k := range known {
		if begins(k.head) {
			return &ForeignError{k.what, k.before + path + k.behind}
		}
	}
	for _, f := range foreign {
		if slices.ContainsFunc(f.heads, begins) {
			return &ForeignError{f.what, oneLine + converting(f.line, path, f.out)}
		}
	}
	text := len(head) < 2 || Utf16(head[:2]) || utf8.Valid(head[:wholeRunes(head)])
	if slices.Contains(head, 0) && !text {
		return &ForeignError{"no text, for it has zero bytes", "save the table as CSV or Parquet"}
	}
	return nil
}

// converting returns a line with its paths.
func converting(line, path, ending string) string {
	out := strings.TrimSuffix(path, filepath.Ext(path)) + ending
	return strings.NewReplacer("IN", fmt.Sprintf("%q", path), "OUT", fmt.Sprintf("%q", out)).
		Replace(line)
}

// ForeignFolder returns a *ForeignError if a path is a folder, which is no table; else nil. It
// knows the folders of Parquet that Spark writes, also those by key=value, and those of
// save_to_disk.
func ForeignFolder(path string) error {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return nil
	}
	in := func(name string) bool { return Exists(filepath.Join(path, name)) }
	path = filepath.Clean(path)
	switch {
	case in("dataset_dict.json"):
		return &ForeignError{"a folder of save_to_disk with splits", "make a table of each with " +
			converting(`datasets.load_from_disk(IN)["train"].to_parquet(OUT)`, path, ".parquet")}
	case in("state.json") || in("dataset_info.json"):
		return &ForeignError{"a folder of save_to_disk", oneLine +
			converting("datasets.load_from_disk(IN).to_parquet(OUT)", path, ".parquet")}
	case hasParquet(path):
		return &ForeignError{"a folder of Parquet files", "make one file of them with " +
			converting("pandas.read_parquet(IN).to_parquet(OUT)", path, ".parquet")}
	}
	return &ForeignError{"a folder and not a regular file", "name a file in it"}
}

// hasParquet reports whether a Parquet file lies in a folder or, a few levels down, in another one.
func hasParquet(path string) (found bool) {
	const most = 1 << 12 // entries that are looked at
	n := 0
	filepath.WalkDir(path, func(name string, _ fs.DirEntry, err error) error {
		n++
		if n > most || err != nil {
			return fs.SkipAll
		}
		found = filepath.Ext(name) == ".parquet" && name != path
		if found {
			return fs.SkipAll
		}
		return nil
	})
	return found
}
