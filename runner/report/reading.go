package report

import (
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/spec"
)

// Which runs a claim is about is said before there are any: the settings of a preset,
// the paper's on the paper's data. How many runs some settings have decides nothing.

// read says which presets a run is read by.
type read struct {
	own *runner.Preset // the run's; nil where it is not known
	// by is the paper's on the paper's data, else the run's own.
	by *runner.Preset
	// spec is by's or, where that is not known, the defaults.
	spec spec.Spec
	// stated tells whether a preset has every setting of the run that all methods read.
	stated bool
}

func readBy(m *runner.Meta, known []runner.Preset) read {
	named := func(name string) *runner.Preset {
		i := slices.IndexFunc(known, func(p runner.Preset) bool { return p.Name == name })
		if i < 0 {
			return nil
		}
		return &known[i]
	}
	r := read{own: named(m.Preset), by: named(m.Preset), spec: spec.Defaults()}
	if published.fits(m) {
		r.by = named(reference)
	}
	if r.by != nil {
		r.spec = r.by.Spec
	}
	r.stated = slices.ContainsFunc(known, func(p runner.Preset) bool {
		return !slices.ContainsFunc(shared(), func(t spec.Setting) bool {
			return t.Text(&p.Spec) != t.Text(&m.Spec)
		})
	})
	return r
}

// away lists the settings among some in which a run is not as it is read.
func (r *read) away(m *runner.Meta, among []spec.Setting) (keys []string) {
	for _, t := range among {
		if t.Text(&m.Spec) != t.Text(&r.spec) {
			keys = append(keys, t.Key)
		}
	}
	return keys
}

// particular lists the settings that the method reads and not every method does.
func particular(a dro.Algorithm) []spec.Setting {
	m, err := dro.Find(a)
	return slices.DeleteFunc(spec.AllSettings(), func(t spec.Setting) bool {
		return t.Viewed() || !dro.ReadBySome(t.Key) || err != nil || !t.ReadBy(m)
	})
}

// arm returns the arm that stands for a method in claims: of several, which differ in
// settings of the method's, the one that is nearest to the reading, and of those the
// one that is the oldest. On the paper's data the method's own settings, as C, must be
// the reading's. It is nil where the method has none.
func (p *Problem) arm(a dro.Algorithm) (of *arm) {
	for _, o := range p.arms {
		near := o.algorithm == a && !(p.published && o.altered)
		if near && (of == nil || o.far < of.far || o.far == of.far && o.older(of)) {
			of = o
		}
	}
	return of
}

// place says how far the arm is from the reading.
func (a *arm) place() {
	m, list := &a.runs[0].Meta, particular(a.algorithm)
	keys := a.runs[0].away(m, list)
	a.far = len(keys)
	method, err := dro.Find(a.algorithm)
	a.altered = err == nil && slices.ContainsFunc(method.Settings, func(s dro.Setting) bool {
		return slices.Contains(keys, s.Key)
	})
}

// older compares the arms' first runs.
func (a *arm) older(b *arm) bool {
	return oldest(a.runs).Meta.Created.Before(oldest(b.runs).Meta.Created)
}

func oldest(runs []*ran) *ran {
	return slices.MinFunc(runs, func(a, b *ran) int {
		return a.Meta.Created.Compare(b.Meta.Created)
	})
}

// own are the arms that claims are of.
func (p *Problem) own() (list []*arm) {
	for _, a := range p.arms {
		if slices.Contains(dro.PaperMethods(), a.algorithm) && p.arm(a.algorithm) == a {
			list = append(list, a)
		}
	}
	return list
}

// name is what the arm of runs like m is called, whatever other arms there are: the
// method with C, which tells sfk from sfk-auto, and with what is not as it is read.
// Of a preset that is not known it is what the table calls it, and C.
func (r *read) name(m *runner.Meta, label string) string {
	method, err := dro.Find(m.Spec.Algorithm())
	if err != nil {
		return label
	}
	var said []string
	if r.by != nil {
		label, said = string(method.Name), r.away(m, particular(method.Name))
	}
	for _, s := range method.Settings {
		if s.AutoIs != "" && !slices.Contains(said, s.Key) {
			said = append(said, s.Key)
		}
	}
	for _, key := range said {
		if word := " " + key + "="; !strings.Contains(label, word) {
			label += word + m.Spec.Text(key)
		}
	}
	return label
}
