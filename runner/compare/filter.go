package compare

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"drolab/dro"
	"drolab/runner/measure"
	"drolab/runner/numeral"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// Filter selects runs by words and terms, all of which must hold, or by OR and
// NOT and parentheses between them:
//
//	shapes        the word stands in the run's name, preset, algorithm, dataset, model,
//	              set, status, tags or note
//	algo:sfk      a setting (any key of a preset) or a fact (see Fact) is so
//	rho>=0.5      a number compares: = != < <= > >=
//	worst>70%     so does a share, which may be given in per cent
//	started>-1h   a moment compares: so long ago (m, h, d, w), or a day, as in 2026-11-29
//	-failed       not; NOT failed is the same
//	sfk OR (pgd lr<0.1)
//
// OR binds less tightly than terms that stand side by side, as in search engines.
type Filter func(*record.Run) bool

func allOf(filters []Filter) Filter {
	return func(r *record.Run) bool {
		return !slices.ContainsFunc(filters, func(f Filter) bool { return !f(r) })
	}
}

func anyOf(filters []Filter) Filter {
	return func(r *record.Run) bool {
		return slices.ContainsFunc(filters, func(f Filter) bool { return f(r) })
	}
}

type term struct {
	not   bool
	key   string                   // as typed; empty: a word
	fact  func(*record.Run) string // nil: a word
	op    string
	value string // lower case
	num   float64
	isNum bool
	exact string // the number in decimal, where a float64 may round it
	when  moment // of a term about the start
}

// operators, the longer ones first so that they are found first.
func operators() []string { return []string{">=", "<=", "!=", ":", "=", ">", "<"} }

// ParseFilter reads a filter as typed: a parenthesis that is still open at the end is taken as
// closed there. An error names the term.
func ParseFilter(text string) (Filter, error) {
	f, _, err := parseFilter(text)
	return f, err
}

// parseFilter also returns the terms of the filter.
func parseFilter(text string) (Filter, []term, error) {
	text = strings.NewReplacer("(", " ( ", ")", " ) ", "|", " | ").Replace(text)
	all := strings.Fields(text)
	p := parser{words: all}
	f, err := p.alternatives()
	if err == nil && len(p.words) > 0 {
		before := all[:len(all)-len(p.words)]
		if len(before) == 0 {
			return f, nil, errors.New("the ) at the beginning closes no (")
		}
		err = fmt.Errorf("the ) after %s closes no (", before[len(before)-1])
	}
	return f, p.read, err
}

// parser takes a filter's words from the front.
type parser struct {
	words []string
	read  []term
	depth int // of parentheses
}

// mostNested bounds the nesting of a filter, which may have been pasted.
const mostNested = 50

// accept removes the first word if it is one of words, and reports whether it was.
func (p *parser) accept(words ...string) bool {
	if len(p.words) == 0 || !slices.Contains(words, p.words[0]) {
		return false
	}
	p.words = p.words[1:]
	return true
}

// alternatives reads alternatives with OR between them.
func (p *parser) alternatives() (Filter, error) {
	var alternatives []Filter
	for {
		terms, err := p.terms()
		if err != nil {
			return nil, err
		}
		if len(terms) > 0 || len(alternatives) == 0 {
			alternatives = append(alternatives, allOf(terms))
		}
		if !p.accept("OR", "|") {
			return anyOf(alternatives), nil
		}
	}
}

// terms reads the terms that stand side by side, up to an OR or the end of a parenthesis.
func (p *parser) terms() (terms []Filter, err error) {
	for len(p.words) > 0 && !slices.Contains([]string{"OR", "|", ")"}, p.words[0]) {
		typing := p.words[0] == "-" &&
			(len(p.words) == 1 || p.words[1] != "(") // a term's beginning
		if p.accept("AND") || typing && p.accept("-") {
			continue
		}
		f, err := p.operand()
		if err != nil {
			return nil, err
		}
		terms = append(terms, f)
	}
	return terms, nil
}

// operand reads a term or a parenthesis, or the opposite of one.
func (p *parser) operand() (Filter, error) {
	if p.depth++; p.depth > mostNested {
		return nil, fmt.Errorf("expected at most %d ( and NOT within one another", mostNested)
	}
	defer func() { p.depth-- }()
	switch {
	case p.accept("NOT", "!", "-"):
		if len(p.words) == 0 || p.words[0] == ")" || p.words[0] == "OR" || p.words[0] == "|" {
			return allOf(nil), nil // the rest is still being typed
		}
		f, err := p.operand()
		if err != nil {
			return nil, err
		}
		return func(r *record.Run) bool { return !f(r) }, nil
	case p.accept("("):
		f, err := p.alternatives()
		if len(p.words) > 0 {
			p.words = p.words[1:] // the )
		}
		return f, err
	}
	t, err := parseTerm(p.words[0])
	p.words = p.words[1:]
	if err != nil {
		return nil, err
	}
	p.read = append(p.read, t)
	return t.matches, nil
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
			t.op, t.value = op, word[at+len(op):]
			break
		}
	}
	t.key = word[:at]
	if t.fact, err = FactOf(t.key); err != nil {
		return t, err
	}
	if word[:at] == startedKey {
		if t.when, err = parseMoment(t.value); t.when == (moment{}) {
			t.value = "" // still being typed
		}
		return t, err
	}
	figure, percent := strings.CutSuffix(t.value, "%")
	x, isNum := numeral.Float(figure)
	t.num, t.isNum = x, isNum
	t.exact, _ = numeral.Decimal(figure)
	if percent {
		t.num /= 100
	} else if t.isNum && x > 1 && isShare(word[:at]) {
		return t, fmt.Errorf("%s: expected at most 1, or %s%%", word, t.value)
	}
	if (t.op[0] == '<' || t.op[0] == '>') && !t.isNum && t.value != "" {
		return t, fmt.Errorf("%s: expected a number after %s%s", word, t.op, numeral.Remedy(figure))
	}
	return t, nil
}

