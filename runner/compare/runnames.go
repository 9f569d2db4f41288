package compare

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/lists"
	"drolab/runner/page"
	"drolab/runner/spec"
)

// Names returns the shortest names that tell the configurations of runs apart: by method, by preset
// if a method has several, and by the settings in which runs of one preset differ. The radius
// stands for the preset if presets differ in nothing else. Examples are "fork lr .005", "sfk" and
// "ρ .2". Runs that differ in the seed alone share a name.
func Names(runs []*runner.Meta) []string {
	names := Differences(runs)
	several := slices.ContainsFunc(runs, func(m *runner.Meta) bool {
		return m.Spec.Algorithm() != runs[0].Spec.Algorithm()
	})
	for i, m := range runs {
		parts := []string{names[i]}
		elsewhere := func(o *runner.Meta) bool {
			return o.Spec.Algorithm() == m.Spec.Algorithm() && o.Preset != m.Preset
		}
		if slices.ContainsFunc(runs, elsewhere) {
			parts = slices.Insert(parts, 0, presetWord(runs, m))
		}
		if several || parts[0] == "" {
			parts = slices.Insert(parts, 0, string(m.Spec.Algorithm()))
		}
		names[i] = strings.Join(strings.Fields(strings.Join(parts, " ")), " ") // one line
	}
	return names
}

// NumberRepeats returns names of things that differ, each once: of those that have one name, the
// second to start has "#2" behind it, or the next number with which the name is free. So the order
// of the list, which may change, changes no name.
func NumberRepeats(names []string, started func(i int) time.Time) []string {
	list, taken, seen := slices.Clone(names), map[string]bool{}, map[string]int{}
	for _, name := range names {
		taken[name] = true
	}
	byStart := slices.SortedStableFunc(slices.Values(page.Indices(len(names))), func(i, j int) int {
		return started(i).Compare(started(j))
	})
	for _, i := range byStart {
		name := names[i]
		if seen[name]++; seen[name] == 1 {
			continue
		}
		for list[i] = numberedName(name, seen[name]); taken[list[i]]; {
			seen[name]++
			list[i] = numberedName(name, seen[name])
		}
		taken[list[i]] = true
	}
	return list
}

func numberedName(name string, n int) string { return fmt.Sprintf("%s #%d", name, n) }

// presetWord returns the preset of a run among runs. If the presets of the runs of its method
// differ in the radius alone, each with a radius of its own, it returns the radius instead.
func presetWord(runs []*runner.Meta, m *runner.Meta) string {
	var all []spec.Spec
	presets, radii := map[string][]spec.Spec{}, map[float64]bool{}
	for _, o := range runs {
		if o.Spec.Algorithm() == m.Spec.Algorithm() {
			all, presets[o.Preset] = append(all, o.Spec), append(presets[o.Preset], o.Spec)
			radii[o.Spec.Rho] = true
		}
	}
	between := map[string]bool{}
	for _, d := range Diff(all) {
		between[d.Key] = true
	}
	for _, specs := range presets {
		for _, d := range Diff(specs) {
			delete(between, d.Key)
		}
	}
	delete(between, "seed")
	if len(radii) == len(presets) && len(between) == 1 && between["rho"] {
		return Short("rho", m.Spec.Text("rho"))
	}
	return m.Preset
}

// Differences returns for each run the fewest settings that tell it from the other runs of its
// method and preset, or "" if none are needed. A fork of one of the runs is named by what was
// changed, or by its step if nothing was.
func Differences(runs []*runner.Meta) []string {
	names := make([]string, len(runs))
	alike, byID := map[[2]string][]int{}, map[string]*runner.Meta{}
	for _, m := range runs {
		byID[m.ID] = m
	}
	for i, m := range runs {
		if parent, _, is := strings.Cut(m.Parent, "@"); is && byID[parent] != nil {
			names[i] = forkName(m, byID[parent])
			continue
		}
		key := [2]string{m.Preset, string(m.Spec.Algorithm())}
		alike[key] = append(alike[key], i)
	}
	for _, group := range alike {
		specs := lists.Map(group, func(i int) spec.Spec { return runs[i].Spec })
		diffs := neededDiffs(GroupDiff(specs), len(group))
		for k, i := range group {
			names[i] = strings.Join(differs(runs[i], diffs, k), " ")
		}
	}
	return names
}

