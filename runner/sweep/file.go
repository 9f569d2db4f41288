package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"drolab/presets"
	"drolab/runner/spec"
)

// File is the content of a sweep file.
type File struct {
	Name   string // of the file without its extension; the preset of the runs
	Preset string
	// Base is the preset with the fixed overrides. Its Algorithms are the methods to sweep over;
	// its Seeds is the number of seeds of each setting.
	Base   spec.Spec
	Axes   []Axis
	Random Random
	// Select is the rule that chooses the setting of a method; see spec.Selections.
	Select  string
	Halving Halving

	path  string
	lines map[string]int // by key, the line where it is set, swept or drawn
}

// Axis is a setting with the values that it takes.
type Axis struct {
	Key    string
	Values []json.RawMessage
}

// Halving ends runs early: once every run has trained Epochs[i] epochs, only the share Keep of the
// settings of each method goes on, the best by validation. The zero value ends no run.
type Halving struct {
	Epochs []int
	Keep   float64
}

// mostRuns bounds a sweep: its list is read as a whole.
const mostRuns = 100_000

// Parse reads a sweep file. It returns all errors that it can find, each with file and line.
func Parse(file string, text []byte) (*File, []error) {
	entries, err := presets.Entries(file, text)
	if err != nil {
		return nil, []error{err}
	}
	p := &parser{file: file, of: File{Name: baseName(file), path: file, lines: map[string]int{}}}
	p.preset(entries)
	for _, e := range entries {
		p.line = e.Line
		p.add(e)
	}
	p.finish()
	if len(p.errs) > 0 {
		return nil, p.errs
	}
	return &p.of, nil
}

// parser fills in a File and collects what is wrong.
type parser struct {
	file string
	line int
	of   File
	errs []error

	loaded bool // whether the preset is loaded
}

// words are the keys of a sweep file.
var words = []string{"preset", "set", "grid", "random", "seeds", "select", "halving"}

func (p *parser) fail(format string, args ...any) {
	p.errs = append(p.errs, fmt.Errorf("%s:%d: "+format, append([]any{p.file, p.line}, args...)...))
}

// preset reads the entry preset, wherever it stands, before the other entries, which change the
// preset.
func (p *parser) preset(entries []presets.Entry) {
	p.of.Base, p.of.Select, p.line = spec.Defaults(), spec.SelectValWorst, 1
	at := slices.IndexFunc(entries, func(e presets.Entry) bool { return e.Key == "preset" })
	if at < 0 {
		p.fail("preset: nothing: want the name of a preset or a preset's file")
		return
	}
	p.line = entries[at].Line
	if !p.read(entries[at], &p.of.Preset, "the name of a preset or a preset's file") {
		return
	}
	loaded, err := presets.LoadBeside(p.file, p.of.Preset)
	if err != nil {
		p.fail("%w", err)
		return
	}
	p.of.Base, p.loaded = loaded.Spec, true
	if p.of.Base.Select != spec.SelectLast {
		p.of.Select = p.of.Base.Select
	}
}

// read decodes a value that is not a setting.
func (p *parser) read(e presets.Entry, into any, want string) bool {
	if e.Below == nil && string(e.Value) != "null" && json.Unmarshal(e.Value, into) == nil {
		return true
	}
	p.fail("%s: want %s", e.Key, want)
	return false
}

func (p *parser) add(e presets.Entry) {
	switch e.Key {
	case "preset":
	case "set":
		p.below(e, p.set)
	case "grid":
		p.below(e, p.axis)
	case "random":
		p.below(e, p.random)
	case "seeds":
		if p.assign(&p.of.Base, "seeds", e.Value) &&
			(p.of.Base.Seeds < 1 || p.of.Base.Seeds > mostRuns) {
			p.fail("seeds: %d: want a whole number from 1 to %d", p.of.Base.Seeds, mostRuns)
		}
	case "select":
		p.selection(e)
	case "halving":
		p.below(e, p.halving)
	default:
		where := ""
		if key := presets.Key(e.Key); key != "" {
			where = fmt.Sprintf(": write %s: VALUE below set, and %s: [VALUE, VALUE] below "+
				"grid",
				key, key)
		}
		p.fail("%.40q: want one of %s%s", e.Key, strings.Join(words, ", "), where)
	}
}

// below reads the entries of a mapping.
func (p *parser) below(e presets.Entry, each func(presets.Entry)) {
	if e.Below == nil {
		p.fail("%s: want settings with their values, as in {rho: ...}", e.Key)
	}
	for _, b := range e.Below {
		p.line = b.Line
		each(b)
	}
}

// settingKey returns the setting that a key of the file means.
func settingKey(key string) string {
	if key == "algo" {
		return "algorithms"
	}
	return key
}