// isShare reports whether a key is a measure that is shown in per cent. Its values are at most 1,
// so a greater number without a per cent sign would be compared in vain.
func isShare(key string) bool {
	m, ok := measure.FindMeasure(resolveKey(key))
	return ok && m.Scale == dro.Percent || key == "worst"
}

// resolveKey resolves the short names that people type.
func resolveKey(key string) string {
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

func (t term) matches(r *record.Run) bool { return t.holds(r) != t.not }

// holds reports whether the term holds, without regard to a minus before it.
func (t term) holds(r *record.Run) bool {
	if t.fact == nil {
		return strings.Contains(wordsOf(r), t.value)
	}
	if t.value == "" {
		return !t.not // still being typed
	}
	if t.when != (moment{}) {
		return t.when.holds(t.op, r.Meta.Created)
	}
	fact := strings.ToLower(t.fact(r))
	x, err := strconv.ParseFloat(fact, 64)
	if err != nil || !t.isNum { // not a number: neither above nor below
		return map[string]bool{":": strings.Contains(fact, t.value), "=": fact == t.value,
			"!=": fact != t.value}[t.op]
	}
	const most = 1 << 53 // from here on, a float64 holds only some of the whole numbers
	same := x == t.num && (math.Abs(x) < most || fact == t.exact)
	return map[string]bool{">=": x >= t.num, "<=": x <= t.num, ">": x > t.num, "<": x < t.num,
		"!=": !same, "=": same, ":": same}[t.op]
}

// wordsOf returns the text in which the plain words of a filter are looked for.
func wordsOf(r *record.Run) string {
	s := &r.Meta.Spec
	words := []string{r.Meta.ID, r.Meta.Preset, string(s.Algorithm()), s.Dataset, s.Model,
		s.Uncertainty, string(r.Status()), r.Label().Note, strings.Join(r.Label().Tags, " ")}
	return strings.ToLower(strings.Join(words, "\n"))
}

// plainFacts are the facts that are neither settings nor measures.
var plainFacts = map[string]func(*record.Run) string{
	"id":         func(r *record.Run) string { return r.Meta.ID },
	"preset":     func(r *record.Run) string { return r.Meta.Preset },
	"status":     func(r *record.Run) string { return string(r.Status()) },
	startedKey:   func(r *record.Run) string { return r.Meta.Created.UTC().Format(dayForm) },
	"steps":      func(r *record.Run) string { return strconv.FormatInt(r.Steps(), 10) },
	"tag":        func(r *record.Run) string { return strings.Join(r.Label().Tags, " ") },
	"note":       func(r *record.Run) string { return r.Label().Note },
	"box":        BoxOf,
	"kind":       kindOf,
	"archived":   func(r *record.Run) string { return strconv.FormatBool(r.Label().Archived) },
	"algorithms": func(r *record.Run) string { return string(r.Meta.Spec.Algorithm()) },
	"worst": func(r *record.Run) string { // of the groups where they are given
		return page.Exact(r.Of(r.Meta.MeasureFor("worst_class_accuracy")).Float())
	},
}

// kindOf returns whether a run was trained here or imported.
func kindOf(r *record.Run) string {
	if r.Meta.Imported != nil {
		return "imported"
	}
	return "trained"
}

// BoxOf returns the name of the box that has a run; "here" for a run of this machine.
func BoxOf(r *record.Run) string {
	if m := r.Mirrored(); m != nil {
		return m.Box
	}
	return here
}

// FactOf returns the function that gives a run's value of a key, as text: a setting as a preset
// states it, or a measure of the summary, which may be a program's own. A key that is both, such as
// λ or η, whose start is a setting, stands for the setting.
func FactOf(key string) (func(*record.Run) string, error) {
	key = resolveKey(key)
	if of, ok := plainFacts[key]; ok {
		return of, nil
	}
	if t, ok := spec.FindSetting(key); ok {
		return func(r *record.Run) string { return t.Text(&r.Meta.Spec) }, nil
	}
	if measure.IsUser(key) || slices.Contains(measures(), key) {
		return func(r *record.Run) string { return page.Exact(r.Of(key).Float()) }, nil
	}
	return nil, fmt.Errorf("unknown key %s: expected a setting or one of id, preset, status, "+
		"steps, started, worst, tag, note, box, archived, %s", key, strings.Join(measures(), ", "))
}

// measures returns the measures of a summary that have one number each, except those whose key is a
// setting.
func measures() (keys []string) {
	for _, m := range measure.SummaryMeasures() {
		if _, set := spec.FindSetting(m.Name); !set && !m.IsList() {
			keys = append(keys, m.Name)
		}
	}
	return append(keys, "images_per_second")
}
