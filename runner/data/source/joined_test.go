package source

import (
	"slices"
	"strings"
	"testing"

	"drolab/runner/data"
)

// The words of na= count as missing in the column of the label, too. Without na=, only the empty
// cell does there.
func TestMissingLabels(t *testing.T) {
	text := "x,label\n" + strings.Repeat("1,a\n2,b\n3,NA\n4,?\n", 10)
	for _, c := range []struct {
		query   string
		classes []string
		notes   []string
	}{
		{"?label=label", []string{"?", "NA", "a", "b"}, nil},
		{"?label=label&na=NA&missing=drop", []string{"?", "a", "b"},
			[]string{"lines left out for a missing value: 10"}},
		{"?label=label&na=NA,?&missing=drop", []string{"a", "b"},
			[]string{"lines left out for a missing value: 20"}},
	} {
		d, err := openText(t, text, c.query)
		if err != nil {
			t.Errorf("opening it with %s: %v", c.query, err)
			continue
		}
		if !slices.Equal(d.Classes, c.classes) {
			t.Errorf("%s: classes %q, want %q", c.query, d.Classes, c.classes)
		}
		if !slices.Equal(d.Notes, c.notes) {
			t.Errorf("%s: notes %q, want %q", c.query, d.Notes, c.notes)
		}
	}
	want := `line 4, column "label": missing value "NA": add missing=drop to leave such lines out`
	if _, err := openText(t, text, "?label=label&na=NA"); err == nil ||
		!strings.HasSuffix(err.Error(), want) {
		t.Errorf("without missing=: %v, want %q", err, want)
	}
}

// A group that is called None stays one with an empty na=, also where a network is used on other
// data. Without na=, the table says what has become of it.
func TestGroupCalledNone(t *testing.T) {
	text := "x,g,label\n" + strings.Repeat("1,None,a\n2,one,b\n3,None,b\n4,one,a\n", 10)
	_, err := openText(t, text, "?group=g")
	want := `line 2, column "g": missing value "None": add missing=category for a group of its own, ` +
		"or if training samples have no groups, missing=drop to leave such lines out, or na= if " +
		`"None" is a value`
	if err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("without na=: %v, want %q", err, want)
	}
	d, err := openText(t, text, "?group=g&missing=category")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"(missing)", "one"}; !slices.Equal(d.Groups, want) {
		t.Errorf("with missing=category: groups %q, want %q", d.Groups, want)
	}
	want = `samples with "None" in "g" are in the group (missing): add na= if it is a value`
	if !slices.Contains(d.Notes, want) {
		t.Errorf("with missing=category: notes %q, want %q", d.Notes, want)
	}
	path := "csv:" + write(t, text)
	if d, err = Open(path+"?group=g&na=", data.Options{}); err != nil {
		t.Fatal(err)
	}
	of := d.Encoder
	used, err := Open(path, data.Options{Encoder: &of})
	if err != nil {
		t.Fatal(err)
	}
	for name, groups := range map[string][]string{"training": d.Groups, "use": used.Groups} {
		if want := []string{"None", "one"}; !slices.Equal(groups, want) {
			t.Errorf("%s with na=: groups %q, want %q", name, groups, want)
		}
	}
}

// joined is a table of three files that were joined: of the second the byte-order mark remains, of
// the third the mark before a quoted cell.
func joined(header string) string {
	const rows = "1,u,a\n2,v,b\n3,u,a\n4,v,b\n5,u,b\n"
	return header + rows + "\ufeff" + header + rows + "\n\ufeff" + header + rows +
		"\ufeff" + header + "\"1\",u,a\n"
}

// A byte-order mark within a file, where files were joined, is no part of a cell.
func TestMarkWithinAFile(t *testing.T) {
	d, err := openText(t, joined(""), "?header=none&label=c3")
	if err != nil {
		t.Fatal(err)
	}
	if n := d.Train.Len() + d.Test.Len(); n != 16 || d.Shape.C != 3 {
		t.Errorf("%d samples of %d features, want 16 of 3: a number and two categories", n,
			d.Shape.C)
	}
}

// A header within a file is refused wherever it stands, with its line. A line of numbers may equal
// a header of numbers.
func TestHeaderWithinAFile(t *testing.T) {
	const repeats = "repeats the header: take it out, or add header=none if the first line is " +
		"a sample"
	for _, c := range []struct{ name, text, query, want string }{
		{"joined", joined("x,c,label\n"), "?label=label",
			"line 7 " + repeats},
		{"in another order", "x,c,label\n1,u,a\nlabel,x,c\n2,v,b\n", "?label=label",
			"line 3 names the columns in another order: join the files with their columns in " +
				"one order"},
		{"two names alike, and none", "x,x,,label\n1,2,3,a\nx,x,,label\n", "?label=label",
			"line 3 " + repeats},
		{"a test file", "x,c,label\n" + strings.Repeat("1,u,a\n2,v,b\n", 10),
			"?label=label&test=" + write(t, "x,c,label\n1,u,a\nx,c,label\n2,v,b\n"),
			"line 3 " + repeats},
		{"numbers", "0,1,2\n" + strings.Repeat("0,1,2\n3,4,5\n", 10), "?label=2", ""},
		{"one column alike", "x,c,label\n" + strings.Repeat("1,c,a\n2,v,b\n", 10),
			"?label=label", ""},
	} {
		_, err := openText(t, c.text, c.query)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v, want no error", c.name, err)
			}
			continue
		}
		if err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