// forkName names a fork by the settings that were changed by hand. The λ and η with which it begins
// differ from those of its parent as well, and mean nothing to a user who changed another setting.
func forkName(m, parent *runner.Meta) string {
	words := []string{"fork"}
	for _, d := range GroupDiff([]spec.Spec{m.Spec, parent.Spec}) {
		if d.Key != "lambda" && d.Key != "eta" {
			words = append(words, Short(d.Key, d.Values[0]))
		}
	}
	if len(words) == 1 {
		words = append(words, m.Parent[strings.LastIndexByte(m.Parent, '@'):])
	}
	return strings.Join(words, " ")
}

// neededDiffs leaves out the keys that are not needed to tell the runs apart.
func neededDiffs(diffs []KeyDiff, runs int) []KeyDiff {
	distinct := func(diffs []KeyDiff) int {
		rows := make([]string, runs)
		for i := range rows {
			for _, d := range diffs {
				rows[i] += d.Values[i] + "\x00"
			}
		}
		return len(sortUnique(rows))
	}
	all := distinct(diffs)
	for i := len(diffs) - 1; i >= 0; i-- {
		if without := slices.Delete(slices.Clone(diffs), i, i+1); distinct(without) == all {
			diffs = without
		}
	}
	return diffs
}

// differs returns the words for the run m, which has index i in the diffs. If more than two
// settings differ, as when several are changed in turn, a value that most runs have is left out.
func differs(m *runner.Meta, diffs []KeyDiff, i int) (words []string) {
	if m.Parent != "" {
		words = append(words, "fork @"+m.Parent[strings.LastIndexByte(m.Parent, '@')+1:])
	}
	for _, d := range diffs {
		if d.Values[i] != "" && (len(diffs) <= 2 || !d.isUsual(i)) {
			words = append(words, Short(d.Key, d.Values[i]))
		}
	}
	return words
}

// isUsual reports whether most runs have the value of the run with index i.
func (d *KeyDiff) isUsual(i int) bool {
	same := 0
	for _, v := range d.Values {
		if v == d.Values[i] {
			same++
		}
	}
	return 2*same > len(d.Values)
}

// Short returns a setting with its value in a few letters, such as "ρ .2".
func Short(key, value string) string {
	const most = 12
	if key == "rho" {
		key = "ρ"
	}
	if strings.HasPrefix(value, "0.") {
		value = value[1:]
	}
	if r := []rune(value); len(r) > most {
		value = string(r[:most-1]) + "…"
	}
	return fmt.Sprintf("%s %s", key, value)
}

// Briefs returns shorter and shorter forms of each of some names, which may be from Names. The
// first form is without the method that most names share. The second has values right behind their
// settings, as in "ρ.2 lr.1". A form that does not tell apart all that the names tell apart is left
// out.
func Briefs(names []string) [][]string {
	list, last := make([][]string, len(names)), names
	for _, shorten := range []func([]string) []string{dropSharedWord, joinValues} {
		form := shorten(last)
		if len(sortUnique(form)) != len(sortUnique(names)) {
			continue
		}
		last = form
		for i, name := range form {
			list[i] = append(list[i], name)
		}
	}
	return list
}

// dropSharedWord returns the names without the method that most names of several words share. A
// setting stays: its value alone would tell nothing.
func dropSharedWord(names []string) []string {
	counts, several := map[string]int{}, 0
	for _, name := range names {
		if first, _, more := strings.Cut(name, " "); more {
			counts[first]++
			several++
		}
	}
	list := slices.Clone(names)
	for i, name := range names {
		first, rest, more := strings.Cut(name, " ")
		isMethod := slices.Contains(dro.Algorithms(), dro.Algorithm(first))
		if more && isMethod && 2*counts[first] > several {
			list[i] = rest
		}
	}
	return list
}

// joinValues returns the names with each value right behind its setting.
func joinValues(names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		for k, word := range strings.Fields(name) {
			if k > 0 && !isNumeric(word) {
				list[i] += " "
			}
			list[i] += word
		}
	}
	return list
}

// isNumeric tells whether a word is a value that needs no blank before it.
func isNumeric(word string) bool { return strings.ContainsAny(word[:1], ".0123456789") }
