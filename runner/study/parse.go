package study

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"drolab/presets"
)

// Key is the key by which a study's file is told from a preset's.
const Key = "study"

// Is reports whether the text of a YAML file is meant as a study.
func Is(text []byte) bool { return regexp.MustCompile(`(?m)^` + Key + `[ \t]*:`).Match(text) }

// IsFile reports whether a word names a file that is a study.
func IsFile(word string) bool {
	text, err := presets.ReadFile(word)
	return err == nil && Is(text)
}

const mostSeeds = 1000

// Parse reads a study's file, which the user calls word. It returns all errors that it can find,
// each with file and line. Nothing but presets is opened.
func Parse(word string, text []byte) (*Study, []error) {
	entries, err := presets.Entries(word, text)
	if err != nil {
		return nil, []error{err}
	}
	p := &parser{of: &Study{Word: word}}
	p.read(Entry{Line: 1, Below: entries}, "a study", rows{
		Key:          oneLine(&p.of.Title),
		"doc":        oneLine(&p.of.Doc),
		"registered": p.date(&p.of.Registered),
		"wait_until": p.date(&p.of.WaitUntil),
		"seeds":      p.seeds,
		"window": value(&p.of.Window, "a whole number from 1 to 9",
			func(n int) bool { return n > 0 && n < 10 }),
		"conditions":   nil,
		"arms":         nil,
		"families":     nil,
		"reproduction": nil,
		"published":    nil,
		"sensitivity":  nil,
	})
	at := map[string]Entry{}
	for _, e := range entries {
		at[e.Key] = e
	}
	for _, key := range []string{Key, "seeds", "arms", "families"} {
		if _, ok := at[key]; !ok {
			p.fail(1, "%s: missing: a study has it", key)
		}
	}
	p.arms(at["conditions"], at["arms"])
	p.each(at["published"], p.published)
	p.each(at["families"], p.families)
	p.each(at["reproduction"], p.reproductions)
	p.each(at["sensitivity"], p.sensitivity)
	if len(p.errs) > 0 {
		slices.SortStableFunc(p.errs, func(a, b lineError) int { return a.line - b.line })
		var errs []error
		for _, e := range p.errs {
			errs = append(errs, fmt.Errorf("%s:%d: %w", word, e.line, e.err))
		}
		return nil, errs
	}
	return p.of, nil
}

// Entry is an entry of the file.
type Entry = presets.Entry

type lineError struct {
	line int
	err  error
}

// parser fills in a Study and collects what is wrong.
type parser struct {
	of   *Study
	errs []lineError
}

func (p *parser) fail(line int, format string, args ...any) {
	p.errs = append(p.errs, lineError{line, fmt.Errorf(format, args...)})
}

// rows says how the entries of a mapping are read; nil stands for one that is read elsewhere.
type rows map[string]func(Entry) error

// read reads the entries of a mapping. what names the mapping.
func (p *parser) read(e Entry, what string, by rows) {
	if e.Below == nil {
		p.fail(e.Line, "%s: want a mapping with %s", what, strings.Join(keysOf(by), ", "))
	}
	for _, b := range e.Below {
		take, ok := by[b.Key]
		if !ok {
			p.fail(b.Line, "%.40q: %s has %s", b.Key, what, strings.Join(keysOf(by), ", "))
		} else if take != nil {
			if err := take(b); err != nil {
				p.fail(b.Line, "%w", err)
			}
		}
	}
}

func keysOf(by rows) []string { return slices.Sorted(maps.Keys(by)) }

// each reads the entries below an optional one.
func (p *parser) each(e Entry, do func(Entry)) {
	if e.Key != "" && len(e.Below) == 0 {
		p.fail(e.Line, "%s: empty: leave it out, or fill it in", e.Key)
	}
	if e.Key == "published" {
		do(e)
		return
	}
	for _, b := range e.Below {
		do(b)
	}
}

// value returns the reader of a value that is not a setting.
func value[T any](into *T, want string, ok func(T) bool) func(Entry) error {
	return func(e Entry) error {
		var v T
		if e.Below != nil || string(e.Value) == "null" || json.Unmarshal(e.Value, &v) != nil ||
			ok != nil && !ok(v) {
			return fmt.Errorf("%s: %.60s: want %s", e.Key, e.Value, want)
		}
		*into = v
		return nil
	}
}

func oneLine(into *string) func(Entry) error {
	return value(into, "one line of text", func(s string) bool {
		return strings.TrimSpace(s) != "" && !strings.ContainsAny(s, "\n\r")
	})
}

