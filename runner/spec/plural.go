package spec

import "fmt"

// Plural returns a count with its noun: "1 epoch", "30 epochs". It is for nouns that take an s.
func Plural[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
