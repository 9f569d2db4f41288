package dataset

import (
	"fmt"
	"slices"
	"strings"
)

// Divide sets the splits of a dataset to parts of src, and notes classes that no training sample
// has. One that is a class of the training samples but for what it ends in is refused: it is no
// class of its own.
func Divide(d *Dataset, src Source, s Splits) error {
	d.Train, d.Test = SubsetOf(src, s.Train), SubsetOf(src, s.Test)
	if len(s.val) > 0 {
		d.Val = SubsetOf(src, s.val)
	}
	if len(s.Train) == 0 {
		return nil // nothing is to be learned here
	}
	var learned, others []string
	for c, n := range ClassCounts(d.Train, len(d.Classes)) {
		if n > 0 {
			learned = append(learned, d.Classes[c])
			continue
		}
		others = append(others, d.Classes[c])
		d.Notes = append(d.Notes, fmt.Sprintf("no training sample is of class %q", d.Classes[c]))
	}
	if same := sameButEnd(others, learned); same != "" {
		return fmt.Errorf("the other samples have classes that the training samples lack, "+
			"but for the end: %s", same)
	}
	return nil
}

// bareEnd is a name without the points and blanks that it ends in: the test file of UCI's Adult has
// one behind every label, which the training file has not.
func bareEnd(name string) string { return strings.TrimRight(name, ".,;:!? \t\u00a0") }

// sameButEnd lists the names that are others of known ones but for what they end in, with the
// remedy.
func sameButEnd(names, known []string) string {
	var pairs []string
	for _, name := range names {
		i := slices.IndexFunc(known, func(k string) bool { return bareEnd(k) == bareEnd(name) })
		if i >= 0 {
			pairs = append(pairs, fmt.Sprintf("%q is %q there", name, known[i]))
		}
	}
	if pairs == nil {
		return ""
	}
	return strings.Join(pairs, ", ") +
		": write them alike, as sed 's/\\.$//' does for points at the end of lines"
}
