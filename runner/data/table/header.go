package table

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"drolab/runner/data"
	"drolab/runner/lists"
)

// setHeader takes the header of the first file, or finds its columns in the header of another file.
func (f *Frame) setHeader(names []string) error {
	f.width = len(names)
	if f.header != nil {
		return f.setOrder(names)
	}
	for _, name := range names {
		if err := data.Named(name); err != nil {
			return fmt.Errorf("columns: %w", err)
		}
	}
	if strings.HasPrefix(strings.ToLower(names[0]), "@relation") {
		return errors.New("this is an ARFF file: make it a CSV file of the lines below @data, " +
			"with a header that has the names of the attributes")
	}
	if err := f.otherSeparator(names); err != nil {
		return err
	}
	f.header = names
	if f.opened.Raw {
		return f.setRaw()
	}
	if f.fitted != nil {
		return f.setFitted()
	}
	drop, err := f.findAll(f.Options["drop"], "")
	if err != nil {
		return err
	}
	if f.groups, err = f.findAll(f.Options["group"], "group"); err != nil {
		return err
	}
	if f.members, err = f.findAll(f.Options["groups"], ""); err != nil {
		return err
	}
	if f.split, err = f.find(f.Options["split"]); err != nil {
		return err
	}
	if err := f.setKeys(); err != nil {
		return err
	}
	if f.label, err = f.findLabel(slices.Concat(drop, f.marking(), f.keyPlaces())); err != nil {
		return err
	}
	kept, err := f.findAll(f.Options["keep"], "")
	if err == nil {
		err = f.keep(kept)
	}
	if err != nil {
		return err
	}
	f.columns = make([]*Column, len(f.header))
	for i, name := range f.header {
		textual := f.textual(i)
		switch {
		case f.isKey(i) && !textual:
			// It is no feature: keep= has appended a copy of the column that is one.
		case !slices.Contains(drop, i):
			f.columns[i] = NewColumn(name, textual)
			if !textual && f.top > 0 {
				f.columns[i].counted()
			}
		case textual:
			return fmt.Errorf("column %q is dropped and used: leave one out", name)
		}
	}
	if len(f.features()) == 0 {
		return errors.New("no column is left for a feature")
	}
	f.setIDs()
	return f.setKinds()
}

// textual reports whether a column is the label, a group or the split.
func (f *Frame) textual(i int) bool { return i == f.label || slices.Contains(f.marking(), i) }

// marking returns the columns of groups and of the split, which is −1 without one.
func (f *Frame) marking() []int { return append(slices.Concat(f.groups, f.members), f.split) }

// keep makes columns of groups, of the split and of split_by= features, too. Each occurs once more
// for that, behind the others.
func (f *Frame) keep(list []int) error {
	f.header = slices.Clip(f.header)
	for _, at := range list {
		if name := f.header[at]; at == f.label {
			return fmt.Errorf("column %q is the label and cannot be a feature", name)
		} else if !f.textual(at) && !f.isKey(at) {
			return fmt.Errorf("keep=%s: the column is a feature already: keep= is for columns of "+
				"group=, groups=, split= and split_by=", name)
		}
		if f.order == nil {
			for i := range f.header {
				f.order = append(f.order, i)
			}
		}
		f.header, f.order = append(f.header, f.header[at]), append(f.order, f.order[at])
	}
	return nil
}

// feature returns the place of a column as a feature, which is the last one of its name.
func (f *Frame) feature(name string) int {
	at := len(f.header) - 1
	for at >= 0 && f.header[at] != name {
		at--
	}
	return at
}

// setKinds tells columns of codes from columns of numbers, as the options say.
func (f *Frame) setKinds() error {
	for _, key := range []string{"categorical", "numeric"} {
		list, err := f.findAll(f.Options[key], "")
		if err != nil {
			return err
		}
		for _, at := range list {
			c := f.columns[f.feature(f.header[at])]
			if c == nil || c.textual || !c.Numeric {
				return fmt.Errorf("%s=%s: expected a feature that is named once", key, f.header[at])
			}
			c.declared = key
			c.Numeric = key == "numeric"
			c.plain = c.Numeric
		}
	}
	return nil
}

// otherSeparator returns an error for a header of one column that another separator would divide;
// the error names that separator. A name may have the separator of the file itself if it is quoted.
func (f *Frame) otherSeparator(names []string) error {
	if len(names) != 1 || f.Choice("header") == "" { // a Parquet file has no separators
		return nil
	}
	for _, s := range []struct {
		sign rune
		word string
	}{{';', "semicolon"}, {'\t', "tab"}, {'|', "pipe"}, {',', "comma"}} {
		n := strings.Count(names[0], string(s.sign))
		switch {
		case n == 0:
		case s.sign == f.comma:
			return fmt.Errorf("has one column, named %.60q: the line is in quotation marks as a "+
				"whole: take these out", names[0])
		default:
			return fmt.Errorf("has one column, named %.60q, with %d of the sign %q: %s", names[0],
				n, string(s.sign), f.Set("sep", s.word))
		}
	}
	return nil
}

