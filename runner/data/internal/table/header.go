package table

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"drolab/runner/data/internal/dataset"
)

// setHeader takes the header of the first file, or finds its columns in the header of another file.
func (f *Frame) setHeader(names []string) error {
	f.width = len(names)
	if f.header != nil {
		return f.setOrder(names)
	}
	for _, name := range names {
		if err := dataset.Named(name); err != nil {
			return fmt.Errorf("columns: %w", err)
		}
	}
	if err := otherSeparator(names); err != nil {
		return err
	}
	f.header = names
	if f.opened.Raw {
		return f.setRaw()
	}
	if f.fitted != nil {
		return f.setFitted()
	}
	drop, err := f.findAll(f.asked.drop, "")
	if err != nil {
		return err
	}
	if f.groups, err = f.findAll(f.asked.group, "group"); err != nil {
		return err
	}
	if f.split, err = f.find(f.asked.split); err != nil {
		return err
	}
	if f.label, err = f.findLabel(append(slices.Clone(drop), f.split)); err != nil {
		return err
	}
	f.columns = make([]*Column, len(names))
	for i, name := range names {
		textual := i == f.label || i == f.split || slices.Contains(f.groups, i)
		switch {
		case !slices.Contains(drop, i):
			if f.columns[i] = NewColumn(name, textual); !textual && f.top > 0 {
				f.columns[i].counted()
			}
		case textual:
			return fmt.Errorf("column %q is dropped and used: leave one out", name)
		}
	}
	if len(f.features()) == 0 {
		return errors.New("no column is left for a feature")
	}
	return nil
}

// otherSeparator returns an error for a header of one column that another separator would divide;
// the error names that separator.
func otherSeparator(names []string) error {
	if len(names) != 1 {
		return nil
	}
	for _, s := range []struct{ sign, word string }{
		{";", "semicolon"}, {"\t", "tab"}, {"|", "pipe"}, {",", "comma"},
	} {
		if n := strings.Count(names[0], s.sign); n > 0 {
			return fmt.Errorf("has one column, named %.60q, with %d of the sign %q: add sep=%s",
				names[0], n, s.sign, s.word)
		}
	}
	return nil
}

// setOrder finds the columns of the training file by their names in a further file, which may have
// other columns too.
func (f *Frame) setOrder(names []string) error {
	if f.order = nil; slices.Equal(names, f.header) {
		return nil
	}
	place := map[string]int{}
	for i, name := range names {
		place[name] = i
	}
	f.order = make([]int, len(f.header))
	for i, name := range f.header {
		at, there := place[name]
		if !there && f.columns[i] != nil {
			return fmt.Errorf("no column %q, which the training file has: the columns are %q",
				name, names)
		}
		if !there {
			at = -1
		}
		f.order[i] = at
	}
	return nil
}

// setFitted takes the columns that an encoder names, and the label and the groups if the file has
// them: the samples may be unlabelled.
func (f *Frame) setFitted() (err error) {
	if f.label, err = f.find(f.asked.label); err != nil {
		f.label = -1
		f.notes = append(f.notes, fmt.Sprintf(
			"no column %q: the samples have no labels", f.asked.label))
	}
	if f.groups, err = f.findAll(f.asked.group, "group"); err != nil {
		f.groups = nil
		f.notes = append(f.notes, fmt.Sprintf(
			"no column %q: the samples have no groups", f.asked.group))
	}
	if f.split, err = f.find(f.asked.split); err != nil {
		return err
	}
	if f.fitted.Columns == nil {
		return fmt.Errorf("the network takes %s, without names, and this is a table of %d "+
			"columns: give it arrays, as npz:FILE",
			dataset.InWords(f.fitted.Shape), len(f.header))
	}
	f.columns = make([]*Column, len(f.header))
	for _, i := range append([]int{f.label, f.split}, f.groups...) {
		if i >= 0 {
			f.columns[i] = NewColumn(f.header[i], true)
		}
	}
	for _, c := range f.fitted.Columns {
		i, err := f.find(c.Name)
		if err != nil {
			return fmt.Errorf("the network takes a column that is not here: %w", err)
		}
		if f.columns[i] != nil {
			return fmt.Errorf("column %q is a feature of the network, "+
				"and cannot be label, group or split", c.Name)
		}
		if f.columns[i] = NewColumn(c.Name, false); c.Rest {
			f.columns[i].counted()
		}
	}
	return nil
}

// namesColumns reports whether the first line is a header in a file that should have none, for a
// network that knows the columns by their place. It is a header if no cell suits its column.
func (f *Frame) namesColumns(record []string) bool {
	if f.fitted == nil {
		return false
	}
	if f.label >= 0 && slices.Contains(f.fitted.Classes, f.labelOf(record[f.label])) {
		return false
	}
	return !slices.ContainsFunc(f.fitted.Columns, func(c dataset.Column) bool {
		return takes(&c, trimmed(record[slices.Index(f.header, c.Name)]))
	})
}

