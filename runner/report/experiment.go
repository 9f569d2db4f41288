package report

import (
	"cmp"
	"slices"

	"drolab/dro"
	"drolab/runner/spec"
)

// experiment is runs that differ in nothing but the method, what only some
// methods read, and the seed.
type experiment struct {
	settings []string // the values of those that every method reads
	runs     []*ran
}

// shared lists the settings that every method reads and that decide what a run
// computes.
func shared() []spec.Setting {
	return slices.DeleteFunc(spec.AllSettings(), func(t spec.Setting) bool {
		return t.Viewed() || t.Key == "algorithms" || t.Key == "seed" || dro.ReadBySome(t.Key)
	})
}

// experiments returns those that the report is about: the one that is nearest to its
// reading (of several a preset's, then that with most of the methods that claims are
// of, then the oldest) and, by radius, those that differ from it in the
// radius alone: on the paper's data those of a preset, else those that have as many of
// these methods, or three. The others may be variations of these.
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
	return main, others
}

// imported is 1 where the run was not trained here, else 0.
func (r *ran) imported() int {
	if r.Meta.Imported != nil {
		return 1
	}
	return 0
}

// differs lists the keys in which two experiments differ; "data" where it is what
// the data hold.
func (e *experiment) differs(o *experiment) (keys []string) {
	for i, t := range append([]spec.Setting{{Key: "data"}}, shared()...) {
		if e.settings[i] != o.settings[i] {
			keys = append(keys, t.Key)
		}
	}
	return keys
}

// far is in how many of the settings that every method reads the runs are not as they
// are read; the radius is one only where no preset has it.
func (e *experiment) far() int {
	if e.preset() {
		return 0
	}
	first := oldest(e.runs)
	return len(first.away(&first.Meta, shared()))
}

// preset tells whether a preset that is known states the experiment.
func (e *experiment) preset() bool { return e.runs[0].stated }

// methods counts those that claims are of.
func (e *experiment) methods() (n int) {
	for _, a := range dro.PaperMethods() {
		if slices.ContainsFunc(e.runs, func(r *ran) bool { return r.Meta.Spec.Algorithm() == a }) {
			n++
		}
	}
	return n
}
