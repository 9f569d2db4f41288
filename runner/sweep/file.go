package sweep

import (
	"cmp"
	"encoding/json"
	"fmt"
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
	// Sbatch has options of sbatch, and Setup the lines that a job runs before its task.
	Sbatch, Setup []string

	path  string
	lines map[string]int // by key, the line where it is set, swept or drawn
}

// Axis is a setting with the values that it takes.
type Axis struct {
	Key    string
	Values []json.RawMessage
	from   distribution // of a setting that is drawn
}

// Halving ends runs early: once every run has trained Epochs[i] epochs, only the share Keep of the
// settings of each method goes on, the best by validation. The zero value ends no run.
type Halving struct {
	Epochs []int
	Keep   float64
}

// mostRuns bounds a sweep: its list is read as a whole.
const mostRuns = 100_000

// Parse reads a sweep file. It returns all errors that it can find, each with file and line. What
// the file lacks has no line; what a block lacks has the line of the block.
func Parse(file string, text []byte) (*File, []error) {
	entries, err := presets.Entries(file, text)
	if err != nil {
		return nil, []error{err}
	}
	p := &parser{sweep: File{Name: presets.BaseName(file), path: file, lines: map[string]int{}},
		blocks: map[string]int{}}
	p.readPreset(entries)
	for _, e := range entries {
		p.line, p.blocks[e.Key] = e.Line, e.Line
		p.readEntry(e)
	}
	p.checkFile()
	if len(p.errs) > 0 {
		return nil, presets.InFile(file, file, p.errs)
	}
	return &p.sweep, nil
}

// parser fills in a File and collects what is wrong.
type parser struct {
	line   int            // of which the next error is; 0 is the file
	blocks map[string]int // by key of the file, its line
	sweep  File
	errs   []presets.LineError

	loaded bool // whether the preset is loaded
}

// fileKeys are the keys of a sweep file.
var fileKeys = []string{"preset", "set", "grid", "random", "seeds", "select", "halving",
	"sbatch", "setup"}

func (p *parser) fail(format string, args ...any) {
	p.errs = append(p.errs, presets.LineError{Line: p.line, Err: fmt.Errorf(format, args...)})
}

// readPreset reads the entry preset, wherever it stands, before the other entries, which change the
// preset.
func (p *parser) readPreset(entries []presets.Entry) {
	p.sweep.Base, p.sweep.Select, p.line = spec.Defaults(), spec.SelectValWorst, 0
	at := slices.IndexFunc(entries, func(e presets.Entry) bool { return e.Key == "preset" })
	if at < 0 {
		p.fail("expected a key preset, with the name of a preset or a preset's file")
		return
	}
	p.line = entries[at].Line
	if !p.decode(entries[at], &p.sweep.Preset, "the name of a preset or a preset's file") {
		return
	}
	loaded, err := presets.LoadBeside(p.sweep.path, p.sweep.Preset)
	if err != nil {
		p.fail("%w", err)
		return
	}
	p.sweep.Base, p.loaded = loaded.Spec, true
	if p.sweep.Base.Select != spec.SelectLast {
		p.sweep.Select = p.sweep.Base.Select
	}
}

// decode decodes a value that is not a setting.
func (p *parser) decode(e presets.Entry, into any, want string) bool {
	if e.Below == nil && string(e.Value) != "null" && e.Decode(into) == nil {
		return true
	}
	p.fail("%s: %.60s: expected %s%s", e.Key, cmp.Or(string(e.Value), "a mapping"), want,
		e.Remedy())
	return false
}

func (p *parser) readEntry(e presets.Entry) {
	switch e.Key {
	case "preset":
	case "set":
		p.readBelow(e, p.readSetting)
	case "grid":
		p.readBelow(e, p.readAxis)
	case "random":
		p.readBelow(e, p.readRandom)
	case "seeds":
		if p.assign(&p.sweep.Base, "seeds", e.Value) &&
			(p.sweep.Base.Seeds < 1 || p.sweep.Base.Seeds > mostRuns) {
			p.fail("seeds: %d: expected a whole number from 1 to %d", p.sweep.Base.Seeds, mostRuns)
		}
	case "select":
		p.readSelection(e)
	case "halving":
		p.readBelow(e, p.readHalving)
	case "sbatch":
		p.readTexts(e, &p.sweep.Sbatch, "options of sbatch, as in [account=vision]", CheckOption)
		if err := CheckTwice(p.sweep.Sbatch); err != nil {
			p.fail("sbatch: %w", err)
		}
	case "setup":
		p.readTexts(e, &p.sweep.Setup, "lines of a shell, as in [module load cuda]", checkLine)
	default:
		where := ""
		if key := presets.Key(e.Key); key != "" {
			where = fmt.Sprintf(": write %s: VALUE below set, and %s: [VALUE, VALUE] below grid",
				key, key)
		}
		p.fail("%.40q: expected one of %s%s", e.Key, strings.Join(fileKeys, ", "), where)
	}
}

