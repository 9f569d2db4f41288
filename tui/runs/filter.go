package runs

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"drolab/presets"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/lab"
)

// A filter selects runs by words and terms, all of which must hold, or by OR and
// NOT and parentheses between them:
//
//	shapes        the word stands in the run's name, preset, algorithm, dataset, model,
//	              set, status, tags or note
//	algo:sfk      a setting (any key of a preset) or a fact (see factOf) is so
//	rho>=0.5      a number compares: = != < <= > >=
//	-failed       not; NOT failed is the same
//	sfk OR (pgd lr<0.1)
//
// OR binds less than what stands side by side, as in search engines.
type filter interface{ match(*record.Run) bool }

type (
	allOf  []filter
	anyOf  []filter
	noneOf struct{ filter }
)

func (f allOf) match(r *record.Run) bool {
	return !slices.ContainsFunc(f, func(f filter) bool { return !f.match(r) })
}

func (f anyOf) match(r *record.Run) bool {
	return slices.ContainsFunc(f, func(f filter) bool { return f.match(r) })
}

func (f noneOf) match(r *record.Run) bool { return !f.filter.match(r) }

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

// parseFilter reads a filter as typed: what is still open at its end is taken as
// closed there. An error names the term.
func parseFilter(text string) (filter, error) {
	text = strings.NewReplacer("(", " ( ", ")", " ) ", "|", " | ").Replace(text)
	p := parser{words: strings.Fields(text)}
	f, err := p.either()
	if err == nil && len(p.words) > 0 {
		err = errors.New("a ) without its (")
	}
	return f, err
}

// parser takes a filter's words from the front.
type parser struct {
	words []string
	depth int // of parentheses
}

// mostNested bounds a filter that was pasted.
const mostNested = 50

// take takes the first word if it is one of those.
func (p *parser) take(words ...string) bool {
	if len(p.words) == 0 || !slices.Contains(words, p.words[0]) {
		return false
	}
	p.words = p.words[1:]
	return true
}

// either reads what OR stands between.
func (p *parser) either() (filter, error) {
	var any anyOf
	for {
		f, err := p.together()
		if err != nil {
			return nil, err
		}
		if len(f) > 0 || len(any) == 0 {
			any = append(any, f)
		}
		if !p.take("OR", "|") {
			return any, nil
		}
	}
}

// together reads what stands side by side, up to an OR or the end of a parenthesis.
func (p *parser) together() (all allOf, err error) {
	for len(p.words) > 0 && !slices.Contains([]string{"OR", "|", ")"}, p.words[0]) {
		typing := p.words[0] == "-" &&
			(len(p.words) == 1 || p.words[1] != "(") // a term's beginning
		if p.take("AND") || typing && p.take("-") {
			continue
		}
		f, err := p.one()
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

// one reads a term or a parenthesis, or the opposite of one.
func (p *parser) one() (filter, error) {
	if p.depth++; p.depth > mostNested {
		return nil, fmt.Errorf("want at most %d ( and NOT within one another", mostNested)
	}
	defer func() { p.depth-- }()
	switch {
	case p.take("NOT", "!", "-"):
		if len(p.words) == 0 || p.words[0] == ")" || p.words[0] == "OR" || p.words[0] == "|" {
			return allOf{}, nil // of what is being typed
		}
		f, err := p.one()
		return noneOf{f}, err
	case p.take("("):
		f, err := p.either()
		if len(p.words) > 0 {
			p.words = p.words[1:] // the )
		}
		return f, err
	}
	word := p.words[0]
	p.words = p.words[1:]
	return parseTerm(word)
}

func parseTerm(word string) (t term, err error) {
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
	if !slices.Contains(factKeys(), t.key) && !slices.Contains(presets.Keys(), t.key) &&
		!measured(t.key) {
		return t, fmt.Errorf("%s: neither a setting nor one of %s", word[:at],
			strings.Join(factKeys(), ", "))
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
	full := map[string]string{
		"algo":      "algorithms",
		"algorithm": "algorithms",
		"method":    "algorithms",
		"set":       "uncertainty",
		"state":     "status",
		"accuracy":  "test_accuracy",
		"mean":      "test_accuracy", // the input's mean, a setting, is nothing to look for
	}
	return cmp.Or(full[key], key)
}

func (t term) match(r *record.Run) bool { return t.holds(r) != t.not }

// holds leaves the minus before a term aside.
func (t term) holds(r *record.Run) bool {
	if t.key == "" {
		return strings.Contains(wordsOf(r), t.value)
	}
	if t.value == "" {
		return !t.not // still being typed
	}
	fact := strings.ToLower(factOf(r, t.key))
	x, err := strconv.ParseFloat(fact, 64)
	if err != nil || !t.isNum { // not a number: neither above nor below
		return map[string]bool{":": strings.Contains(fact, t.value), "=": fact == t.value,
			"!=": fact != t.value}[t.op]
	}
	return map[string]bool{">=": x >= t.num, "<=": x <= t.num, ">": x > t.num, "<": x < t.num,
		"!=": x != t.num, "=": x == t.num, ":": x == t.num}[t.op]
}

// wordsOf is what the plain words of a filter are looked for in.
func wordsOf(r *record.Run) string {
	s := &r.Meta.Spec
	words := []string{r.Meta.ID, r.Meta.Preset, string(s.Algorithm()), s.Dataset, s.Model,
		s.Uncertainty, string(r.Status()), r.Label().Note, strings.Join(r.Label().Tags, " ")}
	return strings.ToLower(strings.Join(words, "\n"))
}

// factKeys are the keys of factOf that are no settings.
func factKeys() []string {
	keys := []string{"id", "preset", "status", "steps", "worst", "tag", "note", "archived"}
	for _, m := range lab.SummaryMeasures() {
		if measured(m.Name) {
			keys = append(keys, m.Name)
		}
	}
	return keys
}

// measured tells whether a key is a measure of a summary, or would be one if some program
// gave it. What is a setting too,
// as λ and η where they start, is looked for as such.
func measured(key string) bool {
	_, set := spec.FindSetting(key)
	return measure.IsUser(key) || !set && slices.ContainsFunc(lab.SummaryMeasures(),
		func(m lab.Measure) bool { return m.Name == key })
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
	case "tag":
		return strings.Join(r.Label().Tags, " ")
	case "note":
		return r.Label().Note
	case "archived":
		return strconv.FormatBool(r.Label().Archived)
	case "algorithms":
		return string(r.Meta.Spec.Algorithm())
	case "worst": // of the groups where they are given, else of the classes
		key = r.Meta.Fit("worst_class_accuracy")
	}
	if measured(key) {
		return page.Exact(lab.OfSummary(r.Summary(), key).Float())
	}
	return r.Meta.Spec.Text(key)
}