// takes reports whether a cell suits a column: it is a number, if the column has numbers, one of
// its categories, or missing.
func takes(c *dataset.Column, cell string) bool {
	if _, isNumber := number(cell); c.Categories == nil && isNumber {
		return true
	}
	return MissingValue(cell) || slices.Contains(c.Categories, cell)
}

// findLabel returns the place of the label: the column that the option names, else the column named
// label, else the last column without another use, which it notes.
func (f *Frame) findLabel(others []int) (at int, err error) {
	if f.asked.label != "" {
		at, err = f.find(f.asked.label)
	} else if at = slices.Index(f.header, "label"); at < 0 {
		others = append(others, f.groups...)
		for at = len(f.header) - 1; at > 0 && slices.Contains(others, at); {
			at--
		}
		f.notes = append(f.notes,
			fmt.Sprintf("the label is the last column, %q: name it with label=", f.header[at]))
	}
	if err == nil && (slices.Contains(f.groups, at) || at == f.split) {
		err = fmt.Errorf("column %q cannot be both label and group or split", f.header[at])
	}
	return at, err
}

// find returns the place of a column; −1 for an empty name.
func (f *Frame) find(name string) (int, error) {
	at := slices.Index(f.header, name)
	if at < 0 && name != "" {
		hint := ""
		if !f.bare && slices.ContainsFunc(f.header, isMeasure) {
			hint = ": if that is a sample, add header=none"
		}
		return 0, fmt.Errorf("no column %q: the columns are %q%s", name, f.header, hint)
	}
	return at, nil
}

// findAll returns the places of some columns, whose names are separated by commas. If none is asked
// for, it returns the place of the customary column, if there is one.
func (f *Frame) findAll(asked, customary string) (list []int, err error) {
	names := strings.Split(asked, ",")
	if slices.Contains(f.header, asked) {
		names = []string{asked} // a name with a comma of its own
	}
	if asked == "" {
		names = []string{customary}
		if !slices.Contains(f.header, customary) {
			return nil, nil
		}
	}
	for _, name := range names {
		at, err := f.find(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		if at < 0 || slices.Contains(list, at) {
			return nil, fmt.Errorf("%q names a column twice or not at all", asked)
		}
		list = append(list, at)
	}
	return list, nil
}

// numbered returns names for the columns of a file that has no header.
func numbered(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = "c" + strconv.Itoa(i+1)
	}
	return names
}

// unique gives the names of a header, made different from one another in the manner of pandas, and
// notes what it changed and what looks like a sample.
func (f *Frame) unique(header []string) []string {
	names := make([]string, len(header))
	for i, h := range header {
		names[i] = strings.Clone(strings.TrimSpace(h))
	}
	note := func(format string, args ...any) {
		if f.header == nil { // for the first file only
			f.notes = append(f.notes, fmt.Sprintf(format, args...))
		}
	}
	if i := slices.IndexFunc(names, isMeasure); i >= 0 {
		note("the first line names the columns, one of them %q: if it is a sample, add header=none",
			names[i])
	}
	if f.header == nil {
		f.nameless = map[int]bool{}
	}
	// A header may have as many names as a file has bytes.
	var nameless, twins []string
	seen, taken, copies := map[string]bool{}, map[string]bool{}, map[string]int{}
	for _, name := range names {
		taken[name] = true
	}
	for i, name := range names {
		if name == "" {
			name = "c" + strconv.Itoa(i+1)
			nameless = append(nameless, name)
			if f.header == nil {
				f.nameless[i] = true
			}
		}
		if seen[name] {
			base := name
			for name = ""; name == "" || taken[name]; copies[base]++ {
				name = base + "." + strconv.Itoa(copies[base]+1)
			}
			twins = append(twins, name)
		}
		names[i], taken[name], seen[name] = name, true, true
	}
	if len(nameless) > 0 {
		note("%s", called(nameless, "without a name"))
	}
	if len(twins) > 0 {
		note("%s", called(twins, "with the name of one before"))
	}
	return names
}

// called says how many columns are like that, and names the first few.
func called(names []string, like string) string {
	const few = 3
	what := "columns"
	if len(names) == 1 {
		what = "column"
	}
	list := make([]string, min(few, len(names)))
	for i := range list {
		list[i] = strconv.Quote(names[i])
	}
	more := ""
	if len(names) > few {
		more = fmt.Sprintf(" and %d more", len(names)-few)
	}
	return fmt.Sprintf("%d %s %s, called %s%s here",
		len(names), what, like, strings.Join(list, ", "), more)
}

// isMeasure reports whether a name is a number that does not look like the name of a column: not
// whole, below 0, or 10 000 and more. Other whole numbers may be names.
func isMeasure(name string) bool {
	v, err := strconv.ParseFloat(name, 64)
	return err == nil && (v != float64(int(v)) || v < 0 || v >= 10000)
}
