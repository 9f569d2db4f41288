package data

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// setHeader takes the header of the first file, or compares that of the second.
func (f *frame) setHeader(names []string) error {
	if f.header != nil {
		if !slices.Equal(names, f.header) {
			return fmt.Errorf("columns are %q, those of the training file %q", names, f.header)
		}
		return nil
	}
	f.header = names
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
	f.columns = make([]*column, len(names))
	for i, name := range names {
		textual := i == f.label || i == f.split || slices.Contains(f.groups, i)
		switch {
		case !slices.Contains(drop, i):
			f.columns[i] = newColumn(name, textual)
		case textual:
			return fmt.Errorf("column %q is dropped and used: leave one out", name)
		}
	}
	if len(f.features()) == 0 {
		return errors.New("no column is left for a feature")
	}
	return nil
}

// findLabel gives the place of the label: the column asked for, else the one named so, else the last that is
// nothing else, which it notes.
func (f *frame) findLabel(others []int) (at int, err error) {
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

// find gives the place of a column; −1 where none is asked for.
func (f *frame) find(name string) (int, error) {
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

// findAll gives the places of some columns, which commas part; of the customary one, if there, where none is
// asked for.
func (f *frame) findAll(asked, customary string) (list []int, err error) {
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

// numbered names the columns of a file that does not.
func numbered(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = "c" + strconv.Itoa(i+1)
	}
	return names
}

// unique gives the names of a header, made different from one another in the manner of pandas, and notes what
// it changed and what looks like a sample.
func (f *frame) unique(header []string) []string {
	names := make([]string, len(header))
	for i, h := range header {
		names[i] = strings.Clone(strings.TrimSpace(h))
	}
	note := func(format string, args ...any) {
		if f.header == nil { // once, of two files
			f.notes = append(f.notes, fmt.Sprintf(format, args...))
		}
	}
	if i := slices.IndexFunc(names, isMeasure); i >= 0 {
		note("the first line names the columns, one of them %q: if it is a sample, add header=none", names[i])
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

// called says how many columns are like that, and what the first few are called.
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
	return fmt.Sprintf("%d %s %s, called %s%s here", len(names), what, like, strings.Join(list, ", "), more)
}

// isMeasure says whether a name is a number too large to be a column's: numbers of columns are names too.
func isMeasure(name string) bool {
	v, err := strconv.ParseFloat(name, 64)
	return err == nil && (v != float64(int(v)) || v < 0 || v >= 10000)
}
