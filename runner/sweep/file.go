package sweep

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"drolab/dro"
	"drolab/presets"
	"drolab/runner"
	"drolab/runner/data"
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

// Parse reads a sweep file. It returns all errors that it can find, each with file and line.
func Parse(file string, text []byte) (*File, []error) {
	entries, err := presets.Entries(file, text)
	if err != nil {
		return nil, []error{err}
	}
	p := &parser{sweep: File{Name: presets.BaseName(file), path: file, lines: map[string]int{}}}
	p.readPreset(entries)
	for _, e := range entries {
		p.line = e.Line
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
	line  int
	sweep File
	errs  []presets.LineError

	loaded bool // whether the preset is loaded
}

// words are the keys of a sweep file.
var words = []string{"preset", "set", "grid", "random", "seeds", "select", "halving"}

func (p *parser) fail(format string, args ...any) {
	p.errs = append(p.errs, presets.LineError{Line: p.line, Err: fmt.Errorf(format, args...)})
}

// readPreset reads the entry preset, wherever it stands, before the other entries, which change the
// preset.
func (p *parser) readPreset(entries []presets.Entry) {
	p.sweep.Base, p.sweep.Select, p.line = spec.Defaults(), spec.SelectValWorst, 1
	at := slices.IndexFunc(entries, func(e presets.Entry) bool { return e.Key == "preset" })
	if at < 0 {
		p.fail("preset: nothing: want the name of a preset or a preset's file")
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
	p.fail("%s: %.60s: want %s%s", e.Key, cmp.Or(string(e.Value), "a mapping"), want, e.Remedy())
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
			p.fail("seeds: %d: want a whole number from 1 to %d", p.sweep.Base.Seeds, mostRuns)
		}
	case "select":
		p.readSelection(e)
	case "halving":
		p.readBelow(e, p.readHalving)
	default:
		where := ""
		if key := presets.Key(e.Key); key != "" {
			where = fmt.Sprintf(": write %s: VALUE below set, and %s: [VALUE, VALUE] below grid",
				key, key)
		}
		p.fail("%.40q: want one of %s%s", e.Key, strings.Join(words, ", "), where)
	}
}

// readBelow reads the entries of a mapping.
func (p *parser) readBelow(e presets.Entry, each func(presets.Entry)) {
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
		p.fail("grid: %s: want a list of values", e.Key)
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
	if !p.decode(e, &p.sweep.Select, "a rule") || p.sweep.Select == spec.SelectLast {
		p.fail("select: want a rule on the validation split: %s",
			strings.Join(spec.Selections()[1:], ", "))
	}
}