func oneOf(into *string, words ...string) func(Entry) error {
	return value(into, strings.Join(words, " or "), func(s string) bool {
		return slices.Contains(words, s)
	})
}

func (p *parser) date(into *time.Time) func(Entry) error {
	return func(e Entry) (err error) {
		var text string
		if json.Unmarshal(e.Value, &text) == nil {
			for _, form := range []string{time.DateOnly, time.RFC3339} {
				if *into, err = time.Parse(form, text); err == nil {
					return nil
				}
			}
		}
		return fmt.Errorf("%s: %.40s: want a date, as in 2027-01-22 or 2026-11-23T06:22:25Z",
			e.Key, e.Value)
	}
}

func (p *parser) seeds(e Entry) error {
	var text string
	list := &p.of.Seeds
	if json.Unmarshal(e.Value, &text) == nil {
		from, to, _ := strings.Cut(text, "-")
		first, err := strconv.ParseUint(strings.TrimSpace(from), 10, 63)
		last, wrong := strconv.ParseUint(strings.TrimSpace(to), 10, 63)
		if err == nil && wrong == nil && last < first+mostSeeds {
			for ; first <= last; first++ {
				*list = append(*list, first)
			}
		}
	} else if json.Unmarshal(e.Value, list) != nil {
		*list = nil
	}
	slices.Sort(*list)
	once := len(slices.Compact(slices.Clone(*list))) == len(*list)
	if len(*list) == 0 || len(*list) > mostSeeds || !once {
		return fmt.Errorf("seeds: %.40s: want at most %d, as in 5-16 or [1, 2, 4]", e.Value,
			mostSeeds)
	}
	return nil
}

func entryOf(e Entry, key string) *Entry {
	i := slices.IndexFunc(e.Below, func(b Entry) bool { return b.Key == key })
	if i < 0 {
		return nil
	}
	return &e.Below[i]
}

// published reads the published table.
func (p *parser) published(e Entry) {
	t := &Published{Figure: "Figures", Rows: map[string][]float64{}}
	by := rows{"name": oneLine(&t.Name), "figure": oneLine(&t.Figure), "silent": nil,
		"preset": oneLine(&t.Preset), "lowest": p.classes(&t.Low)}
	for _, a := range p.of.Arms {
		by[a.Name] = func(e Entry) error {
			var row []float64
			err := value(&row, "accuracies of all classes, in %", func(row []float64) bool {
				for _, o := range t.Rows {
					return len(o) == len(row)
				}
				return len(row) > 0
			})(e)
			t.Rows[e.Key] = row
			return err
		}
	}
	p.read(e, "published", by)
	if silent := entryOf(e, "silent"); silent != nil {
		for _, b := range silent.Below {
			var s [3]string
			p.read(b, "silent", rows{"setting": oneLine(&s[0]), "here": oneLine(&s[1]),
				"why": oneLine(&s[2])})
			t.Silent = append(t.Silent, s)
		}
	}
	for _, row := range t.Rows {
		if len(t.Low) > 0 && slices.Max(t.Low) >= len(row) {
			p.fail(e.Line, "published: lowest: there are %d classes, and the first is 0", len(row))
			break
		}
	}
	p.of.Published = t
}

func (p *parser) classes(into *[]int) func(Entry) error {
	return value(into, "a list of numbers of classes, the first is 0", func(list []int) bool {
		return len(list) > 0 && slices.Min(list) >= 0
	})
}

// names returns the reader of a list of names, as their indices in a list.
func (p *parser) names(into *[]int, what string, known []string) func(Entry) error {
	return func(e Entry) error {
		var words []string
		if err := value(&words, "a list of names", nil)(e); err != nil {
			return err
		}
		for _, w := range words {
			i := slices.Index(known, w)
			if i < 0 {
				return fmt.Errorf("%s: %.40q: no such %s: choose of %s", e.Key, w, what,
					strings.Join(known, ", "))
			}
			*into = append(*into, i)
		}
		return nil
	}
}

func (p *parser) under(into *[]int) func(Entry) error {
	var labels []string
	for _, c := range p.of.Conditions {
		labels = append(labels, c.Label)
	}
	return p.names(into, "condition", labels)
}

// all returns every condition where a claim names none.
func (p *parser) all(under []int) []int {
	if len(under) == 0 {
		for i := range p.of.Conditions {
			under = append(under, i)
		}
	}
	return under
}