// claim notes the line of a setting, which may be given only once.
func (p *parser) claim(key string) bool {
	if at, twice := p.of.lines[key]; twice {
		p.fail("%s: is already given in line %d", key, at)
		return false
	}
	p.of.lines[key] = p.line
	return true
}

func (p *parser) assign(s *spec.Spec, key string, value json.RawMessage) bool {
	err := presets.Assign(s, key, value)
	if err != nil {
		p.fail("%w", err)
	}
	return err == nil
}

func (p *parser) set(e presets.Entry) {
	key := settingKey(e.Key)
	switch {
	case key == "seeds" || key == "select":
		p.fail("%s: belongs to the top level of a sweep file, not below set", key)
	case p.claim(key):
		p.assign(&p.of.Base, key, e.Value)
	}
}

// axis reads a setting of the grid: a list of values or, for algorithms, of names.
func (p *parser) axis(e presets.Entry) {
	key := settingKey(e.Key)
	var values []json.RawMessage
	if key == "seed" || key == "seeds" || key == "select" {
		p.fail("grid: %s cannot vary: say how many seeds there are with seeds", key)
		return
	}
	if e.Below != nil || json.Unmarshal(e.Value, &values) != nil || len(values) == 0 {
		p.fail("grid: %s: want a list of values", e.Key)
		return
	}
	if !p.claim(key) {
		return
	}
	if key == "algorithms" {
		p.assign(&p.of.Base, key, e.Value)
		return
	}
	for _, v := range values {
		one := p.of.Base
		if !p.assign(&one, key, v) {
			return
		}
	}
	p.of.Axes = append(p.of.Axes, Axis{key, values})
}

func (p *parser) selection(e presets.Entry) {
	p.claim("select")
	if !p.read(e, &p.of.Select, "a rule") || p.of.Select == spec.SelectLast {
		p.fail("select: want a rule on the validation split: %s",
			strings.Join(spec.Selections()[1:], ", "))
	}
}

func (p *parser) halving(e presets.Entry) {
	h := &p.of.Halving
	switch e.Key {
	case "epochs":
		p.claim("halving")
		if p.read(e, &h.Epochs, "a list of epochs") &&
			(len(h.Epochs) == 0 || !ascending(h.Epochs)) {
			p.fail("halving: epochs: want one or more epochs, ascending")
		}
	case "keep":
		if p.read(e, &h.Keep, "a share in (0, 1)") && !(h.Keep > 0 && h.Keep < 1) {
			p.fail("halving: keep: %g: want a share in (0, 1)", h.Keep)
		}
	default:
		p.fail("halving: %.40q: want epochs and keep", e.Key)
	}
}

func ascending(epochs []int) bool {
	for i, n := range epochs {
		if n < 1 || i > 0 && n <= epochs[i-1] {
			return false
		}
	}
	return true
}

// finish makes the checks that need the whole file. The specs are checked where they are made: see
// Expand.
func (p *parser) finish() {
	p.of.Base.Select = p.of.Select
	p.finishDraws()
	h, s := &p.of.Halving, &p.of.Base
	if p.line = p.of.lines["halving"]; len(h.Epochs) > 0 {
		switch last := h.Epochs[len(h.Epochs)-1]; {
		case h.Keep == 0:
			p.fail("halving: want the share to keep, as in keep: 0.25")
		case last >= s.Epochs && p.of.lines["epochs"] == 0:
			p.fail("halving: epochs: %d: want fewer than the %d that runs have", last, s.Epochs)
		case s.EvalEvery == 0 ||
			slices.ContainsFunc(h.Epochs, func(n int) bool { return n%s.EvalEvery != 0 }):
			p.fail("halving: epochs: want epochs that are evaluated: eval_every is %d", s.EvalEvery)
		}
	}
	if p.loaded {
		_, errs := p.of.settings()
		p.errs = append(p.errs, errs...)
	}
	for i, err := range p.errs { // the errors of settings name no file
		if at := (*lineError)(nil); errors.As(err, &at) {
			p.errs[i] = fmt.Errorf("%s:%d: %w", p.file, max(1, at.line), at.err)
		}
	}
}

// lineError is an error in a line of the file.
type lineError struct {
	line int
	err  error
}

func (e *lineError) Error() string { return e.err.Error() }
func (e *lineError) Unwrap() error { return e.err }

func baseName(file string) string {
	base := filepath.Base(file)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// number reads a float64 that is finite.
func number(b json.RawMessage) (x float64, ok bool) {
	err := json.Unmarshal(b, &x)
	return x, err == nil && string(b) != "null" && !math.IsInf(x, 0)
}
