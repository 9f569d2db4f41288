package runs

import (
	"cmp"
	"slices"
	"strings"

	"drolab/runner/compare"
	"drolab/runner/lists"
	"drolab/runner/record"
	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

// If the list is folded, runs that agree in some settings share a line, and the newest of them
// stands for the line. These settings are the ones that the user chose, or all but the seed.

// presetKey is the key of the preset among the settings to fold by.
const presetKey = "preset"

// groupOf returns a key that is the same for the runs that share a line.
func (p *Page) groupOf(r *record.Run) string {
	if len(p.foldBy) == 0 {
		return r.Configuration()
	}
	var b strings.Builder
	for _, key := range p.foldBy {
		b.WriteString(settingOf(r, key))
		b.WriteByte(0)
	}
	return b.String()
}

func settingOf(r *record.Run, key string) string {
	if key == presetKey {
		return r.Meta.Preset
	}
	return compare.Value(&r.Meta.Spec, key)
}

// fold returns the lines of a list of runs: one for each run or, if it is folded, one for all runs
// that agree.
func (p *Page) fold(list line) []line {
	if !p.folded {
		return lists.Map(list, func(r *record.Run) line { return line{r} })
	}
	return lists.GroupBy(list, p.groupOf)
}

// together reports whether a line may hold several runs.
func (p *Page) together() bool { return p.folded && (p.several || len(p.foldBy) > 0) }

func (p *Page) noFold() string {
	return cmp.Or(p.none(), kit.Unless(p.several || len(p.foldBy) > 0,
		"No two runs differ only in the seed"))
}

// foldInto folds the runs that agree in some settings, or in all but the seed if by is empty.
func (p *Page) foldInto(folded bool, by []string) {
	p.folded, p.foldBy = folded, by
	p.makeColumns()
	p.arrange()
}

// foldKeys returns the settings that the user can fold by: the settings in which runs differ.
func (p *Page) foldKeys() []string {
	keys := slices.Concat([]string{presetKey, "algorithms"}, p.keys, p.foldBy)
	keys = slices.DeleteFunc(keys, func(key string) bool { return key == "seed" })
	return lists.DistinctBy(keys, func(key string) string { return key })
}

// chooseFold opens the form that chooses the settings to fold by. The list follows at once.
func (p *Page) chooseFold() tea.Cmd {
	item := func(key string) kit.Item {
		return kit.Item{Name: key, On: slices.Contains(p.foldBy, key)}
	}
	items := func() []kit.Item { return lists.Map(p.foldKeys(), item) }
	turn := func(at int) {
		by, key := slices.Clone(p.foldBy), p.foldKeys()[at]
		if i := slices.Index(by, key); i >= 0 {
			by = slices.Delete(by, i, i+1)
		} else {
			by = append(by, key)
		}
		p.foldInto(true, by)
	}
	const about = "Runs that agree in the chosen settings share a line. With none chosen it is " +
		"all settings but the seed."
	return p.Show(&kit.Overlay{Title: "Fold by", Form: &kit.Checklist{About: about,
		Items: items, Actions: map[string]func(int){"space": turn},
		Keys: []kit.Key{{Keys: kit.On("space"), Hint: "choose"}}}})
}
