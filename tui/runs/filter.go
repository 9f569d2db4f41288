package runs

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"drolab/presets"
	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/lab"
)

// A filter selects runs by words and terms, all of which must hold:
//
//	shapes        the word stands in the run's name, preset, algorithm, dataset, model, set or status
//	algo:sfk      a setting (any key of a preset) or a fact (see factOf) is so
//	rho>=0.5      a number compares: = != < <= > >=
//	-failed       not
type filter []term

type term struct {
	not   bool
	key   string // empty: a word
	op    string
	value string // lower case
	num   float64
	isNum bool
}

// operators, the longer ones first so that they are found first.
func operators() []string { return []string{">=", "<=", "!=", ":", "=", ">", "<"} }

// parseFilter reads a filter as typed. An error names the term.
func parseFilter(text string) (filter, error) {
	var f filter
	for _, word := range strings.Fields(text) {
		if word == "-" {
			continue // of a term that is being typed
		}
		t, err := parseTerm(word)
		if err != nil {
			return nil, err
		}
		f = append(f, t)
	}
	return f, nil
}

func parseTerm(word string) (term, error) {
	var t term
	word, t.not = strings.CutPrefix(strings.ToLower(word), "-")
	t.value = word
	at := strings.IndexAny(word, ":=<>!")
	if at <= 0 {
		return t, nil
	}
	for _, op := range operators() {
		if strings.HasPrefix(word[at:], op) {
			t.key, t.op, t.value = fullKey(word[:at]), op, word[at+len(op):]
			break
		}
	}
	if !slices.Contains(factKeys(), t.key) && !slices.Contains(presets.Keys(), t.key) {
		return t, fmt.Errorf("%s: neither a setting nor one of %s", word[:at], strings.Join(factKeys(), ", "))
	}
	x, err := strconv.ParseFloat(strings.TrimSuffix(t.value, "%"), 64)
	t.num, t.isNum = x, err == nil
	if strings.HasSuffix(t.value, "%") {
		t.num /= 100
	}
	if (t.op[0] == '<' || t.op[0] == '>') && !t.isNum && t.value != "" {
		return t, fmt.Errorf("%s: want a number after %s", word, t.op)
	}
	return t, nil
}

// fullKey resolves the short names that people type.
func fullKey(key string) string {
	full := map[string]string{"algo": "algorithms", "algorithm": "algorithms", "method": "algorithms",
		"set": "uncertainty", "accuracy": "test_accuracy",
		"mean": "test_accuracy"} // the input's mean, a setting, is nothing to look for
	return cmp.Or(full[key], key)
}

// match tells whether a run has all that the filter asks for.
func (f filter) match(r *record.Run) bool {
	return !slices.ContainsFunc(f, func(t term) bool { return t.match(r) == t.not })
}

func (t term) match(r *record.Run) bool {
	if t.key == "" {
		return strings.Contains(wordsOf(r), t.value)
	}
	if t.value == "" {
		return !t.not // still being typed
	}
	fact := strings.ToLower(factOf(r, t.key))
	x, err := strconv.ParseFloat(fact, 64)
	if err != nil || !t.isNum {
		switch t.op {
		case ":":
			return strings.Contains(fact, t.value)
		case "=":
			return fact == t.value
		case "!=":
			return fact != t.value
		}
		return false // not a number: neither above nor below
	}
	switch t.op {
	case ">=":
		return x >= t.num
	case "<=":
		return x <= t.num
	case ">":
		return x > t.num
	case "<":
		return x < t.num
	case "!=":
		return x != t.num
	}
	return x == t.num
}

// wordsOf is what the plain words of a filter are looked for in.
func wordsOf(r *record.Run) string {
	s := &r.Meta.Spec
	return strings.ToLower(strings.Join([]string{r.Meta.ID, r.Meta.Preset, string(s.Algorithm()), s.Dataset,
		s.Model,
		s.Uncertainty, string(r.Status())}, "\n"))
}

// factKeys are the keys of factOf that are no settings.
func factKeys() []string {
	keys := []string{"id", "preset", "status", "steps", "worst"}
	for _, m := range lab.SummaryMeasures() {
		if measured(m.Name) {
			keys = append(keys, m.Name)
		}
	}
	return keys
}

// measured tells whether a key is a measure of a summary. What is a setting too,
// as λ and η where they start, is looked for as such.
func measured(key string) bool {
	_, set := runner.FindSetting(key)
	return !set && slices.ContainsFunc(lab.SummaryMeasures(), func(m lab.Measure) bool { return m.Name == key })
}

// factOf is what a run says to a key, as text: a setting as a preset states
// it, or a measure of its summary.
func factOf(r *record.Run, key string) string {
	switch key {
	case "id":
		return r.Meta.ID
	case "preset":
		return r.Meta.Preset
	case "status":
		return string(r.Status())
	case "steps":
		return strconv.FormatInt(r.Summary().Steps, 10)
	case "algorithms":
		return string(r.Meta.Spec.Algorithm())
	case "worst": // of the groups where they are given, else of the classes
		key = r.Meta.Fit("worst_class_accuracy")
	}
	if measured(key) {
		return strconv.FormatFloat(lab.OfSummary(r.Summary(), key).Float(), 'g', -1, 64)
	}
	return r.Meta.Spec.Text(key)
}