// setOrder finds the columns of the training file by their names in a further file, which may have
// other columns too.
func (f *Frame) setOrder(names []string) error {
	f.order = nil
	if slices.Equal(names, f.header) {
		return nil
	}
	place := map[string]int{}
	for i, name := range names {
		place[name] = i
	}
	f.order = make([]int, len(f.header))
	for i, name := range f.header {
		at, there := place[name]
		if !there && (f.columns[i] != nil || f.isKey(i)) {
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
	if f.label, err = f.find(f.Options["label"]); err != nil {
		f.label = -1
		f.notes = append(f.notes, fmt.Sprintf(
			"no column %q: the samples have no labels", f.Options["label"]))
	}
	optional := func(key, customary string) []int {
		list, err := f.findAll(f.Options[key], customary)
		if err != nil {
			f.notes = append(f.notes, fmt.Sprintf(
				"no column %q: the samples have no groups", f.Options[key]))
		}
		return list
	}
	f.groups, f.members = optional("group", "group"), optional("groups", "")
	if f.split, err = f.find(f.Options["split"]); err != nil {
		return err
	}
	if err := f.setKeys(); err != nil {
		return err
	}
	if f.fitted.Columns == nil {
		return fmt.Errorf("the network takes %s, without names, and this is a table of %d "+
			"columns: give it arrays, as npz:FILE", data.InWords(f.fitted.Shape), len(f.header))
	}
	var kept []int
	for _, c := range f.fitted.Columns {
		i, err := f.find(c.Name)
		if err != nil {
			return fmt.Errorf("the network takes a column that is not here: %w", err)
		}
		if f.textual(i) {
			kept = append(kept, i)
		}
	}
	if err := f.keep(kept); err != nil {
		return err
	}
	f.columns = make([]*Column, len(f.header))
	for _, i := range append(f.marking(), f.label) {
		if i >= 0 {
			f.columns[i] = NewColumn(f.header[i], true)
		}
	}
	for _, as := range f.fitted.Columns {
		c := NewColumn(as.Name, false)
		c.plain = as.Categories == nil
		if as.Rest {
			c.counted()
		}
		f.columns[f.feature(as.Name)] = c
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
	for _, c := range f.fitted.Columns {
		if f.suits(&c, trimmed(record[slices.Index(f.header, c.Name)])) {
			return false
		}
	}
	return true
}

// suits reports whether a cell suits a column: it is a number, if the column has numbers, one of
// its categories, or missing.
func (f *Frame) suits(c *data.Column, cell string) bool {
	if _, isNumber := number(cell); c.Categories == nil && isNumber {
		return true
	}
	return f.isMissing(-1, cell) || slices.Contains(c.Categories, cell)
}

// findLabel returns the place of the label: the column that the option names, else the column named
// label, else the last column without another use, which it notes.
func (f *Frame) findLabel(others []int) (at int, err error) {
	switch {
	case f.Options["label"] != "":
		at, err = f.find(f.Options["label"])
	case slices.Contains(f.header, "label"):
		at = slices.Index(f.header, "label")
	default:
		at = len(f.header) - 1
		for at > 0 && slices.Contains(others, at) {
			at--
		}
		f.notes = append(f.notes,
			fmt.Sprintf("the label is the last column, %q: name it with label=", f.header[at]))
	}
	if err == nil && slices.Contains(f.marking(), at) {
		err = fmt.Errorf("column %q cannot be both label and group or split", f.header[at])
	}
	return at, err
}

// find returns the place of a column; −1 for an empty name.
func (f *Frame) find(name string) (int, error) {
	at := data.Place(f.header, name)
	if at < 0 && name != "" {
		hint := ""
		if near := data.Near(f.header, name); near != "" {
			hint = fmt.Sprintf(": write %q", near)
		}
		if f.Choice("header") == "yes" && slices.ContainsFunc(f.header, isMeasure) {
			hint = ": if that is a sample, add header=none"
		}
		return 0, fmt.Errorf("no column %q: the columns are %q%s", name, f.header, hint)
	}
	return at, nil
}

// findAll returns the places of some columns, whose names are separated by commas. If none is asked
// for, it returns the place of the customary column, if there is one.
func (f *Frame) findAll(asked, customary string) (list []int, err error) {
	known := func(name string) bool { return data.Place(f.header, name) >= 0 }
	names := data.Names(asked, ",", known)
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
func numbered(n int) []string { return lists.Numbered("c", 1, n) }

// unique gives the names of a header, made different from one another in the manner of pandas, and
// notes what it changed and what looks like a sample.
func (f *Frame) unique(header []string) []string {
	own := func(name string) string { return strings.Clone(strings.TrimSpace(name)) }
	names := lists.Map(header, own)
	var notes, nameless, twins []string
	if i := slices.IndexFunc(names, isMeasure); i >= 0 {
		notes = append(notes, fmt.Sprintf("the first line names the columns, one of them %q: "+
			"if it is a sample, add header=none", names[i]))
	}
	// A header may have as many names as a file has bytes.
	places := map[int]bool{} // of columns without a name
	seen, taken, copies := map[string]bool{}, map[string]bool{}, map[string]int{}
	for _, name := range names {
		taken[name] = true
	}
	for i, name := range names {
		if name == "" {
			name = "c" + strconv.Itoa(i+1)
			nameless, places[i] = append(nameless, name), true
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
		notes = append(notes, "columns without a name are called "+data.Quoted(nameless, 3))
	}
	if len(twins) > 0 {
		notes = append(notes, "columns with the name of one before are called "+
			data.Quoted(twins, 3))
	}
	if f.header == nil { // it is the first file
		f.notes, f.nameless = append(f.notes, notes...), places
	}
	return names
}

// isMeasure reports whether a name is a number that does not look like the name of a column: not
// whole, below 0, or 10 000 and more. Other whole numbers may be names.
func isMeasure(name string) bool {
	v, err := strconv.ParseFloat(name, 64)
	return err == nil && (v != float64(int(v)) || v < 0 || v >= 10000)
}
