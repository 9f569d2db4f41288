package data

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"drolab/runner/numeral"
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
		keys = append(keys, key)
		if limited {
			f.words[key] = strings.Split(words, "|")
		}
	}
	for _, field := range fieldsOf(query) {
		key, value, _ := strings.Cut(field, "=")
		if !slices.Contains(keys, key) {
			return f, fmt.Errorf(
				"unknown option %q: %s takes %s", key, scheme, strings.Join(keys, ", "))
		}
		if _, twice := f.Options[key]; twice {
			return f, fmt.Errorf("%s= is given twice: give it once", key)
		}
		f.Options[key] = value
	}
	if path == "" {
		return f, errors.New("no path: write " + scheme + "PATH")
	}
	for _, key := range keys {
		if _, said := f.Options[key]; !said && e != nil {
			if kept, there := e.Options[key]; there { // an empty na= is kept, too
				f.Options[key] = kept
			}
		}
		if words, limited := f.words[key]; limited && !slices.Contains(words, f.Choice(key)) {
			return f, fmt.Errorf("%s=%s: give %s", key, f.Choice(key), strings.Join(words, ", "))
		}
	}
	return f, nil
}

var anOption = regexp.MustCompile(`^[a-z_]+=`)

// fieldsOf returns the options in a query. An ampersand that no option follows is part of a name.
func fieldsOf(query string) (list []string) {
	for field := range strings.SplitSeq(query, "&") {
		if last := len(list) - 1; last >= 0 && field != "" && !anOption.MatchString(field) {
			list[last] += "&" + field
		} else if field != "" {
			list = append(list, field)
		}
	}
	return list
}

// Place returns the place of a name in a list; −1: the list lacks it. The name is taken as it
// stands or, if the list lacks that, for the printed form of another.
func Place(list []string, name string) int {
	if at := slices.Index(list, name); at >= 0 {
		return at
	}
	return slices.IndexFunc(list, func(s string) bool { return printed(s) == name })
}

// printed returns a name as it is printed: a control character as its code, each other invisible
// character as a question mark.
func printed(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		case !unicode.IsGraphic(r):
			b.WriteByte('?')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Names divides a list of names at a separator. A part that is no name is joined with the parts
// that follow it, because a name may have the separator, too.
func Names(list, separator string, known func(name string) bool) (names []string) {
	const most = 9 // parts of a name
	if list == "" {
		return nil
	}
	if known(list) {
		return []string{list}
	}
	parts := strings.Split(list, separator)
next:
	for len(parts) > 0 {
		for k := range min(most, len(parts)) {
			if name := strings.Join(parts[:k+1], separator); known(name) {
				names, parts = append(names, name), parts[k+1:]
				continue next
			}
		}
		break
	}
	return append(names, parts...)
}

// Set returns the advice to give an option a value.
func (f OwnFiles) Set(key, value string) string {
	if old := f.Options[key]; old != "" {
		return fmt.Sprintf("write %s=%s in place of %s=%s", key, value, key, old)
	}
	return fmt.Sprintf("add %s=%s", key, value)
}

// More returns an option that lists names, with further ones.
func (f OwnFiles) More(key string, names ...string) string {
	return Listed(key, f.Options[key], names...)
}

// Listed returns the option key that lists the names in a list so far, and further ones.
func Listed(key, list string, names ...string) string {
	if list != "" {
		names = append([]string{list}, names...)
	}
	return key + "=" + strings.Join(names, ",")
}

// AlsoMissing returns the option na= that counts a further word as missing, beside the words that
// count so far: those of na= or, without it, those of marks. ok is false if na= cannot have the
// word.
func AlsoMissing(
	options map[string]string, marks map[string]int, word string,
) (na string, ok bool) {
	words, given := options["na"]
	if !given {
		customary := slices.DeleteFunc(slices.Sorted(maps.Keys(marks)),
			func(w string) bool { return w == "" })
		words = strings.Join(customary, ",")
	}
	return Listed("na", words, word), !strings.ContainsAny(word, ",&")
}

// List returns the names in an option, which are separated by commas.
func (f OwnFiles) List(key string) []string {
	return Names(f.Options[key], ",", func(string) bool { return false })
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

// Splits returns the splits that by says for each sample or, if it is nil, draws a test split. If
// by has no test samples, test_fraction draws them from the training samples.
func (f OwnFiles) Splits(by *Factor, how Draw, src Marked, d *Dataset) (s Splits, err error) {
	if by == nil {
		return how.Splits(src, d)
	}
	if s, err = SplitBy(by); err != nil {
		return s, err
	}
	switch {
	case len(s.Test) > 0:
		return s, f.RefuseBeside("split", "test_fraction", "data_seed")
	case f.Options["test_fraction"] == "":
		return s, fmt.Errorf("%q has no test samples (test or 2): add test_fraction=%v to draw "+
			"them from the training samples", by.name, TestShare)
	}
	drawn, err := d.holdOut(src, s.Train, "test_fraction", how.Fraction, how.Seed)
	if err != nil {
		return Splits{}, err
	}
	drawn.val = s.val
	return drawn, nil
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
		share, ok := numeral.Float(v)
		if !ok || share <= 0 || share >= 1 {
			return d, fmt.Errorf("test_fraction=%s: give a number between 0 and 1%s", v,
				numeral.Remedy(v))
		}
		d.Fraction = share
	}
	if v := f.Options["data_seed"]; v != "" {
		seed, ok := numeral.Uint64(v)
		if !ok {
			return d, fmt.Errorf("data_seed=%s: give a whole number of at least 0%s", v,
				numeral.Remedy(v))
		}
		d.Seed = seed
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
	if path == "" {
		return name
	}
	fields := fieldsOf(query)
	for i, field := range fields {
		if key, value, said := strings.Cut(field, "="); said {
			fields[i] = key + "=" + resolve(key, value)
		}
	}
	query = strings.Join(fields, "&")
	if asked {
		query = "?" + query
	}
	return strings.TrimSuffix(name, rest) + absolute(path) + query
}
