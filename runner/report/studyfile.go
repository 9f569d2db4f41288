package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"drolab/dro"
	"drolab/presets"
	"drolab/runner"
	"drolab/runner/data/source"
	"drolab/runner/lists"
	"drolab/runner/measure"
	"drolab/runner/numeral"
	"drolab/runner/page"
	"drolab/runner/spec"
)

const mostSeeds = 1000

// ParseStudy reads a study's file, which the user calls word. It returns all errors that it can
// find, each with file and line. Nothing but presets is opened.
func ParseStudy(word string, text []byte) (*Study, []error) {
	entries, err := presets.Entries(word, text)
	if err != nil {
		return nil, []error{err}
	}
	p, root := &parser{study: &Study{Word: word}}, presets.Entry{Line: 1, Below: entries}
	p.readMapping(root, "a study", entryRows{
		StudyKey:     oneLine(&p.study.Title),
		"doc":        oneLine(&p.study.Doc),
		"registered": date(&p.study.Registered),
		"wait_until": date(&p.study.WaitUntil),
		"seeds":      p.readSeeds,
		"window": value(&p.study.Window, "a whole number from 1 to 9",
			func(n int) bool { return n > 0 && n < 10 }),
		"conditions":   nil,
		"arms":         nil,
		"families":     nil,
		"reproduction": nil,
		"published":    nil,
		"sensitivity":  nil,
	})
	for _, key := range []string{StudyKey, "seeds", "arms", "families"} {
		if entryOf(root, key).Key == "" {
			p.fail(0, "expected a key %s: every study has it", key)
		}
	}
	p.readArms(entryOf(root, "conditions"), entryOf(root, "arms"))
	p.readBelow(entryOf(root, "published"), p.readPublished)
	p.readBelow(entryOf(root, "families"), p.readFamily)
	p.readBelow(entryOf(root, "reproduction"), p.readReproduction)
	p.readBelow(entryOf(root, "sensitivity"), p.readSensitivity)
	if len(p.errs) > 0 {
		return nil, presets.InFile(word, word, p.errs)
	}
	return p.study, nil
}

// parser fills in a Study and collects what is wrong.
type parser struct {
	study *Study
	errs  []presets.LineError
	// labels are those of the conditions, and armNames those of the arms.
	labels, armNames []string
}

func (p *parser) fail(line int, format string, args ...any) {
	p.errs = append(p.errs, presets.LineError{Line: line, Err: fmt.Errorf(format, args...)})
}

// entryRows says how the entries of a mapping are read; nil stands for one that is read elsewhere.
type entryRows map[string]func(presets.Entry) error

// readMapping reads the entries of a mapping. what names the mapping.
func (p *parser) readMapping(e presets.Entry, what string, by entryRows) {
	if e.Below == nil {
		p.fail(e.Line, "%s: expected a mapping with %s", what, strings.Join(keysOf(by), ", "))
	}
	for _, b := range e.Below {
		read, ok := by[b.Key]
		if !ok {
			p.fail(b.Line, "%.40q: %s has %s", b.Key, what, strings.Join(keysOf(by), ", "))
		} else if read != nil {
			if err := read(b); err != nil {
				p.fail(b.Line, "%w", err)
			}
		}
	}
}

func keysOf(by entryRows) []string { return slices.Sorted(maps.Keys(by)) }

