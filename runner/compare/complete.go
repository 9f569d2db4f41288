package compare

import (
	"maps"
	"slices"
	"strings"

	"drolab/runner/lists"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// Complete returns what the last word of a filter may become, as it is typed: keys, and after a key
// the values that these runs have. It returns nil where nothing is to be completed.
func Complete(text string, runs []*record.Run) (words []string) {
	word := text[strings.LastIndexAny(text, " ()|")+1:]
	not := ""
	if strings.HasPrefix(word, "-") {
		not, word = "-", word[1:]
	}
	at := strings.IndexAny(word, ":=<>!")
	if at < 0 {
		words = startingWith(filterKeys(), word, 1)
	} else if of, err := FactOf(strings.ToLower(word[:at])); err == nil {
		op := word[at:]
		op = op[:len(op)-len(strings.TrimLeft(op, ":=<>!"))]
		values := map[string]bool{}
		for _, r := range runs {
			if v := of(r); v != "" && !strings.ContainsAny(v, " ()|") {
				values[v] = true
			}
		}
		words = startingWith(slices.Sorted(maps.Keys(values)), word[at+len(op):], 0)
		words = lists.Map(words, func(v string) string { return word[:at] + op + v })
	}
	return lists.Map(words, func(w string) string { return not + w })
}

// startingWith returns the words that begin with some letters, at least so many of them.
func startingWith(words []string, letters string, least int) []string {
	if len(letters) < least {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		return w == letters || !strings.HasPrefix(strings.ToLower(w), strings.ToLower(letters))
	})
}

// filterKeys returns the keys of a filter: first those that people look for most.
func filterKeys() []string {
	keys := []string{"algo", "status", "preset", startedKey, "worst", "mean", "seed", "dataset",
		"model", "set", "rho", "tag", "note", "box", "id", "steps", "archived", "kind"}
	for _, s := range spec.AllSettings() {
		keys = append(keys, s.Key)
	}
	return lists.DistinctBy(append(keys, measures()...), func(key string) string { return key })
}
