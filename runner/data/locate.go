package data

import (
	"net/url"
	"path/filepath"
	"strings"
)

// Locate returns the name of a dataset with the files in it that are relative
// to the folder base made absolute, for a process that works elsewhere. Names
// without a file, and those that Open would refuse, stay as they are.
func Locate(name, base string) string {
	absolute := func(path string) string {
		if filepath.IsAbs(path) || path == "" {
			return path
		}
		return filepath.Join(base, path)
	}
	if folder, ok := strings.CutPrefix(name, "idx:"); ok {
		return "idx:" + absolute(folder)
	}
	prefix, rest := "", name
	if after, ok := strings.CutPrefix(name, "csv:"); ok {
		prefix, rest = "csv:", after
	} else if !strings.HasSuffix(name, ".csv") {
		return name
	}
	path, query, asked := strings.Cut(rest, "?")
	values, err := url.ParseQuery(query)
	if name == "csv:example" || err != nil || path == "" {
		return name
	}
	if test := values.Get("test"); test != "" {
		values.Set("test", absolute(test))
		query = values.Encode()
	}
	if asked {
		query = "?" + query
	}
	return prefix + absolute(path) + query
}
