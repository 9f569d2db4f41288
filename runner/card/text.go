package card

import (
	"regexp"
	"slices"
	"strings"

	"drolab/runner/data"
)

// spelling finds categories, classes and groups that differ in case or blanks alone.
func spelling(e *evidence) (list []finding) {
	for _, c := range e.of(data.AsFeature, data.AsLabel, data.AsGroup) {
		known := map[string]string{}
		for _, text := range slices.Sorted(slices.Values(c.Texts)) {
			bare := strings.Join(strings.Fields(strings.ToLower(text)), " ")
			if first, ok := known[bare]; ok && first != text {
				list = append(list, finding{[]string{c.Name}, []any{c.Name, first, text}})
				break
			}
			known[bare] = text
		}
	}
	return list
}

// numbers finds columns that are read as categories because of the way in which their numbers are
// written, or because a few cells are no numbers.
func numbers(e *evidence) (list []finding) {
	const few = .1 // of the cells that have a value
	for _, c := range e.of(data.AsFeature) {
		count := make([]int, 1+len(c.Texts)) // of each code
		for _, code := range c.Codes {
			count[code]++
		}
		there, odd := len(c.Codes), 0
		var example, remedy string
		for i, text := range c.Texts {
			switch plain, ok := data.PlainNumber(text); {
			case text == "":
				there -= count[i+1]
			case !ok:
				odd += count[i+1]
				example, remedy = text, "leave missing cells empty"
			case odd == 0:
				example, remedy = text, "write "+plain
			}
		}
		if example != "" && there >= enough && float64(odd) <= few*float64(there) {
			list = append(list, finding{[]string{c.Name}, []any{c.Name, example, remedy}})
		}
	}
	return list
}

var date = regexp.MustCompile(`^(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|` +
	`\d{1,2}[-/.]\d{1,2}[-/.](\d{2}|\d{4}))([T ].*)?$`)

// dates finds categories that are dates.
func dates(e *evidence) (list []finding) {
	for _, c := range e.of(data.AsFeature) {
		texts := slices.DeleteFunc(slices.Clone(c.Texts), func(t string) bool { return t == "" })
		if len(texts) > 1 && !slices.ContainsFunc(texts, func(t string) bool {
			return !date.MatchString(t)
		}) {
			list = append(list, finding{[]string{c.Name},
				[]any{c.Name, len(texts), e.drop(c.Name)}})
		}
	}
	return list
}
