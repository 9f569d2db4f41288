package spec

import (
	"fmt"
	"strings"

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
