package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// OwnFiles is the name of one's own files taken apart: SCHEME:PATH?key=value&key=value.
type OwnFiles struct {
	Name, Path string
	Options    map[string]string // not empty ones
	keys       []string          // that there are
}

// ParseOwn takes a name apart. Its options are some of keys, each given once.
func ParseOwn(name, scheme string, keys []string) (OwnFiles, error) {
	path, query, _ := strings.Cut(strings.TrimPrefix(name, scheme), "?")
	f := OwnFiles{Name: name, Path: path, Options: map[string]string{}, keys: keys}
	values, err := url.ParseQuery(plus(query))
	if err != nil {
		return f, err
	}
	for key, list := range values {
		if !slices.Contains(keys, key) {
			return f, fmt.Errorf(
				"unknown option %q: %s takes %s", key, scheme, strings.Join(keys, ", "))
		}
		if len(list) > 1 {
			return f, fmt.Errorf("%s= is given %d times: give it once", key, len(list))
		}
		if err := Named(list[0]); err != nil {
			return f, fmt.Errorf("%s=: %w", key, err)
		}
		f.Options[key] = list[0]
	}
	if path == "" {
		return f, errors.New("no path: write " + scheme + "PATH")
	}
	return f, nil
}

// plus keeps the signs between the files of test= from being read as blanks.
func plus(query string) string {
	fields := strings.Split(query, "&")
	for i, field := range fields {
		if strings.HasPrefix(field, "test=") {
			fields[i] = strings.ReplaceAll(field, "+", "%2B")
		}
	}
	return strings.Join(fields, "&")
}

// List gives an option's names, which commas part.
func (f OwnFiles) List(key string) []string {
	if f.Options[key] == "" {
		return nil
	}
	return strings.Split(f.Options[key], ",")
}

// Choice gives an option that is one of some words, the first where it is not given.
func (f OwnFiles) Choice(key string, words ...string) (string, error) {
	v := cmp.Or(f.Options[key], words[0])
	if !slices.Contains(words, v) {
		return "", fmt.Errorf("%s=%s: give %s", key, v, strings.Join(words, ", "))
	}
	return v, nil
}

// Cells tells whether the groups are to be label × group.
func (f OwnFiles) Cells() (bool, error) {
	v, err := f.Choice("cells", "no", "yes")
	return v == "yes", err
}

// TestShare is the part of one's own samples without a test split that becomes it.
const TestShare = .2

// Draw says how a test split is drawn where the files have none.
type Draw struct {
	Fraction float64
	Seed     uint64
	Whole    bool // nothing is drawn: all of it is the test split
}

// Draw takes the options test_fraction and data_seed; without the second it is that of the data.
func (f OwnFiles) Draw(o Options) (d Draw, err error) {
	d = Draw{TestShare, o.Seed, o.Encoder != nil}
	if v := f.Options["test_fraction"]; v != "" {
		if d.Fraction, err = strconv.ParseFloat(v, 64); err != nil || !(d.Fraction > 0 &&
			d.Fraction < 1) {
			return d, fmt.Errorf("test_fraction=%s: give a number between 0 and 1", v)
		}
	}
	if v := f.Options["data_seed"]; v != "" {
		if d.Seed, err = strconv.ParseUint(v, 10, 64); err != nil {
			return d, fmt.Errorf("data_seed=%s: give a whole number of at least 0", v)
		}
	}
	return d, nil
}

// Useless is an error if one of some options, which have no use beside another, is there.
func (f OwnFiles) Useless(beside string, keys ...string) error {
	for _, key := range keys {
		if f.Options[key] != "" {
			return fmt.Errorf("%s= has no use beside %s: leave one out", key, beside)
		}
	}
	return nil
}

// Locate makes the path of a name of a scheme absolute; no option of it is a path.
func Locate(scheme string) func(name string, absolute func(path string) string) string {
	return func(name string, absolute func(path string) string) string {
		return LocateOwn(name, scheme, absolute, func(_, value string) string { return value })
	}
}

// LocateOwn makes the path of a name absolute, and gives its options the values of resolve.
func LocateOwn(
	name, scheme string, absolute func(path string) string, resolve func(key, value string) string,
) string {
	rest := strings.TrimPrefix(name, scheme)
	path, query, asked := strings.Cut(rest, "?")
	query = plus(query)
	if _, err := url.ParseQuery(query); err != nil || path == "" {
		return name
	}
	fields := strings.Split(query, "&")
	for i, field := range fields {
		key, value, _ := strings.Cut(field, "=")
		value, _ = url.QueryUnescape(value) // ParseQuery has seen that it works
		if at := resolve(key, value); at != value {
			plain := strings.NewReplacer("%2F", "/", "%2C", ",", "+", "%20")
			fields[i] = key + "=" + plain.Replace(url.QueryEscape(at))
		}
	}
	if query = strings.Join(fields, "&"); asked {
		query = "?" + query
	}
	return strings.TrimSuffix(name, rest) + absolute(path) + query
}
