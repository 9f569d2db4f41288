package presets

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"drolab/runner/spec"
)

// newcomer lists words of other programs for one setting. If this program has no such setting, or
// has several, note says what to do.
type newcomer struct {
	words []string // in the form that normalize returns
	key   string   // the setting of this program
	note  string   // in place of key
}

//go:embed newcomers.txt
var newcomersText string

// newcomers returns the only table of such words.
var newcomers = sync.OnceValue(func() (list []newcomer) {
	text := strings.ReplaceAll(newcomersText, "\n  ", " ")
	for line := range strings.Lines(text) {
		words, what, ok := strings.Cut(strings.TrimSpace(line), " = ")
		n := newcomer{key: what}
		if !ok {
			words, n.note, ok = strings.Cut(strings.TrimSpace(line), ": ")
		}
		n.words = strings.Fields(words)
		if ok && line[0] != '#' {
			list = append(list, n)
		}
	}
	return list
})

// normalize returns a word without the differences in spelling between programs: Hydra's signs,
// case, hyphens and underscores.
func normalize(word string) string {
	return strings.NewReplacer("_", "", "-", "", "+", "", " ", "").Replace(strings.ToLower(word))
}

// nameHere returns a hint on what a word of other programs is called here; "" if the word is
// unknown.
func nameHere(word string) string {
	if word == "C" {
		return "did you mean weight_decay? (scikit-learn's C is 1 over it; SFK's constant is c)"
	}
	key, note := translate(word)
	if key == "" {
		return note
	}
	if t, ok := spec.FindSetting(key); ok {
		return fmt.Sprintf("did you mean %s? (%s)", key, t.Doc)
	}
	return fmt.Sprintf("did you mean %s?", key)
}

// Key returns the setting that a word of this program or of another one stands for, or "".
func Key(word string) string {
	key, _ := translate(word)
	return key
}

// translate returns the setting that a word stands for or, in its place, a note. Of a word with
// Hydra's groups, such as optimizer.lr, the last part counts; of model.name the first part counts.
func translate(word string) (key, note string) {
	parts := strings.Split(word, ".")
	for _, end := range []string{"name", "type", "_target_", "kind"} {
		if last := len(parts) - 1; last > 0 && parts[last] == end {
			parts = parts[:last]
		}
	}
	is := normalize(parts[len(parts)-1])
	for _, key := range Keys() {
		if normalize(key) == is {
			return key, ""
		}
	}
	for _, n := range newcomers() {
		if slices.Contains(n.words, is) {
			return n.key, n.note
		}
	}
	return "", ""
}

// suggest returns a hint for a key that is not a setting. The hint is the setting that other
// programs call so, a key that begins so, or a key or a word of other programs with nearly the same
// letters. Otherwise it says where the keys are listed.
func suggest(key string) string {
	const list = "`drolab presets NAME` lists a preset's"
	if is := nameHere(key); is != "" {
		return is
	}
	words := Keys()
	begins := func(w string) bool { return len(key) > 2 && strings.HasPrefix(w, key) }
	if i := slices.IndexFunc(words, begins); i >= 0 {
		return fmt.Sprintf("did you mean %s? (%s)", words[i], list)
	}
	for _, n := range newcomers() {
		words = append(words, n.words...)
	}
	near := spec.NearestFirst(key, words)[0]
	if spec.Distance(key, near) > 2*max(2, len(key)/3) {
		return list
	}
	if !slices.Contains(Keys(), near) {
		return nameHere(near)
	}
	return fmt.Sprintf("did you mean %s? (%s)", near, list)
}
