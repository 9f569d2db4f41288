package report

import (
	"cmp"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/spec"
)

// The runs that a claim is about are fixed before any run exists: they have the settings of a
// preset, which on the paper's data is the paper's preset. The number of runs with given settings
// decides nothing.

// read holds the presets by which a run is read: its settings are compared with their settings.
type read struct {
	own *runner.Preset // the run's preset; nil if it is not known
	// by is the paper's preset on the paper's data, else the run's own.
	by *runner.Preset
	// spec has the settings of by, or the defaults if by is not known. It is called the reading.
	spec spec.Spec
	// stated says that some preset has the run's values of all settings that every method reads.
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

// away lists the keys of the given settings whose values in a run differ from its reading.
func (r *read) away(m *runner.Meta, among []spec.Setting) (keys []string) {
	for _, t := range among {
		if t.Text(&m.Spec) != t.Text(&r.spec) {
			keys = append(keys, t.Key)
		}
	}
	return keys
}

// particular lists the settings that the method reads and that not every method reads.
func particular(a dro.Algorithm) []spec.Setting {
	m, err := dro.Find(a)
	return slices.DeleteFunc(spec.AllSettings(), func(t spec.Setting) bool {
		return t.Viewed() || !dro.ReadBySome(t.Key) || err != nil || !t.ReadBy(m)
	})
}

// arm returns the arm that stands for a method in claims, or nil without one. If several arms
// differ in the method's settings, it is the arm that is nearest to the reading, and the oldest of
// equally near ones. On the paper's data the method's own settings, such as C, must be those of the
// reading.
func (p *Problem) arm(a dro.Algorithm) (of *arm) {
	for _, o := range p.arms {
		near := o.algorithm == a && !(p.published && o.altered)
		if near && (of == nil || o.far < of.far || o.far == of.far && o.older(of)) {
			of = o
		}
	}
	return of
}

// place sets the distance of the arm from the reading: far and altered.
func (a *arm) place() {
	m, list := &a.runs[0].Meta, particular(a.algorithm)
	keys := a.runs[0].away(m, list)
	a.far = len(keys)
	method, err := dro.Find(a.algorithm)
	a.altered = err == nil && slices.ContainsFunc(method.Settings, func(s dro.Setting) bool {
		return slices.Contains(keys, s.Key)
	})
}

// older reports whether the first run of a was made before the first run of b.
func (a *arm) older(b *arm) bool {
	return oldest(a.runs).Meta.Created.Before(oldest(b.runs).Meta.Created)
}

func oldest(runs []*ran) *ran {
	return slices.MinFunc(runs, func(a, b *ran) int {
		return a.Meta.Created.Compare(b.Meta.Created)
	})
}

// own returns the arms that stand for the paper's methods in claims.
func (p *Problem) own() (list []*arm) {
	for _, a := range p.arms {
		if slices.Contains(dro.PaperMethods(), a.algorithm) && p.arm(a.algorithm) == a {
			list = append(list, a)
		}
	}
	return list
}

// name returns the name of the arm of runs like m, which does not depend on the other arms. It is
// the method with C for sfk, and with each setting that differs from the
// reading. Without a known preset it is the label in the table, with C.
func (r *read) name(m *runner.Meta, label string) string {
	method, err := dro.Find(m.Spec.Algorithm())
	if err != nil {
		return label
	}
	var said []string
	if r.by != nil {
		label, said = string(method.Name), r.away(m, particular(method.Name))
	}
	if method.Name == dro.SFK && !slices.Contains(said, "c") {
		said = append(said, "c")
	}
	for _, key := range said {
		if word := " " + key + "="; !strings.Contains(label, word) {
			label += word + m.Spec.Text(key)
		}
	}
	return label
}

// experiment is a set of runs that differ in nothing but the method, the settings that only some
// methods read, and the seed.
type experiment struct {
	settings []string // the data's checksum and the values of the shared settings
	runs     []*ran
	probes   []*ran // runs that are no arm, see setProbesApart
}

// shared lists the settings that every method reads and that decide what a run
// computes.
func shared() []spec.Setting {
	return slices.DeleteFunc(spec.AllSettings(), func(t spec.Setting) bool {
		return t.Viewed() || t.Key == "algorithms" || t.Key == "seed" || dro.ReadBySome(t.Key)
	})
}

// experiments returns in main the experiments that the report is about, by radius. The others may
// be variations of these.
//
// The first choice is the experiment that is nearest to its reading (see far), then the one with
// the most of the claims' methods, then the oldest. The rest of main differs from it in the radius
// alone. On the paper's data, if the first is a preset's, these must be a preset's too. Elsewhere
// they must have as many of the claims' methods as the first, or three.
func experiments(all []*ran) (main, others []*experiment) {
	settings := shared()
	var list []*experiment
	last := func(a, b *ran) int { return cmp.Compare(a.imported(), b.imported()) }
	for _, r := range slices.SortedStableFunc(slices.Values(all), last) {
		values := []string{r.Meta.Checksum}
		for _, t := range settings {
			values = append(values, t.Text(&r.Meta.Spec))
		}
		same := func(e *experiment) bool { // an imported run has no settings of training
			for i, v := range values {
				if v != e.settings[i] && (i == 0 || settings[i-1].ReadIn(&r.Meta.Spec)) {
					return false
				}
			}
			return true
		}
		i := slices.IndexFunc(list, same)
		if i < 0 {
			i, list = len(list), append(list, &experiment{settings: values})
		}
		list[i].runs = append(list[i].runs, r)
	}
	slices.SortStableFunc(list, func(a, b *experiment) int {
		return cmp.Or(cmp.Compare(a.far(), b.far()), cmp.Compare(b.methods(), a.methods()),
			oldest(a.runs).Meta.Created.Compare(oldest(b.runs).Meta.Created))
	})
	first := list[0]
	strict := published.fits(&first.runs[0].Meta) && first.preset()
	for _, e := range list {
		keys := e.differs(first)
		radius := len(keys) == 0 || slices.Equal(keys, []string{"rho"})
		if radius && (strict && e.preset() || !strict && e.methods() >= min(first.methods(), 3)) {
			main = append(main, e)
		} else {
			others = append(others, e)
		}
	}
	slices.SortStableFunc(main, func(a, b *experiment) int {
		return cmp.Compare(a.runs[0].Meta.Spec.Rho, b.runs[0].Meta.Spec.Rho)
	})
	for _, e := range main {
		e.setProbesApart()
	}
	return main, others
}

// setProbesApart takes single runs with changed settings out of the paper's experiment. Such a run
// alone has its values of the settings that only some methods read, while other runs of its method
// have the values of the reading. One seed shows a direction, which belongs to the sensitivity and
// not into a column of Table 1.
func (e *experiment) setProbesApart() {
	if !published.fits(&e.runs[0].Meta) {
		return
	}
	values := func(r *ran) string {
		a := r.Meta.Spec.Algorithm()
		texts := []string{string(a)}
		for _, t := range particular(a) {
			texts = append(texts, t.Text(&r.Meta.Spec))
		}
		return strings.Join(texts, "\n")
	}
	changed := func(r *ran) bool {
		return len(r.away(&r.Meta, particular(r.Meta.Spec.Algorithm()))) > 0
	}
	like, asRead := map[string]int{}, map[dro.Algorithm]bool{}
	for _, r := range e.runs {
		like[values(r)]++
		if !changed(r) {
			asRead[r.Meta.Spec.Algorithm()] = true
		}
	}
	var rest []*ran
	for _, r := range e.runs {
		if changed(r) && like[values(r)] == 1 && asRead[r.Meta.Spec.Algorithm()] {
			e.probes = append(e.probes, r)
		} else {
			rest = append(rest, r)
		}
	}
	e.runs = rest
}

// imported returns 1 if the run was not trained here, else 0.
func (r *ran) imported() int {
	if r.Meta.Imported != nil {
		return 1
	}
	return 0
}

// differs lists the keys in which two experiments differ; otherData stands for the content of the
// data.
func (e *experiment) differs(o *experiment) (keys []string) {
	for i, t := range append([]spec.Setting{{Key: otherData}}, shared()...) {
		if e.settings[i] != o.settings[i] {
			keys = append(keys, t.Key)
		}
	}
	return keys
}

// far returns the number of settings that every method reads in which the runs differ from their
// reading. It is 0 if a preset states the experiment, so the radius of a preset does not count.
func (e *experiment) far() int {
	if e.preset() {
		return 0
	}
	first := oldest(e.runs)
	return len(first.away(&first.Meta, shared()))
}

// preset reports whether a known preset states the experiment, that is, has all its shared
// settings.
func (e *experiment) preset() bool { return e.runs[0].stated }

// methods counts the paper's methods in the experiment, which the claims are about.
func (e *experiment) methods() (n int) {
	for _, a := range dro.PaperMethods() {
		if slices.ContainsFunc(e.runs, func(r *ran) bool { return r.Meta.Spec.Algorithm() == a }) {
			n++
		}
	}
	return n
}
