package sweep

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/spec"
)

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
	for _, a := range f.Axes {
		keys = append(keys, a.Key)
	}
	return append(keys, f.Random.Keys...)
}

// settings returns the settings of the sweep, and their errors, each error once.
func (f *File) settings() (list []Setting, errs []error) {
	if n := f.size(); n > mostRuns {
		return nil, []error{&lineError{1, fmt.Errorf("%.0f runs: want at most %d", n, mostRuns)}}
	}
	if err := f.unread(); err != nil {
		errs = append(errs, err)
	}
	seen, told := map[string]bool{}, map[string]bool{}
	points, deciders := f.points(), f.deciders()
	for _, a := range f.Base.Algorithms {
		spec := f.Base
		spec.Algorithms, spec.Seeds = []dro.Algorithm{a}, 1
		names := newNamer(&spec, f.keys()...)
		for _, at := range points {
			if len(deciders) > 0 {
				decided := spec
				for _, key := range deciders {
					decided.Assign(key, at[key]) // Parse has assigned it without an error
				}
				names = newNamer(&decided, f.keys()...)
			}
			s := names.setting(spec, at)
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
			if err != nil {
				line := f.lineOf(err)
				if key := err.Error(); !told[key] {
					told[key] = true
					errs = append(errs, &lineError{line, err})
				}
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
	points = []values{{}}
	for _, a := range f.Axes {
		points = product(points, len(a.Values), func(m values, i int) { m[a.Key] = a.Values[i] })
	}
	if f.Random.Draws == 0 {
		return points
	}
	return product(points, f.Random.Draws, func(m values, i int) {
		for k, key := range f.Random.Keys {
			m[key] = f.Random.draws[k][i]
		}
	})
}

func product(
	points []values, n int, set func(m values, i int),
) (all []values) {
	for _, p := range points {
		for i := range n {
			m := maps.Clone(p)
			set(m, i)
			all = append(all, m)
		}
	}
	return all
}

// setting returns the setting of spec's method at a point.
func (n *namer) setting(spec spec.Spec, at values) Setting {
	s := Setting{Values: maps.Clone(at), spec: spec, namer: n}
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

// unread refuses a setting that varies or is set although no method reads it.
func (f *File) unread() error {
	varying := f.keys()
	for _, key := range slices.Sorted(maps.Keys(f.lines)) {
		if t, ok := spec.FindSetting(key); ok && slices.Contains(varying, t.Needs()) {
			continue // it is read where the varying setting has the value
		}
		if err := f.Base.Unread([]string{key}); err != nil {
			return &lineError{f.lines[key], err}
		}
	}
	return nil
}

// lineOf returns the line of the setting that an error is about.
func (f *File) lineOf(err error) int {
	var key *spec.KeyError
	if errors.As(err, &key) {
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
			n.base = append(n.base, n.line(&t, s))
		}
	}
	return n
}

func (n *namer) reads(key string) bool {
	return slices.ContainsFunc(n.rows, func(t spec.Setting) bool { return t.Key == key })
}

// line returns the text of a setting for the hash, empty for a default. A newer program may have a
// new setting that does nothing unless it is set; it still knows the runs of the older program.
func (n *namer) line(t *spec.Setting, s *spec.Spec) string {
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
			line = n.line(&n.rows[i], s)
		}
		io.WriteString(h, line)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// id returns the ID of a run: readable words and the hash.
func (n *namer) id(sweep string, s *spec.Spec) string {
	return fmt.Sprintf("%s-%s-s%d-%s", plain(sweep), s.Algorithm(), s.Seed, n.hash(s))
}

// plain makes the name of a file fit for the name of a folder.
func plain(name string) string {
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
