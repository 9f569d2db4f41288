package data

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// ownFiles is the name of one's own files taken apart: SCHEME:PATH?key=value&key=value.
type ownFiles struct {
	name, path string
	options    map[string]string // not empty ones
	keys       []string          // that there are
}

// parseOwn takes a name apart. Its options are some of keys, each given once.
func parseOwn(name, scheme string, keys []string) (ownFiles, error) {
	path, query, _ := strings.Cut(strings.TrimPrefix(name, scheme), "?")
	f := ownFiles{name: name, path: path, options: map[string]string{}, keys: keys}
	values, err := url.ParseQuery(plus(query))
	if err != nil {
		return f, err
	}
	for key, list := range values {
		if !slices.Contains(keys, key) {
			return f, fmt.Errorf("unknown option %q: %s takes %s", key, scheme, strings.Join(keys, ", "))
		}
		if len(list) > 1 {
			return f, fmt.Errorf("%s= is given %d times: give it once", key, len(list))
		}
		if err := named(list[0]); err != nil {
			return f, fmt.Errorf("%s=: %w", key, err)
		}
		f.options[key] = list[0]
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

// list gives an option's names, which commas part.
func (f ownFiles) list(key string) []string {
	if f.options[key] == "" {
		return nil
	}
	return strings.Split(f.options[key], ",")
}

// choice gives an option that is one of some words, the first where it is not given.
func (f ownFiles) choice(key string, words ...string) (string, error) {
	v := cmp.Or(f.options[key], words[0])
	if !slices.Contains(words, v) {
		return "", fmt.Errorf("%s=%s: give %s", key, v, strings.Join(words, ", "))
	}
	return v, nil
}

// cells tells whether the groups are to be label × group.
func (f ownFiles) cells() (bool, error) {
	v, err := f.choice("cells", "no", "yes")
	return v == "yes", err
}

// draw says how a test split is drawn where the files have none.
type draw struct {
	fraction float64
	seed     uint64
	whole    bool // nothing is drawn: all of it is the test split
}

// draw takes the options test_fraction and data_seed; without the second it is that of the data.
func (f ownFiles) draw(o Options) (d draw, err error) {
	d = draw{testShare, o.Seed, o.Encoder != nil}
	if v := f.options["test_fraction"]; v != "" {
		if d.fraction, err = strconv.ParseFloat(v, 64); err != nil || !(d.fraction > 0 && d.fraction < 1) {
			return d, fmt.Errorf("test_fraction=%s: give a number between 0 and 1", v)
		}
	}
	if v := f.options["data_seed"]; v != "" {
		if d.seed, err = strconv.ParseUint(v, 10, 64); err != nil {
			return d, fmt.Errorf("data_seed=%s: give a whole number of at least 0", v)
		}
	}
	return d, nil
}

// useless is an error if one of some options, which have no use beside another, is there.
func (f ownFiles) useless(beside string, keys ...string) error {
	for _, key := range keys {
		if f.options[key] != "" {
			return fmt.Errorf("%s= has no use beside %s: leave one out", key, beside)
		}
	}
	return nil
}

// locateOwn makes the path of a name absolute, and gives its options the values of resolve.
func locateOwn(
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