// readBelow reads the entries below an optional one.
func (p *parser) readBelow(e presets.Entry, do func(presets.Entry)) {
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
func value[T any](into *T, want string, ok func(T) bool) func(presets.Entry) error {
	return func(e presets.Entry) error {
		var v T
		if e.Below != nil || string(e.Value) == "null" || e.Decode(&v) != nil ||
			ok != nil && !ok(v) {
			hint := ""
			switch any(v).(type) {
			case int, float64, []int, []float64:
				hint = e.Remedy()
			}
			return fmt.Errorf("%s: %.60s: expected %s%s", e.Key, e.Value, want, hint)
		}
		*into = v
		return nil
	}
}

func oneLine(into *string) func(presets.Entry) error {
	return value(into, "one line of text", func(s string) bool {
		return strings.TrimSpace(s) != "" && !strings.ContainsAny(s, "\n\r")
	})
}

func oneOf(into *string, words ...string) func(presets.Entry) error {
	return value(into, strings.Join(words, " or "), func(s string) bool {
		return slices.Contains(words, s)
	})
}

func date(into *time.Time) func(presets.Entry) error {
	return func(e presets.Entry) (err error) {
		var text string
		if json.Unmarshal(e.Value, &text) == nil {
			for _, form := range []string{time.DateOnly, time.RFC3339} {
				if *into, err = time.Parse(form, text); err == nil {
					return nil
				}
			}
		}
		return fmt.Errorf("%s: %.40s: expected a date, as in 2027-01-22 or 2026-11-23T06:22:25Z",
			e.Key, e.Value)
	}
}

func (p *parser) readSeeds(e presets.Entry) error {
	var text string
	list, hint := &p.study.Seeds, e.Remedy()
	if json.Unmarshal(e.Value, &text) == nil {
		from, to, _ := strings.Cut(text, "-")
		first, isNumber := numeral.Uint64(from)
		last, isRange := numeral.Uint64(to)
		switch {
		case isNumber && isRange && last < first:
			return fmt.Errorf("seeds: %.40s: the range runs backwards: write %d-%d", e.Value, last,
				first)
		case isNumber && isRange && last-first < mostSeeds:
			for i := range last - first + 1 {
				*list = append(*list, first+i)
			}
		}
		if hint = numeral.Remedy(from); hint == "" {
			hint = numeral.Remedy(to)
		}
	} else if e.Decode(list) != nil {
		*list = nil
	}
	slices.Sort(*list)
	for i, seed := range *list {
		if i > 0 && seed == (*list)[i-1] {
			return fmt.Errorf("seeds: %.40s: %d is there twice: a seed is one run of each arm",
				e.Value, seed)
		}
	}
	if len(*list) == 0 || len(*list) > mostSeeds {
		return fmt.Errorf("seeds: %.40s: expected at most %d seeds, as in 5-16 or [1, 2, 4]%s",
			e.Value, mostSeeds, hint)
	}
	return nil
}

// entryOf returns the entry below e that has the key, or an entry without a key.
func entryOf(e presets.Entry, key string) presets.Entry {
	for _, b := range e.Below {
		if b.Key == key {
			return b
		}
	}
	return presets.Entry{}
}

// readPublished reads the published table.
func (p *parser) readPublished(e presets.Entry) {
	t := &Published{Figure: "Figures", Rows: map[string][]float64{}}
	by := entryRows{"name": oneLine(&t.Name), "figure": oneLine(&t.Figure), "silent": nil,
		"preset": oneLine(&t.Preset), "lowest": classesOf(&t.Low)}
	for _, a := range p.study.Arms {
		by[a.Name] = func(e presets.Entry) error {
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
	p.readMapping(e, "published", by)
	for _, b := range entryOf(e, "silent").Below {
		var s Departure
		p.readMapping(b, "silent", entryRows{"setting": oneLine(&s.Key), "here": oneLine(&s.Value),
			"why": oneLine(&s.Reason)})
		t.Silent = append(t.Silent, s)
	}
	for _, row := range t.Rows {
		if len(t.Low) > 0 && slices.Max(t.Low) >= len(row) {
			p.fail(e.Line, "published: lowest: there are %d classes, and the first is 0", len(row))
			break
		}
	}
	p.study.Published = t
}

func classesOf(into *[]int) func(presets.Entry) error {
	return value(into, "a list of numbers of classes, the first is 0", func(list []int) bool {
		return len(list) > 0 && slices.Min(list) >= 0
	})
}

// names returns the reader of a list of names, as their indices in a list.
func names(into *[]int, what string, known []string) func(presets.Entry) error {
	return func(e presets.Entry) error {
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

func (p *parser) conditionList(into *[]int) func(presets.Entry) error {
	return names(into, "condition", p.labels)
}

// orAllConditions returns every condition where a claim names none.
func (p *parser) orAllConditions(under []int) []int {
	if len(under) == 0 {
		return page.Indices(len(p.study.Conditions))
	}
	return under
}

// readFamily reads a family of claims.
func (p *parser) readFamily(e presets.Entry) {
	f := Family{Name: e.Key, Title: "The claims", Correction: Holm}
	level, like, instead := .05, "", []int{}
	p.readMapping(e, "a family", entryRows{
		"title": oneLine(&f.Title), "secondary": value(&f.Secondary, "true or false", nil),
		"level": value(&level, "a number in (0, 1)",
			func(x float64) bool { return x > 0 && x < 1 }),
		"correction": oneOf(&f.Correction, Holm, None),
		"like":       oneLine(&like),
		"instead":    p.armList(&instead),
		"claims":     nil,
	})
	f.Confidence = 1 - level
	claims := entryOf(e, "claims").Below
	switch {
	case like != "":
		p.copyClaims(e, &f, like, instead)
	case len(claims) == 0:
		p.fail(e.Line, "%s: no claims: a family has at least one", e.Key)
	default:
		for _, c := range claims {
			p.readClaim(c, &f)
		}
	}
	p.study.Families = append(p.study.Families, f)
}

// copyClaims takes over the claims of an earlier family whose first arm is the first of two, with
// the second in its place.
func (p *parser) copyClaims(e presets.Entry, f *Family, name string, instead []int) {
	i := slices.IndexFunc(p.study.Families, func(o Family) bool { return o.Name == name })
	if i < 0 || len(instead) != 2 {
		p.fail(e.Line, "%s: expected the name of a family above, and instead: [ARM, OTHER]", e.Key)
		return
	}
	for _, c := range p.study.Families[i].Claims {
		var pairs [][2]int
		for _, pair := range c.Pairs {
			if pair[0] == instead[0] {
				pairs = append(pairs, [2]int{instead[1], pair[1]})
			}
		}
		if c.Pairs = pairs; len(pairs) > 0 {
			f.Claims = append(f.Claims, c)
		}
	}
}

func (p *parser) armList(into *[]int) func(presets.Entry) error {
	return names(into, "arm", p.armNames)
}

// pairList reads two arms, or a list of pairs of arms.
func (p *parser) pairList(into *[][2]int) func(presets.Entry) error {
	return func(e presets.Entry) error {
		var lists []json.RawMessage
		if json.Unmarshal(e.Value, &lists) != nil || len(lists) == 0 || lists[0][0] != '[' {
			lists = []json.RawMessage{e.Value}
		}
		for _, one := range lists {
			var pair []int
			if err := p.armList(&pair)(presets.Entry{Key: e.Key, Line: e.Line,
				Value: one}); err != nil {
				return err
			}
			if len(pair) != 2 {
				return fmt.Errorf("arms: %.60s: expected two arms, as in [sfk, erm]", one)
			}
			*into = append(*into, [2]int(pair))
		}
		return nil
	}
}

// measureName reads the name of a measure, or its short title.
func (p *parser) measureName(into *string) func(presets.Entry) error {
	return func(e presets.Entry) error {
		if err := oneLine(into)(e); err != nil || *into == StepTime {
			return err
		}
		for _, m := range measure.EvalMeasures() {
			if m.Name == *into || m.Head() == *into && !m.IsList() {
				*into = m.Name
				return nil
			}
		}
		return fmt.Errorf("measure: %.40q: no such measure: drolab show RUN --json names a "+
			"run's, and there is %s", *into, StepTime)
	}
}

func (p *parser) readClaim(e presets.Entry, f *Family) {
	var c Claim
	var at, direction string
	margin, before := 0.0, len(p.errs)
	p.readMapping(e, "a claim", entryRows{
		"key": oneLine(&c.Key), "says": oneLine(&c.Says), "source": oneLine(&c.Source),
		"reading": oneLine(&c.Reading), "name": oneLine(&c.Name),
		"measure": p.measureName(&c.Measure),
		"at":      oneOf(&at, "end", "along"), "arms": p.pairList(&c.Pairs),
		"classes": classesOf(&c.Classes[0]), "other": classesOf(&c.Classes[1]),
		"parts":     value(&c.Parts, "two names", func(l []string) bool { return len(l) == 2 }),
		"direction": oneOf(&direction, "less", "greater"),
		"margin":    value(&margin, "a number", nil),
		"equivalent": value(&c.Equivalent, "a number above 0",
			func(x float64) bool { return x > 0 }),
		"under": p.conditionList(&c.Under), "as": oneLine(&c.As),
	})
	if len(p.errs) > before {
		return
	}
	m, _ := measure.FindMeasure(c.Measure)
	has := func(key string) bool { return entryOf(e, key).Key != "" }
	switch {
	case c.Measure == "":
		p.fail(e.Line, "a claim: no measure: as in measure: test_loss")
	case len(c.Pairs) == 0:
		p.fail(e.Line, "a claim: no arms: as in arms: [sfk, erm]")
	case has("direction") == has("equivalent"):
		p.fail(e.Line, "a claim: expected either direction: less or greater, or equivalent: MARGIN")
	case has("margin") && has("equivalent"):
		p.fail(e.Line, "a claim: the margin of equivalence is that of equivalent")
	case has("classes") != (m.Axis == measure.PerClass):
		p.fail(e.Line, "a claim: %s: a measure of classes wants classes, as in [0, 2], and no "+
			"other does", c.Measure)
	case c.Measure == StepTime && at != "":
		p.fail(e.Line, "a claim: %s has no %s", StepTime, at)
	case c.Measure == StepTime && has("margin") && margin <= 0:
		p.fail(e.Line, "a claim: margin: %g: that of %s is a factor above 0", margin, StepTime)
	case c.Measure == StepTime && has("equivalent") && c.Equivalent <= 1:
		p.fail(e.Line, "a claim: equivalent: %g: that of %s is a factor above 1", c.Equivalent,
			StepTime)
	case m.IsList() && m.Axis != measure.PerClass:
		p.fail(e.Line, "a claim: %s: expected a measure with one value", c.Measure)
	}
	p.checkRadius(e, &c)
	if c.Under = p.orAllConditions(c.Under); c.As != "" && len(c.Under) > 1 {
		p.fail(e.Line, "a claim: as: wants under with one condition")
	}
	if len(c.Classes[1]) == 0 {
		c.Classes[1] = c.Classes[0]
	}
	c.Along, c.Higher = at == "along", direction == "greater"
	c.Margin, c.Equivalent = inOwnUnit(m, margin), inOwnUnit(m, c.Equivalent)
	if c.Measure == StepTime { // a ratio of times is a difference of logarithms
		c.Margin, c.Equivalent = logOf(c.Margin), logOf(c.Equivalent)
	}
	if c.Key == "" {
		c.Key = strings.ReplaceAll(c.Measure, "_", "-")
	}
	f.Claims = append(f.Claims, c)
}

// checkRadius refuses a robust risk of a split at a radius at which an arm does not measure it.
func (p *parser) checkRadius(e presets.Entry, c *Claim) {
	for _, at := range p.orAllConditions(c.Under) {
		of := p.study.Conditions[at]
		for _, pair := range c.Pairs {
			for _, arm := range pair {
				a := &p.study.Arms[arm]
				if atRadii(c.Measure) != "" && of.Radius > 0 &&
					!slices.Contains(a.Specs[at].RiskRadii, of.Radius) {
					p.fail(e.Line, "a claim: %s trains by another radius than %g: add that one to "+
						"its risk_radii", a.Name, of.Radius)
					return
				}
			}
		}
	}
}

func logOf(ratio float64) float64 {
	if ratio <= 0 { // none is given
		return 0
	}
	return math.Log(ratio)
}

// inOwnUnit returns a value, which people write in per cent for accuracies, in the measure's own
// unit.
func inOwnUnit(m measure.Measure, x float64) float64 {
	if m.Scale == dro.Percent {
		return x / 100
	}
	return x
}

// readReproduction reads the comparison of an arm with a published number.
func (p *parser) readReproduction(e presets.Entry) {
	var arm []int
	r := Reproduction{Measure: "test_accuracy"}
	one := func(e presets.Entry) error {
		quoted := append(append([]byte("["), e.Value...), ']')
		return p.armList(&arm)(presets.Entry{Key: e.Key, Value: quoted})
	}
	p.readMapping(e, "reproduction", entryRows{"arm": one, "measure": p.measureName(&r.Measure),
		"value": value(&r.Value, "a number", nil), "under": p.conditionList(&r.Under)})
	m, _ := measure.FindMeasure(r.Measure)
	t, given := p.study.Published, entryOf(e, "value").Key != ""
	switch {
	case len(arm) != 1:
		p.fail(e.Line, "reproduction: expected an arm, as in {arm: erm, measure: mean, value: "+
			"72.9}")
		return
	case m.Name == "" || m.IsList():
		p.fail(e.Line, "reproduction: %s: expected a measure of evaluations with one value",
			r.Measure)
		return
	case !given && (t == nil || t.Rows[p.study.Arms[arm[0]].Name] == nil):
		p.fail(e.Line, "reproduction: expected the published value")
		return
	case !given:
		r.Value = t.Mean(p.study.Arms[arm[0]].Name)
	}
	r.Arm, r.Value, r.Under = arm[0], inOwnUnit(m, r.Value), p.orAllConditions(r.Under)
	p.study.Reproduction = append(p.study.Reproduction, r)
}

// readSensitivity reads a setting with the values that are compared.
func (p *parser) readSensitivity(e presets.Entry) {
	var s Sensitivity
	var values []json.RawMessage
	known := func(key string) bool { _, ok := spec.FindSetting(key); return ok }
	before := len(p.errs)
	p.readMapping(e, "sensitivity", entryRows{"setting": value(&s.Setting, "a setting", known),
		"values": value(&values, "a list of values", nil), "arms": p.armList(&s.Arms)})
	plain := func(v json.RawMessage) string {
		return strings.Trim(string(presets.Canonical(s.Setting, v)), `"`)
	}
	s.Values = lists.Map(values, plain)
	if len(p.errs) == before && (s.Setting == "" || len(s.Values) == 0 || len(s.Arms) == 0) {
		p.fail(e.Line, "sensitivity: expected {setting: init, values: [he], arms: [sfk]}")
	}
	p.study.Sensitivity = append(p.study.Sensitivity, s)
}

// readArms reads the conditions and the arms, which have a Spec under each condition.
func (p *parser) readArms(conditions, arms presets.Entry) {
	under := conditions.Below
	if conditions.Key == "" {
		under = []presets.Entry{{Line: arms.Line, Below: []presets.Entry{}}}
	} else if len(under) == 0 {
		p.fail(conditions.Line, "conditions: expected settings by label, as in {ρ = 0.5: {rho: "+
			"0.5}}")
	}
	sound := true
	for _, c := range under {
		one := Condition{Label: c.Key}
		s, preset, ok := p.settings(c)
		sound = sound && ok
		if preset != "" || entryOf(c, "rho").Key != "" {
			one.Radius = s.Rho
		}
		p.study.Conditions, p.labels = append(p.study.Conditions, one), append(p.labels, c.Key)
	}
	if arms.Key != "" && len(arms.Below) == 0 {
		p.fail(arms.Line, "arms: expected at least one, as in {erm: {preset: shapes, method: erm}}")
	}
	for _, e := range arms.Below {
		a := Arm{Name: e.Key, Label: e.Key}
		if label := entryOf(e, "label"); label.Key != "" {
			if err := oneLine(&a.Label)(label); err != nil {
				p.fail(label.Line, "%w", err)
			}
		}
		for ok, i := sound, 0; ok && i < len(under); i++ { // an error is told once
			var s spec.Spec
			var preset string
			s, preset, ok = p.settings(under[i], e)
			a.Specs, a.Presets = append(a.Specs, s), append(a.Presets, preset)
		}
		p.study.Arms, p.armNames = append(p.study.Arms, a), append(p.armNames, a.Name)
	}
	p.dropCommonRadii()
}

// dropCommonRadii forgets the radii of the conditions if every arm trains by that of its condition.
// Else all robust risks of the study are read from the list of risk_radii, since two solutions of
// the same problem may differ in the last digits.
func (p *parser) dropCommonRadii() {
	for c := range p.study.Conditions {
		for _, a := range p.study.Arms {
			r := p.study.Conditions[c].Radius
			if len(p.errs) == 0 && r > 0 && a.Specs[c].Rho != r {
				return
			}
		}
	}
	for c := range p.study.Conditions {
		p.study.Conditions[c].Radius = 0
	}
}

// settings returns the settings that mappings state, the last of which prevails: a preset, a method
// and settings. An arm, the second mapping, needs a preset and a method.
func (p *parser) settings(by ...presets.Entry) (s spec.Spec, preset string, ok bool) {
	before, at, last := len(p.errs), map[string]presets.Entry{}, by[len(by)-1]
	check := func(line int, err error) {
		if err != nil {
			p.fail(line, "%w", err)
		}
	}
	for _, e := range by {
		for _, b := range e.Below {
			at[b.Key] = b
		}
	}
	s = spec.Defaults()
	if e, is := at["preset"]; is {
		loaded, err := p.loadPreset(e)
		check(e.Line, err)
		s, preset = loaded.Spec, loaded.Name
	}
	for _, e := range by {
		for _, b := range e.Below {
			switch b.Key {
			case "preset", "label":
			case "method":
				check(b.Line, method(b, &s))
			case "algorithms", "seed", "seeds":
				p.fail(b.Line, "%s: arms have a method, and a study its seeds", b.Key)
			default:
				text := cmp.Or(string(b.Value), "{}") // a mapping is a value of no setting
				check(b.Line, presets.Assign(&s, b.Key, []byte(text)))
			}
		}
	}
	if s.Seeds = 1; len(by) == 1 || len(p.errs) > before {
		return s, preset, len(p.errs) == before
	}
	for _, key := range []string{"preset", "method"} {
		if at[key].Key == "" {
			p.fail(last.Line, "%s: no %s: an arm is {preset: NAME, method: NAME} and settings",
				last.Key, key)
			return s, preset, false
		}
	}
	err := s.Validate()
	for _, b := range last.Below {
		if _, is := spec.FindSetting(b.Key); err == nil && is {
			err = s.Unread([]string{b.Key})
		}
	}
	// Runs keep absolute paths. Those of a study are relative to its folder.
	if dir, wrong := filepath.Abs(filepath.Dir(p.study.Word)); wrong == nil {
		s.Dataset = source.Locate(s.Dataset, dir)
		s.SettleProgram(dir)
	}
	line := last.Line
	if wrong, is := errors.AsType[*spec.KeyError](err); is {
		line = cmp.Or(at[wrong.Key].Line, line)
	}
	check(line, err)
	return s, preset, err == nil
}

// loadPreset loads a preset that an arm names, and remembers it.
func (p *parser) loadPreset(e presets.Entry) (loaded presets.Preset, err error) {
	var name string
	if err = oneLine(&name)(e); err == nil {
		loaded, err = presets.LoadBeside(p.study.Word, name)
	}
	if !slices.ContainsFunc(p.study.Presets, func(o runner.Preset) bool {
		return o.Name == loaded.Name
	}) {
		p.study.Presets = append(p.study.Presets, loaded.Preset)
	}
	return loaded, err
}

func method(e presets.Entry, s *spec.Spec) error {
	var name dro.Algorithm
	err := value(&name, "a method", nil)(e)
	if err == nil {
		_, err = spec.FindMethod("algorithm", string(name))
	}
	if err == nil {
		s.Algorithms = []dro.Algorithm{name}
	}
	return err
}
