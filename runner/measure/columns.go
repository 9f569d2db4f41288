package measure

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"drolab/runner/data"
)

// identifiers finds columns of whole numbers or texts that differ in every row, and columns of
// whole numbers that grow with the row.
func identifiers(e *evidence, c *data.Sampled) []any {
	values, whole, grows, there := map[uint64]bool{}, true, true, 0
	last := math.Inf(-1)
	for row, v := range c.Numbers {
		if text, ok := c.Text(row); ok && text == "" {
			continue
		}
		there++
		values[c.Key(row)] = true
		whole = whole && (v != v || v == math.Trunc(v))
		grows = grows && v >= last
		last = v
	}
	switch {
	case there < leastRows || !whole:
	case grows && len(values) > there/2:
		return []any{"grows with the row", e.drop(c.Name)}
	case len(values) == there:
		return []any{"differs in every row", e.drop(c.Name)}
	}
	return nil
}

// emptyColumn finds columns without a value.
func emptyColumn(e *evidence, c *data.Sampled) []any {
	if len(c.Texts) == 1 && c.Texts[0] == "" && !slices.Contains(c.Codes, 0) {
		return []any{e.drop(c.Name)}
	}
	return nil
}

// spelling finds categories, classes and groups that differ in case or blanks alone, or that are
// one number.
func spelling(_ *evidence, c *data.Sampled) []any {
	known := map[string]string{}
	for _, text := range slices.Sorted(slices.Values(c.Texts)) {
		bare := strings.Join(strings.Fields(strings.ToLower(text)), " ")
		if first, ok := known[bare]; ok && first != text {
			return []any{first, text}
		}
		known[bare] = text
	}
	if c.Forms[0] != "" {
		return []any{c.Forms[0], c.Forms[1]}
	}
	return nil
}

// codes finds columns of few whole numbers with gaps between them, which are read as quantities.
func codes(e *evidence, c *data.Sampled) []any {
	const most, often = 20, 10 // values, and rows of each
	rows := map[float64]int{}
	whole := !slices.ContainsFunc(c.Numbers, func(v float64) bool {
		rows[v]++
		return v != math.Trunc(v) // NaN, too
	})
	if e.array || c.Declared != "" || !whole || len(rows) < 3 || len(rows) > most {
		return nil
	}
	low, high := slices.Min(c.Numbers), slices.Max(c.Numbers)
	if high-low < float64(len(rows)) || slices.Min(slices.Collect(maps.Values(rows))) < often {
		return nil
	}
	return []any{len(rows), low, high, e.categorical(c.Name)}
}

// scales finds arrays whose features vary so little, or so unlike each other, that gradient descent
// learns nothing of them, or of some.
func scales(e *evidence) []finding {
	const small, unlike = .05, 1e4
	if !e.array || e.Mean != nil || len(e.Labels) < leastRows {
		return nil
	}
	low, high := math.Inf(1), 0.0
	for _, c := range e.Columns {
		if span := slices.Max(c.Numbers) - slices.Min(c.Numbers); span > 0 {
			low, high = min(low, span), max(high, span)
		}
	}
	if high == 0 || high >= small && high < unlike*low {
		return nil
	}
	return []finding{{nil, []any{low, high}}}
}

// numbersAsText finds columns that are read as categories because of the way in which their numbers
// are written, or because a few cells are no numbers.
func numbersAsText(e *evidence, c *data.Sampled) []any {
	const few = .1 // of the cells that have a value
	if c.Declared != "" {
		return nil
	}
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
			example, remedy = text, e.notANumber(c.Name, text)
		case odd == 0:
			example, remedy = text, "write "+plain
		}
	}
	if example != "" && there >= leastRows && float64(odd) <= few*float64(there) {
		return []any{example, remedy}
	}
	return nil
}

