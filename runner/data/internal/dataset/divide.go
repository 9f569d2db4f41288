package dataset

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Divide sets the splits of a dataset to parts of src. It refuses a class without training samples:
// nothing is learned of such a class, and mostly it is a class of the training samples with another
// spelling.
func Divide(d *Dataset, src Source, s Splits) error {
	d.Train, d.Test = SubsetOf(src, s.Train), SubsetOf(src, s.Test)
	if len(s.val) > 0 {
		d.Val = SubsetOf(src, s.val)
	}
	d.Notes = append(d.Notes, s.notes...)
	if len(s.Train) == 0 {
		return nil // nothing is to be learned here
	}
	var learned, others []string
	for c, n := range ClassCounts(d.Train, len(d.Classes)) {
		if n > 0 {
			learned = append(learned, d.Classes[c])
		} else {
			others = append(others, d.Classes[c])
		}
	}
	if others == nil || len(learned) == 1 { // trainable refuses one class
		return nil
	}
	if same := sameButEnd(others, learned); same != "" {
		return fmt.Errorf("the other samples have classes that the training samples lack, "+
			"but for the end: %s", same)
	}
	return fmt.Errorf("no training sample has class %s, found in %d of the others: write the "+
		"labels alike, or take those samples out", quoted(others), unlearned(d))
}

// bareEnd returns a name without the punctuation and blanks at its end: the test file of UCI's
// Adult has a full stop behind every label, the training file has none.
func bareEnd(name string) string { return strings.TrimRight(name, ".,;:!? \t\u00a0") }

// sameButEnd lists the names that differ from a known name only in bareEnd's characters, with the
// remedy.
func sameButEnd(names, known []string) string {
	var pairs []string
	ends := ""
	for _, name := range names {
		i := slices.IndexFunc(known, func(k string) bool { return bareEnd(k) == bareEnd(name) })
		if i >= 0 {
			pairs = append(pairs, fmt.Sprintf("%q is %q there", name, known[i]))
			ends = cmp.Or(name[len(bareEnd(name)):], known[i][len(bareEnd(known[i])):])
		}
	}
	if pairs == nil {
		return ""
	}
	return fmt.Sprintf("%s: add label_trim=%s, or write them alike", strings.Join(pairs, ", "),
		url.QueryEscape(strings.TrimSpace(ends)))
}

// quoted lists names in quotation marks, only the first few of many.
func quoted(names []string) string {
	const few = 5
	list := make([]string, min(few, len(names)))
	for i := range list {
		list[i] = strconv.Quote(names[i])
	}
	text := strings.Join(list, ", ")
	if more := len(names) - few; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// unlearned counts the samples whose class no training sample has.
func unlearned(d *Dataset) (n int) {
	learned := ClassCounts(d.Train, len(d.Classes))
	for _, split := range []Source{d.Val, d.Test} {
		if split == nil {
			continue
		}
		for c, there := range ClassCounts(split, len(d.Classes)) {
			if learned[c] == 0 {
				n += there
			}
		}
	}
	return n
}
