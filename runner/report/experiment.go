package report

import (
	"cmp"
	"slices"

	"drolab/dro"
	"drolab/runner"
)

// experiment is runs that differ in nothing but the method, what only some
// methods read, and the seed.
type experiment struct {
	settings []string // the values of those that every method reads
	runs     []*ran
}

// shared lists the settings that every method reads and that decide what a run
// computes.
func shared() []runner.Setting {
	return slices.DeleteFunc(runner.AllSettings(), func(t runner.Setting) bool {
		return t.Viewed() || t.Key == "algorithms" || t.Key == "seed" || dro.ReadBySome(t.Key)
	})
}

// experiments returns those that the report is about: the one of the most runs
// and, by radius, those that differ from it in the radius alone and have as many
// methods, or three. The others may be variations of these.
func experiments(all []*ran) (main, others []*experiment) {
	settings := shared()
	var list []*experiment
	for _, r := range all {
		values := []string{r.Meta.Checksum}
		for _, t := range settings {
			values = append(values, t.Text(&r.Meta.Spec))
		}
		i := slices.IndexFunc(list, func(e *experiment) bool { return slices.Equal(e.settings, values) })
		if i < 0 {
			i, list = len(list), append(list, &experiment{settings: values})
		}
		list[i].runs = append(list[i].runs, r)
	}
	slices.SortStableFunc(list, func(a, b *experiment) int { return cmp.Compare(len(b.runs), len(a.runs)) })
	first := list[0]
	for _, e := range list {
		keys := e.differs(first)
		radius := len(keys) == 0 || slices.Equal(keys, []string{"rho"})
		if radius && e.methods() >= min(first.methods(), 3) {
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

// differs lists the keys in which two experiments differ; "data" where it is what
// the data hold.
func (e *experiment) differs(o *experiment) (keys []string) {
	for i, t := range append([]runner.Setting{{Key: "data"}}, shared()...) {
		if e.settings[i] != o.settings[i] {
			keys = append(keys, t.Key)
		}
	}
	return keys
}

func (e *experiment) methods() int {
	var seen []string
	for _, r := range e.runs {
		seen = append(seen, string(r.Meta.Spec.Algorithm()))
	}
	slices.Sort(seen)
	return len(slices.Compact(seen))
}
