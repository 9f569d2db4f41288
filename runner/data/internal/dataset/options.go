package dataset

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// OwnFiles is the name of the user's own files, taken apart: SCHEME:PATH?key=value&key=value.
type OwnFiles struct {
	Name, Path string
	Options    map[string]string   // by key: those in the name, and inherited ones
	words      map[string][]string // by key: the only values of the option, the default first
}

// ParseOwn takes a name apart, and adds the options of an encoder, if any, that the name does not
// set. The options are keys; the only words that one takes may follow it, the default first:
// "cells=no|yes". Any other option is refused, as is one that is given twice.
func ParseOwn(name, scheme string, options []string, e *Encoder) (OwnFiles, error) {
	path, query, _ := strings.Cut(strings.TrimPrefix(name, scheme), "?")
	f := OwnFiles{Name: name, Path: path, Options: map[string]string{},
		words: map[string][]string{}}
	var keys []string
	for _, option := range options {
		key, words, limited := strings.Cut(option, "=")
		if keys = append(keys, key); limited {
			f.words[key] = strings.Split(words, "|")
		}
	}
	values, err := url.ParseQuery(plain(query))
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
	for _, key := range keys {
		if _, said := f.Options[key]; !said && e != nil && e.Options[key] != "" {
			f.Options[key] = e.Options[key]
		}
		if words, limited := f.words[key]; limited && !slices.Contains(words, f.Choice(key)) {
			return f, fmt.Errorf("%s=%s: give %s", key, f.Choice(key), strings.Join(words, ", "))
		}
	}
	return f, nil
}

// plain returns a query for url.ParseQuery. Control characters are read as they are printed, and
// the plus signs between the files of test= as they stand.
func plain(query string) string {
	query = strings.NewReplacer(`\x0`, "%0", `\x1`, "%1", `\x7f`, "%7f").Replace(query)
	fields := strings.Split(query, "&")
	for i, field := range fields {
		if strings.HasPrefix(field, "test=") {
			fields[i] = strings.ReplaceAll(field, "+", "%2B")
		}
	}
	return strings.Join(fields, "&")
}

// List returns the names in an option, which are separated by commas.
func (f OwnFiles) List(key string) []string {
	if f.Options[key] == "" {
		return nil
	}
	return strings.Split(f.Options[key], ",")
}

// Choice returns the word that an option says, or its default. It is empty for an option that the
// scheme does not take.
func (f OwnFiles) Choice(key string) string {
	if v := f.Options[key]; v != "" || f.words[key] == nil {
		return v
	}
	return f.words[key][0]
}

// Cells tells whether the groups are to be label × group.
func (f OwnFiles) Cells() bool { return f.Choice("cells") == "yes" }

// Splits returns the splits that by says for each sample or, if it is nil, draws a test split.
func (f OwnFiles) Splits(by *Factor, how Draw, src Marked, d *Dataset) (Splits, error) {
	if by == nil {
		return how.Splits(src, d)
	}
	if err := f.RefuseBeside("split", "test_fraction", "data_seed"); err != nil {
		return Splits{}, err
	}
	return SplitBy(by)
}

// TestShare is the default part of the user's own samples that is drawn as the test split, if the
// files have none.
const TestShare = .2

// Draw says how a test split is drawn where the files have none.
type Draw struct {
	Fraction float64
	Seed     uint64
	AllTest  bool // nothing is drawn: all samples are the test split
}

// Draw reads the options test_fraction and data_seed. Without data_seed, the seed is Options.Seed,
// the seed of the data.
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

// RefuseBeside returns an error if one of the options keys is given, which have no use beside
// another option.
func (f OwnFiles) RefuseBeside(beside string, keys ...string) error {
	for _, key := range keys {
		if f.Options[key] != "" {
			return fmt.Errorf("%s= has no use beside %s: leave one out", key, beside)
		}
	}
	return nil
}

// LocateOwn makes the path in a name absolute, and replaces the value of each option by the result
// of resolve.
func LocateOwn(
	name, scheme string, absolute func(path string) string, resolve func(key, value string) string,
) string {
	rest := strings.TrimPrefix(name, scheme)
	path, query, asked := strings.Cut(rest, "?")
	query = plain(query)
	if _, err := url.ParseQuery(query); err != nil || path == "" {
		return name
	}
	fields := strings.Split(query, "&")
	for i, field := range fields {
		key, value, _ := strings.Cut(field, "=")
		value, _ = url.QueryUnescape(value) // ParseQuery above has tried it
		if at := resolve(key, value); at != value {
			readable := strings.NewReplacer("%2F", "/", "%2C", ",", "+", "%20")
			fields[i] = key + "=" + readable.Replace(url.QueryEscape(at))
		}
	}
	if query = strings.Join(fields, "&"); asked {
		query = "?" + query
	}
	return strings.TrimSuffix(name, rest) + absolute(path) + query
}

var (
	decimalComma = regexp.MustCompile(`^[-+]?[0-9]*,[0-9]+$`)
	thousands    = regexp.MustCompile(`^[-+]?[0-9]{1,3}([,' \x{a0}\x{202f}][0-9]{3})+(\.[0-9]+)?$`)
	points       = regexp.MustCompile(`^[-+]?[0-9]{1,3}(\.[0-9]{3})+(,[0-9]+)?$`)
	separators   = strings.NewReplacer(",", "", "'", "", " ", "", "\u00a0", "", "\u202f", "")
)

// PlainNumber rewrites a number with a decimal comma, separated thousands, a currency sign or a
// percent sign as programs read it. If ok is false, the cell is not such a number.
func PlainNumber(cell string) (plain string, ok bool) {
	plain = strings.TrimSpace(strings.Trim(cell, "$€£¥%"))
	switch {
	case thousands.MatchString(plain):
		plain = separators.Replace(plain)
	case decimalComma.MatchString(plain):
		plain = strings.Replace(plain, ",", ".", 1)
	case points.MatchString(plain):
		plain = strings.Replace(strings.ReplaceAll(plain, ".", ""), ",", ".", 1)
	case plain == cell:
		return "", false
	}
	_, err := strconv.ParseFloat(plain, 64)
	return plain, err == nil
}
