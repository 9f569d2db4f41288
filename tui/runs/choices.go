package runs

import (
	"cmp"
	"maps"
	"slices"

	"drolab/runner/spec"
	"drolab/tui/lab"
)

// Choices returns the choices that the user makes on the page. The filter is none of them: it
// belongs to what is looked for now, and would hide runs in another interface or at the next start.
func (p *Page) Choices() lab.Choices {
	return lab.Choices{
		{Name: "sort", Get: p.chosenSort, Set: p.chooseSort},
		{Name: "columns", Get: p.chosenHeads, Set: p.chooseHeads},
		{Name: "fold", Get: p.chosenFold, Set: p.chooseFolds},
	}
}

// reversedWord follows the sort column if the sort is reversed.
const reversedWord = "reversed"

func (p *Page) chosenSort() []string {
	head := cmp.Or(p.wanted, p.columns[p.by].Head)
	switch {
	case p.reversed:
		return []string{head, reversedWord}
	case head == p.columns[0].Head:
		return nil
	}
	return []string{head}
}

func (p *Page) chooseSort(value []string) {
	p.wanted, p.by, p.reversed = "", 0, slices.Contains(value, reversedWord)
	if len(value) > 0 {
		p.wanted = value[0]
	}
	p.makeColumns()
	p.arrange()
}

// chosenHeads returns the columns that the user chose to show or hide, with the sign + or - before
// each.
func (p *Page) chosenHeads() (list []string) {
	for _, head := range slices.Sorted(maps.Keys(p.chosenColumns)) {
		sign := "-"
		if p.chosenColumns[head] {
			sign = "+"
		}
		list = append(list, sign+head)
	}
	return list
}

func (p *Page) chooseHeads(list []string) {
	clear(p.chosenColumns)
	for _, head := range list {
		if head != "" && (head[0] == '+' || head[0] == '-') {
			p.chosenColumns[head[1:]] = head[0] == '+'
		}
	}
	p.nameWidths = nameWidths{}
}

// apartWord comes first in the choice of the fold if runs do not share lines.
const apartWord = ":apart"

func (p *Page) chosenFold() []string {
	if !p.folded {
		return append([]string{apartWord}, p.foldBy...)
	}
	return p.foldBy
}

func (p *Page) chooseFolds(value []string) {
	apart := len(value) > 0 && value[0] == apartWord
	if apart {
		value = value[1:]
	}
	p.foldInto(!apart, slices.DeleteFunc(slices.Clone(value), func(key string) bool {
		_, known := spec.FindSetting(key)
		return key != presetKey && !known
	}))
}
