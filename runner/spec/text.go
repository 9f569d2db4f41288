package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner/lists"
)

// join joins words with commas, for an error.
func join[T ~string](words []T) string {
	return strings.Join(lists.Map(words, func(w T) string { return string(w) }), ", ")
}

// FirstFew returns the first few lines of a kind, and how many more there are.
func FirstFew(lines []string) []string {
	const few = 5
	if more := len(lines) - few; more > 0 {
		lines = append(lines[:few:few], fmt.Sprintf("and %d more like that", more))
	}
	return lines
}

// Plural returns a count with its noun: "1 epoch", "30 epochs". It is for nouns that take an s.
func Plural[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// NearestFirst returns the words in their order, but with the one that was most likely meant in
// front.
func NearestFirst(typed string, words []string) []string {
	near := slices.MinFunc(words, func(a, b string) int {
		return cmp.Compare(Distance(typed, a), Distance(typed, b))
	})
	others := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == near })
	return append([]string{near}, others...)
}

// FindMethod is dro.Find for a name that somebody has typed. The error says which method was most
// likely meant, or lists them all; what says where the name stands, as in --algo.
func FindMethod(what, name string) (*dro.Method, error) {
	m, err := dro.Find(dro.Algorithm(name))
	if err == nil {
		return m, nil
	}
	names, small := dro.MethodNames(), strings.ToLower(name)
	near := NearestFirst(small, names)[0]
	if Distance(small, near) <= 2*max(1, len(small)/2) {
		return nil, fmt.Errorf("%s %.40q: did you mean %s?", what, name, near)
	}
	return nil, fmt.Errorf("%s %.40q: expected one of %s", what, name, strings.Join(names, ", "))
}

// Distance returns twice the number of letters to insert, delete or replace (Levenshtein), minus
// one if one word starts with the other: "epoch" is nearer to "epochs" than to "eta".
func Distance(a, b string) int {
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
