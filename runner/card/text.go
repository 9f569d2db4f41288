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

// numbers finds columns that are categories for the way in which their numbers are written, or for
// a few cells that are none.
func numbers(e *evidence) (list []finding) {
	const nearly = .9
	for _, c := range e.of(data.AsFeature) {
		var odd, plain, example string
		rows, others, written := 0, 0, 0
		for row := range c.Numbers {
			text, isText := c.Text(row)
			if isText && text == "" {
				continue
			}
			rows++
			if !isText {
				continue
			}
			if number, ok := data.PlainNumber(text); ok {
				written, example, plain = written+1, text, number
			} else {
				others, odd = others+1, text
			}
		}
		most := int((1 - nearly) * float64(rows))
		switch {
		case rows < enough || others > most:
		case others > 0:
			list = append(list, finding{[]string{c.Name},
				[]any{c.Name, odd, "leave missing cells empty"}})
		case written > 0:
			list = append(list, finding{[]string{c.Name}, []any{c.Name, example, "write " + plain}})
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