// readBelow reads the entries of a mapping.
func (p *parser) readBelow(e presets.Entry, each func(presets.Entry)) {
	if e.Below == nil {
		p.fail("%s: expected settings with their values, as in {rho: ...}", e.Key)
	}
	for _, b := range e.Below {
		p.line = b.Line
		each(b)
	}
}

// readTexts reads a list of texts, each of which has to pass a check.
func (p *parser) readTexts(e presets.Entry, into *[]string, want string, check func(string) error) {
	if !p.decode(e, into, "a list of "+want) {
		return
	}
	for _, text := range *into {
		if err := check(text); err != nil {
			p.fail("%s: %w", e.Key, err)
		}
	}
}

// settingKey returns the setting that a key of the file means.
func settingKey(key string) string {
	if key == "algo" {
		return "algorithms"
	}
	return key
}

// noteLine notes the line of a setting, which may be given only once.
func (p *parser) noteLine(key string) bool {
	if at, twice := p.sweep.lines[key]; twice {
		p.fail("%s: is already given in line %d", key, at)
		return false
	}
	p.sweep.lines[key] = p.line
	return true
}

func (p *parser) assign(s *spec.Spec, key string, value json.RawMessage) bool {
	err := presets.Assign(s, key, value)
	if err != nil {
		p.fail("%w", err)
	}
	return err == nil
}

func (p *parser) readSetting(e presets.Entry) {
	key := settingKey(e.Key)
	switch {
	case key == "seeds" || key == "select":
		p.fail("%s: belongs to the top level of a sweep file, not below set", key)
	case p.noteLine(key):
		p.assign(&p.sweep.Base, key, e.Value)
	}
}

// readAxis reads a setting of the grid: a list of values or, for algorithms, of names.
func (p *parser) readAxis(e presets.Entry) {
	key := settingKey(e.Key)
	var values []json.RawMessage
	if key == "seed" || key == "seeds" || key == "select" {
		p.fail("grid: %s cannot vary: say how many seeds there are with seeds", key)
		return
	}
	if e.Below != nil || json.Unmarshal(e.Value, &values) != nil || len(values) == 0 {
		p.fail("grid: %s: expected a list of values", e.Key)
		return
	}
	if !p.noteLine(key) {
		return
	}
	if key == "algorithms" {
		p.assign(&p.sweep.Base, key, e.Value)
		return
	}
	for i, v := range values {
		one := p.sweep.Base
		if !p.assign(&one, key, v) {
			return
		}
		values[i] = presets.Canonical(key, v)
	}
	p.sweep.Axes = append(p.sweep.Axes, Axis{Key: key, Values: values})
}

func (p *parser) readSelection(e presets.Entry) {
	p.noteLine("select")
	rules := slices.DeleteFunc(spec.Selections(), func(rule string) bool {
		return rule == spec.SelectLast // by it, no setting is better than another
	})
	want, rule := "a rule on the validation split: "+strings.Join(rules, ", "), ""
	switch ok := p.decode(e, &rule, want); {
	case ok && slices.Contains(rules, rule):
		p.sweep.Select = rule
	case ok:
		p.fail("select: %.40q: expected %s", rule, want)
	}
}

func (p *parser) readHalving(e presets.Entry) {
	h := &p.sweep.Halving
	switch e.Key {
	case "epochs":
		if p.decode(e, &h.Epochs, "a list of epochs") &&
			(len(h.Epochs) == 0 || !ascending(h.Epochs)) {
			p.fail("halving: epochs: expected one or more epochs, ascending")
		}
	case "keep":
		if p.decode(e, &h.Keep, "a share in (0, 1)") && !(h.Keep > 0 && h.Keep < 1) {
			p.fail("halving: keep: %g: expected a share in (0, 1)", h.Keep)
		}
	default:
		p.fail("halving: %.40q: expected epochs and keep", e.Key)
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

// checkFile makes the checks that need the whole file. The specs are checked where they are made:
// see Expand.
func (p *parser) checkFile() {
	p.sweep.Base.Select = p.sweep.Select
	p.drawValues()
	h, s := &p.sweep.Halving, &p.sweep.Base
	p.line = p.blocks["halving"]
	if len(h.Epochs) == 0 && h.Keep > 0 {
		p.fail("halving: expected the epochs of the rungs, as in epochs: [5, 10]")
	}
	if len(h.Epochs) > 0 {
		switch last := h.Epochs[len(h.Epochs)-1]; {
		case h.Keep == 0:
			p.fail("halving: expected the share to keep, as in keep: 0.25")
		case last >= s.Epochs && p.sweep.lines["epochs"] == 0:
			p.fail("halving: epochs: %d: expected fewer than the %d that runs have", last, s.Epochs)
		case s.EvalEvery == 0 ||
			slices.ContainsFunc(h.Epochs, func(n int) bool { return n%s.EvalEvery != 0 }):
			p.fail("halving: epochs: expected epochs that are evaluated: eval_every is %d",
				s.EvalEvery)
		}
	}
	if p.loaded {
		_, errs := p.sweep.settings()
		p.errs = append(p.errs, errs...)
	}
}