func (p *parser) readHalving(e presets.Entry) {
	h := &p.sweep.Halving
	switch e.Key {
	case "epochs":
		p.noteLine("halving")
		if p.decode(e, &h.Epochs, "a list of epochs") &&
			(len(h.Epochs) == 0 || !ascending(h.Epochs)) {
			p.fail("halving: epochs: want one or more epochs, ascending")
		}
	case "keep":
		if p.decode(e, &h.Keep, "a share in (0, 1)") && !(h.Keep > 0 && h.Keep < 1) {
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

// checkFile makes the checks that need the whole file. The specs are checked where they are made:
// see Expand.
func (p *parser) checkFile() {
	p.sweep.Base.Select = p.sweep.Select
	p.drawValues()
	h, s := &p.sweep.Halving, &p.sweep.Base
	if p.line = p.sweep.lines["halving"]; len(h.Epochs) > 0 {
		switch last := h.Epochs[len(h.Epochs)-1]; {
		case h.Keep == 0:
			p.fail("halving: want the share to keep, as in keep: 0.25")
		case last >= s.Epochs && p.sweep.lines["epochs"] == 0:
			p.fail("halving: epochs: %d: want fewer than the %d that runs have", last, s.Epochs)
		case s.EvalEvery == 0 ||
			slices.ContainsFunc(h.Epochs, func(n int) bool { return n%s.EvalEvery != 0 }):
			p.fail("halving: epochs: want epochs that are evaluated: eval_every is %d", s.EvalEvery)
		}
	}
	if p.loaded {
		_, errs := p.sweep.settings()
		p.errs = append(p.errs, errs...)
	}
}

// Setting is one method with one value of everything that varies. It has a run for each seed.
type Setting struct {
	Algorithm dro.Algorithm
	Values    values // of the varying settings that the method reads
	spec      spec.Spec
	namer     *namer
}

// values are settings by key.
type values = map[string]json.RawMessage

// Expand returns the runs of the sweep: methods outermost, then the grid with its first setting
// outermost, then draws, and seeds innermost. The same file gives the same list. A setting that a
// method does not read does not vary for that method, so that no run is in the list twice.
func (f *File) Expand() *List {
	settings, errs := f.settings()
	if len(errs) > 0 {
		panic("sweep: Expand of a file that Parse refused")
	}
	l := &List{Name: f.Name, Preset: f.Preset, Base: f.Base, Select: f.Select, Halving: f.Halving,
		Keys: f.keys()}
	for n, s := range settings {
		for i := range f.Base.Seeds {
			one := s.spec
			one.Seed += uint64(i)
			l.Runs = append(l.Runs, Run{
				ID:        s.namer.id(f.Name, &one),
				Setting:   n,
				Algorithm: s.Algorithm,
				Seed:      one.Seed,
				Values:    s.Values,
			})
		}
	}
	return l
}

// keys returns the keys of the settings that vary, without the methods.
func (f *File) keys() (keys []string) {
	for _, a := range slices.Concat(f.Axes, f.Random.Axes) {
		keys = append(keys, a.Key)
	}
	return keys
}

// settings returns the settings of the sweep, and their errors, each error once.
func (f *File) settings() (list []Setting, errs []presets.LineError) {
	if n := f.size(); n > mostRuns {
		err := fmt.Errorf("%.0f runs: want at most %d", n, mostRuns)
		return nil, []presets.LineError{{Line: 1, Err: err}}
	}
	errs = f.unread()
	seen, told := map[string]bool{}, map[string]bool{}
	points, deciders := f.points(), f.deciders()
	for _, a := range f.Base.Algorithms {
		base := f.Base
		base.Algorithms, base.Seeds = []dro.Algorithm{a}, 1
		names := newNamer(&base, f.keys()...)
		for _, at := range points {
			if len(deciders) > 0 {
				decided := base
				for _, key := range deciders {
					decided.Assign(key, at[key]) // Parse has assigned it without an error
				}
				names = newNamer(&decided, f.keys()...)
			}
			s := names.setting(base, at)
			name := s.namer.hash(&s.spec)
			if seen[name] {
				continue
			}
			seen[name] = true
			list = append(list, s)
			err := s.spec.Validate()
			if err == nil && s.spec.IsScript() {
				err = errors.New("model: " + runner.ByScript(""))
			}
			if err != nil && !told[err.Error()] {
				told[err.Error()] = true
				errs = append(errs, presets.LineError{Line: max(1, f.lineOf(err)), Err: err})
			}
		}
	}
	return list, errs
}

func (f *File) size() float64 {
	n := float64(max(1, f.Random.Draws) * max(1, len(f.Base.Algorithms)) * max(1, f.Base.Seeds))
	for _, a := range f.Axes {
		n *= float64(len(a.Values))
	}
	return n
}

// points returns the points of the grid, each with every draw.
func (f *File) points() (points []values) {
	together := data.Map(f.Axes, func(a Axis) []Axis { return []Axis{a} })
	if f.Random.Draws > 0 {
		together = append(together, f.Random.Axes)
	}
	points = []values{{}}
	for _, axes := range together {
		before := points
		points = nil
		for _, p := range before {
			for i := range axes[0].Values {
				m := maps.Clone(p)
				for _, a := range axes {
					m[a.Key] = a.Values[i]
				}
				points = append(points, m)
			}
		}
	}
	return points
}

// setting returns the setting of spec's method at a point.
func (n *namer) setting(base spec.Spec, at values) Setting {
	s := Setting{Values: maps.Clone(at), spec: base, namer: n}
	maps.DeleteFunc(s.Values, func(key string, _ json.RawMessage) bool { return !n.reads(key) })
	for _, key := range slices.Sorted(maps.Keys(s.Values)) {
		if s.spec.Assign(key, s.Values[key]) != nil {
			panic("sweep: a value that Parse has assigned before")
		}
	}
	s.Algorithm = s.spec.Algorithm()
	return s
}

// deciders returns the varying keys that decide which other settings are read, as optimizer decides
// for beta1.
func (f *File) deciders() (keys []string) {
	varying := f.keys()
	for _, t := range spec.AllSettings() {
		if by := t.Needs(); slices.Contains(varying, by) && !slices.Contains(keys, by) {
			keys = append(keys, by)
		}
	}
	return keys
}

// unread refuses the first setting that varies or is set although no method reads it.
func (f *File) unread() []presets.LineError {
	varying := f.keys()
	for _, key := range slices.Sorted(maps.Keys(f.lines)) {
		if t, ok := spec.FindSetting(key); ok && slices.Contains(varying, t.Needs()) {
			continue // it is read where the varying setting has the value
		}
		if err := f.Base.Unread([]string{key}); err != nil {
			return []presets.LineError{{Line: f.lines[key], Err: err}}
		}
	}
	return nil
}

// lineOf returns the line of the setting that an error is about.
func (f *File) lineOf(err error) int {
	if key, ok := errors.AsType[*spec.KeyError](err); ok {
		return f.lines[key.Key]
	}
	word, _, _ := strings.Cut(err.Error(), ":")
	return f.lines[word]
}

// namer names the runs of one method. It formats settings that do not vary only once.
type namer struct {
	rows    []spec.Setting // settings that the method reads
	varying map[string]bool
	base    []string // the line of each row
	least   spec.Spec
}

func newNamer(s *spec.Spec, varying ...string) *namer {
	n := &namer{varying: map[string]bool{"seed": true}, least: spec.Defaults()}
	for _, key := range varying {
		n.varying[key] = true
	}
	for _, t := range spec.AllSettings() {
		if t.ReadIn(s) {
			n.rows = append(n.rows, t)
			n.base = append(n.base, n.settingLine(&t, s))
		}
	}
	return n
}

func (n *namer) reads(key string) bool {
	return slices.ContainsFunc(n.rows, func(t spec.Setting) bool { return t.Key == key })
}

// settingLine returns the text of a setting for the hash, empty for a default. A newer program may
// have a new setting that does nothing unless it is set; it still knows the runs of the older
// program.
func (n *namer) settingLine(t *spec.Setting, s *spec.Spec) string {
	text := t.Text(s)
	if text == t.Text(&n.least) {
		return ""
	}
	return t.Key + "=" + text + "\n"
}

// hash returns the name of a resolved Spec: 64 bits of a hash of the settings that its method
// reads.
func (n *namer) hash(s *spec.Spec) string {
	h := sha256.New()
	for i := range n.rows {
		line := n.base[i]
		if n.varying[n.rows[i].Key] {
			line = n.settingLine(&n.rows[i], s)
		}
		io.WriteString(h, line)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// id returns the ID of a run: readable words and the hash.
func (n *namer) id(sweep string, s *spec.Spec) string {
	return fmt.Sprintf("%s-%s-s%d-%s", folderName(sweep), s.Algorithm(), s.Seed, n.hash(s))
}

// folderName makes the name of a file fit for the name of a folder.
func folderName(name string) string {
	name = strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '-'
	}, strings.ToLower(name))
	const longest = 32
	if name = strings.Trim(name[:min(len(name), longest)], "_-"); name == "" {
		return "sweep"
	}
	return name
}

// Random holds the settings that are drawn. Each of the Draws is tried at every point of the grid,
// so that methods are compared on the same draws.
type Random struct {
	Draws int
	// Seed is the seed of the draws. The draws of a setting depend on it and on the key of the
	// setting alone; Draws only cuts them off.
	Seed uint64
	Axes []Axis
}

// distribution maps a number in [0, 1) to a value.
type distribution func(u float64) json.RawMessage

// readRandom reads an entry below "random".
func (p *parser) readRandom(e presets.Entry) {
	r := &p.sweep.Random
	switch key := settingKey(e.Key); {
	case key == "draws":
		if p.decode(e, &r.Draws, "how many draws, at least 1") && r.Draws < 1 {
			p.fail("random: draws: %d: want at least 1", r.Draws)
		}
	case key == "seed":
		p.decode(e, &r.Seed, "the seed of the draws, a whole number ≥ 0")
	case key == "algorithms" || key == "seeds" || key == "select":
		p.fail("random: %s cannot be drawn: put it into the grid", e.Key)
	default:
		from, ok := distributionOf(e)
		if !ok {
			p.fail("random: %s: want {log: [low, high]}, {uniform: [low, high]}, {whole: [low, "+
				"high]} with low < high (log: above 0), or a list to choose from%s", e.Key,
				remedyOf(e))
		} else if p.noteLine(key) {
			r.Axes = append(r.Axes, Axis{Key: key, from: from})
		}
	}
}

// remedyOf returns the remedy for a number in the entries below e.
func remedyOf(e presets.Entry) string {
	for _, b := range e.Below {
		if hint := b.Remedy(); hint != "" {
			return hint
		}
	}
	return ""
}

func distributionOf(e presets.Entry) (distribution, bool) {
	if e.Below == nil {
		var list []json.RawMessage
		err := json.Unmarshal(e.Value, &list)
		pick := func(u float64) json.RawMessage { return list[int(u*float64(len(list)))] }
		return pick, err == nil && len(list) > 0
	}
	if len(e.Below) != 1 {
		return nil, false
	}
	var ends []*float64 // nil for a null
	if e.Below[0].Decode(&ends) != nil || len(ends) != 2 ||
		slices.Contains(ends, nil) {
		return nil, false
	}
	low, high := *ends[0], *ends[1]
	ok := low < high
	switch e.Below[0].Key {
	case "log":
		ok = ok && low > 0
		return rounded(func(u float64) float64 { return low * math.Pow(high/low, u) }), ok
	case "uniform":
		return rounded(func(u float64) float64 { return low + u*(high-low) }), ok
	case "whole":
		return func(u float64) json.RawMessage {
			return json.RawMessage(strconv.FormatFloat(math.Floor(low+u*(high-low+1)), 'f', -1, 64))
		}, ok && low == math.Floor(low) && high == math.Floor(high)
	}
	return nil, false
}

// rounded rounds to four digits. Nobody reads more, and the last bits, which depend on the
// mathematics of the machine, do not reach the name of a run.
func rounded(f func(u float64) float64) distribution {
	return func(u float64) json.RawMessage {
		text := strconv.FormatFloat(f(u), 'e', 3, 64)
		x, _ := strconv.ParseFloat(text, 64)
		return json.RawMessage(strconv.FormatFloat(x, 'g', -1, 64))
	}
}

// drawValues checks the settings to draw, and draws their values.
func (p *parser) drawValues() {
	r := &p.sweep.Random
	switch {
	case len(r.Axes) == 0 && r.Draws == 0:
		return
	case len(r.Axes) == 0:
		p.fail("random: want settings to draw beside draws")
		r.Draws = 0
		return
	case r.Draws < 1 || r.Draws > mostRuns:
		p.line = p.sweep.lines[r.Axes[0].Key]
		p.fail("random: want how many draws, from 1 to %d, as in draws: 16", mostRuns)
		r.Draws, r.Axes = 0, nil
		return
	}
	for i := range r.Axes {
		a, one := &r.Axes[i], p.sweep.Base
		stream := fnv.New64a()
		stream.Write([]byte(a.Key))
		rng := rand.New(rand.NewPCG(r.Seed, stream.Sum64()))
		p.line = p.sweep.lines[a.Key]
		for range r.Draws {
			v := presets.Canonical(a.Key, a.from(rng.Float64()))
			if a.Values = append(a.Values, v); !p.assign(&one, a.Key, v) {
				r.Draws = 0 // no point of the grid gets these values
				break
			}
		}
	}
}
