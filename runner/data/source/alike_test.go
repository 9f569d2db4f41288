package source

import (
	"archive/zip"
	"slices"
	"strings"
	"testing"

	"drolab/runner/data"
)

// classesAlike is a table in which pandas has written some whole numbers as floats.
func classesAlike(label, group string) string {
	text := "x,g,label\n"
	for i := range 40 {
		text += []string{"1,1,1\n", "2,0,0\n", "3,1," + label + "\n", "4," + group + ",0\n"}[i%4]
	}
	return text
}

// 1 and 1.0 in the column of the label or of a group, in one file or on both sides of train and
// test, are one class and one group. A note says so. Without a number in two forms, names stay.
func TestOneNumberIsOneName(t *testing.T) {
	test := write(t, "x,g,label\n1,1.0,1.0\n2,0.0,0.0\n")
	for _, c := range []struct {
		name, text, query string
		classes, groups   []string
		notes             []string
	}{
		{"one file", classesAlike("1.0", "0.0"), "", []string{"0", "1"}, []string{"0", "1"},
			[]string{`"label" has both "1" and "1.0": they count as one value`,
				`"g" has both "0" and "0.0": they count as one value`}},
		{"two files", classesAlike("1", "0"), "&test=" + test, []string{"0", "1"},
			[]string{"0", "1"}, []string{`"label" has both "0" and "0.0": they count as one value`,
				`"g" has both "0" and "0.0": they count as one value`}},
		{"floats alone", strings.NewReplacer(",1\n", ",1.0\n", ",0\n", ",0.0\n").
			Replace(classesAlike("1.0", "0")), "", []string{"0.0", "1.0"}, []string{"0", "1"}, nil},
		{"other decimals", strings.ReplaceAll(classesAlike("1.5", "01"), ",1\n", ",1.50\n"), "",
			[]string{"0", "1.5", "1.50"}, []string{"0", "01", "1"}, nil},
	} {
		d, err := openText(t, c.text, "?label=label&group=g"+c.query)
		if err != nil {
			t.Errorf("%s: opening it: %v", c.name, err)
			continue
		}
		if !slices.Equal(d.Classes, c.classes) {
			t.Errorf("%s: classes %q, want %q", c.name, d.Classes, c.classes)
		}
		if !slices.Equal(d.Groups, c.groups) {
			t.Errorf("%s: groups %q, want %q", c.name, d.Groups, c.groups)
		}
		if !slices.Equal(d.Notes, c.notes) {
			t.Errorf("%s: notes %q, want %q", c.name, d.Notes, c.notes)
		}
		counts := data.ClassCounts(d.Train, len(d.Classes))
		if slices.Contains(counts, 0) {
			t.Errorf("%s: the classes have %v training samples", c.name, counts)
		}
	}
}

// The same holds for arrays of strings, and for a network that is used on other data: its classes
// are found in either form.
func TestOneNumberOfANetwork(t *testing.T) {
	d, err := openText(t, classesAlike("1", "0"), "?label=label&group=g")
	if err != nil {
		t.Fatal(err)
	}
	floats := strings.NewReplacer(",1\n", ",1.0\n", ",0\n", ",0.0\n").
		Replace(classesAlike("1", "0"))
	of := d.Encoder
	if d, err = Open("csv:"+write(t, floats)+"?label=label&group=g",
		data.Options{Encoder: &of}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"0", "1"}; !slices.Equal(d.Classes, want) || !slices.Equal(d.Groups, want) {
		t.Errorf("classes %q and groups %q, want %q", d.Classes, d.Groups, want)
	}
	x := npy(t, "<f4", "(8, 1)", []float32{1, 2, 3, 4, 5, 6, 7, 8})
	y := npy(t, "<U3", "(8,)", utf32(3, "1", "0", "1.0", "0", "1", "0", "1.0", "0"))
	if d, err = Open(writeNPZ(t, zip.Store, map[string][]byte{"x": x, "y": y})+
		"?test_fraction=.5", data.Options{}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"0", "1"}; !slices.Equal(d.Classes, want) {
		t.Errorf("an array: classes %q, want %q", d.Classes, want)
	}
}

// The column of the split may have its numbers as floats.
func TestSplitsAsFloats(t *testing.T) {
	d, err := openText(t, "x,s,label\n1,0.0,a\n2,0.0,b\n3,1.0,a\n4,2.0,b\n", "?label=label&split=s")
	if err != nil {
		t.Fatal(err)
	}
	checkLengths(t, "a split of floats", d, 2, 1, 1)
}
