package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/presets"
	"drolab/runner"
	"drolab/runner/lists"
	"drolab/runner/spec"
)

// Setting is one method with one value of everything that varies. It has a run for each seed.
type Setting struct {
	Algorithm dro.Algorithm
	Values    map[string]json.RawMessage // of the varying settings that the method reads
	spec      spec.Spec
	namer     *namer
}

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
		err := fmt.Errorf("%.0f runs: expected at most %d", n, mostRuns)
		return nil, []presets.LineError{{Err: err}}
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
				errs = append(errs, presets.LineError{Line: f.lineOf(err), Err: err})
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
func (f *File) points() (points []map[string]json.RawMessage) {
	together := lists.Map(f.Axes, func(a Axis) []Axis { return []Axis{a} })
	if f.Random.Draws > 0 {
		together = append(together, f.Random.Axes)
	}
	points = []map[string]json.RawMessage{{}}
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
func (n *namer) setting(base spec.Spec, at map[string]json.RawMessage) Setting {
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
