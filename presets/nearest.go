package presets

import (
	"cmp"
	"slices"
	"strings"
)

// nearestFirst returns the words with the one that was most likely meant in
// front and the others in their order.
func nearestFirst(typed string, words []string) []string {
	near := slices.MinFunc(words, func(a, b string) int {
		return cmp.Compare(distance(typed, a), distance(typed, b))
	})
	others := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == near })
	return append([]string{near}, others...)
}

// distance is the number of letters to insert, delete or replace (Levenshtein),
// in half steps, less one when one word starts with the other: "epoch" is
// rather "epochs" than "eta".
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	d := 2 * row[len(b)]
	if a != "" && strings.HasPrefix(b, a) || strings.HasPrefix(a, b) {
		d--
	}
	return d
}