// notANumber returns the remedy for a text in a column of numbers: a text with a digit may be a
// code, another one is a word for a missing value.
func (e *evidence) notANumber(column, text string) string {
	if strings.ContainsAny(text, "0123456789") {
		return fmt.Sprintf("write a number, or add %s if the values are codes",
			e.categorical(column))
	}
	const remedy = "leave missing cells empty"
	if na, ok := data.AlsoMissing(e.Encoder.Options, e.Marks, text); ok {
		return remedy + ", or give " + na
	}
	return remedy
}

var date = regexp.MustCompile(`^(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|` +
	`\d{1,2}[-/.]\d{1,2}[-/.](\d{2}|\d{4}))([T ].*)?$`)

// dates finds categories that are dates.
func dates(e *evidence, c *data.Sampled) []any {
	texts := slices.DeleteFunc(slices.Clone(c.Texts), func(t string) bool { return t == "" })
	other := func(t string) bool { return !date.MatchString(t) }
	if len(texts) < 2 || c.Declared != "" || slices.ContainsFunc(texts, other) {
		return nil
	}
	return []any{len(texts), e.drop(c.Name)}
}

// leastRows is the least number of rows from which a check of columns can tell something.
const leastRows = 50

// withRoles returns the columns that have one of the roles, if there are enough rows.
func (e *evidence) withRoles(roles ...data.Role) (list []*data.Sampled) {
	if len(e.Labels) < leastRows {
		return nil
	}
	for i := range e.Columns {
		if c := &e.Columns[i]; slices.Contains(roles, c.Role) {
			list = append(list, c)
		}
	}
	return list
}

// ofEach makes the check of one column, which returns its words after the column's name or nil,
// the check of all columns that have one of the roles.
func ofEach(
	find func(e *evidence, c *data.Sampled) []any, roles ...data.Role,
) func(*evidence) []finding {
	return func(e *evidence) (list []finding) {
		for _, c := range e.withRoles(roles...) {
			if words := find(e, c); words != nil {
				list = append(list, finding{[]string{c.Name}, append([]any{c.Name}, words...)})
			}
		}
		return list
	}
}

// categorical returns the option that makes the values of one more column categories.
func (e *evidence) categorical(name string) string {
	var names []string
	for i := range e.Columns {
		if e.Columns[i].Declared == "categorical" {
			names = append(names, e.Columns[i].Name)
		}
	}
	return "categorical=" + strings.Join(append(names, name), ",")
}

// drop returns the remedy for one more column: the option that leaves it out, if there is one.
func (e *evidence) drop(name string) string {
	if e.array {
		return "take it out"
	}
	var names []string
	for i := range e.Columns {
		if e.Columns[i].Role == data.LeftOut {
			names = append(names, e.Columns[i].Name)
		}
	}
	return "drop=" + strings.Join(append(names, name), ",")
}

// sampleOf takes a sample of features that are numbers.
func sampleOf(d *data.Dataset) *data.Sample {
	const most, widest = 1 << 10, 1 << 12
	s := &data.Sample{}
	if d.Shape.H*d.Shape.W != 1 || d.Shape.C > widest || d.Unlabelled {
		return s
	}
	for _, name := range FeatureNames(d) {
		s.Columns = append(s.Columns, data.Sampled{Name: name})
	}
	x := make([]float32, d.Shape.C)
	take := func(src data.Source) {
		n := min(most, src.Len())
		for k := range n {
			i := k * src.Len() / n
			src.Read(x, i)
			for c, v := range x {
				s.Columns[c].Numbers = append(s.Columns[c].Numbers, float64(v))
			}
			s.Labels = append(s.Labels, uint16(src.Label(i)))
		}
		s.Rows += src.Len()
	}
	take(d.Train)
	if d.Val != nil {
		take(d.Val)
	}
	return s
}

// FeatureNames names the features of a table, by number where their columns have no name.
func FeatureNames(d *data.Dataset) (names []string) {
	for _, c := range d.Encoder.Columns {
		names = append(names, c.Features()...)
	}
	for i := len(names); i < d.Shape.C; i++ {
		names = append(names, fmt.Sprintf("feature %d", i))
	}
	return names
}
