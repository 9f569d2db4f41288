package data

import (
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"drolab/runner/lists"
)

// Near returns the name of a list that is most like a name that the list lacks; "": none is like
// it. Case and the signs of isSign do not count, and one letter in three may be another.
func Near(names []string, name string) (near string) {
	const most = 1 << 10 // names that are compared
	bare := bareName(name)
	least := max(1, (utf8.RuneCountInString(bare)+1)/3) + 1
	for _, other := range names[:min(most, len(names))] {
		if d := editDistance(bareName(other), bare, least); d < least {
			near, least = other, d
		}
	}
	return near
}

// isSign reports whether a character is often written otherwise, or left out.
func isSign(r rune) bool { return strings.ContainsRune(" _-.", r) }

// bareName returns a name in lower case without signs.
func bareName(name string) string {
	return strings.Map(func(r rune) rune {
		if isSign(r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// editDistance returns the number of letters to add, drop or change that make a of b (Levenshtein
// 1966), or most if there are more.
func editDistance(a, b string, most int) int {
	from, to := []rune(a), []rune(b)
	if len(from)-len(to) >= most || len(to)-len(from) >= most {
		return most
	}
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range from {
		left := row[0]
		row[0] = i + 1
		for j, s := range to {
			changed := left
			if r != s {
				changed++
			}
			left = row[j+1]
			row[j+1] = min(changed, row[j]+1, left+1)
		}
	}
	return min(most, row[len(to)])
}

// writers says how to make each file that a preset reads and that does not come with the program,
// by the name of the file.
var writers = map[string]string{
	"waterbirds-features.npz": "runner/data/source/peer/waterbirds.py computes it from the " +
		"public archive (docs/waterbirds.md)",
}

// NoFile returns the error of a path of the user's own that is not there. The remedy names a file
// of its folder that is called alike, or says how to make the file of a preset.
func NoFile(dataset, path string) error {
	if how, ok := writers[filepath.Base(path)]; ok {
		return &MissingError{dataset, path, how}
	}
	remedy := "check the path"
	entries, _ := os.ReadDir(filepath.Dir(path)) // an unknown folder has no files
	names := lists.Map(entries, os.DirEntry.Name)
	if near := Near(names, filepath.Base(path)); near != "" {
		remedy += ", or take " + filepath.Join(filepath.Dir(path), near)
	}
	return &MissingError{dataset, path, remedy}
}
