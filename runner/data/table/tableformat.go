package table

import (
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"drolab/runner/data"
	"drolab/runner/lists"
	"drolab/runner/numeral"
)

// tableFormat is how the files of a table are read.
type tableFormat struct {
	scheme  string
	options []string
	// load appends a file to the frame and its bytes to the hash.
	load func(f *Frame, path string, hash io.Writer) error
}

// newFrame returns a frame without rows for the table of a name.
func (t tableFormat) newFrame(name string, opened data.Options) (f *Frame, err error) {
	f = &Frame{opened: opened, fitted: opened.Encoder, marks: map[string]int{}}
	if f.OwnFiles, err = data.ParseOwn(name, t.scheme, t.options, f.fitted); err != nil {
		return nil, err
	}
	f.missing, f.na = f.Choice("missing"), f.List("na")
	if _, said := f.Options["na"]; said && f.na == nil {
		f.na = []string{} // the empty cell alone
	}
	f.trim = f.Options["label_trim"]
	f.bare, f.encoding = f.Choice("header") == "none", f.Choice("encoding")
	if f.top, err = commonest(f.Options["categories"]); err != nil {
		return nil, err
	}
	f.comma, err = separator(f.Options["sep"], f.Path)
	return f, err
}

// commonest reads the option categories, the number of categories to keep; 0: the option is not
// given.
func commonest(word string) (n int, err error) {
	if word == "" {
		return 0, nil
	}
	text, named := strings.CutPrefix(word, "top:")
	n, ok := numeral.Int(text)
	if !named || !ok || n < 1 || n > MaxCategories {
		return 0, fmt.Errorf("categories=%s: give top:N, as in top:20, with N from 1 to %d%s",
			word, MaxCategories, numeral.Remedy(text))
	}
	return n, nil
}

// separator reads the option sep.
func separator(word, path string) (rune, error) {
	if word == "" && strings.HasSuffix(withoutPacking(path), ".tsv") {
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

func (t tableFormat) locate(name string, absolute func(string) string) string {
	within := func(path string) string {
		if path == examplePath {
			return path
		}
		return absolute(path)
	}
	return data.LocateOwn(name, t.scheme, within, func(key, value string) string {
		if key == "test" {
			there := func(path string) bool { return data.Exists(within(path)) }
			return strings.Join(lists.Map(data.Names(value, "+", there), within), "+")
		}
		return value
	})
}

func (t tableFormat) open(name string, o data.Options) (*data.Dataset, error) {
	f, err := t.newFrame(name, o)
	if err != nil {
		return nil, err
	}
	draw, err := f.Draw(o)
	if err == nil {
		err = f.refuseUseless()
	}
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	if err := t.load(f, f.Path, sum); err != nil {
		return nil, err
	}
	trainRows := f.Rows
	for _, path := range data.Names(f.Options["test"], "+", data.Exists) {
		if err := t.load(f, path, sum); err != nil {
			return nil, err
		}
	}
	var d *data.Dataset
	if o.Raw {
		d, err = f.raw()
	} else {
		d, err = f.Dataset(trainRows, draw)
	}
	if in := new(fileError); err != nil && !errors.As(err, &in) {
		err = &fileError{f.Path, err}
	}
	if err != nil {
		return nil, err
	}
	d.Checksum = data.ChecksumOf(sum)
	d.Encoder.Options = f.Keep()
	d.Encoder.Options["label"] = f.header[max(0, f.label)]
	return d, nil
}
