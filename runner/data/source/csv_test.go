package source

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/runner/data"
	"drolab/runner/data/table"
)

// write puts text into a file in a new folder.
func write(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "table.csv")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCSV(t *testing.T) {
	train := write(t, "\ufeff# made up\nage, town,label,group\n1,\"Bad, "+
		"Ems\",no,b\n3,Aal,yes,a\n\n5,Aal,no,b\n")
	test := write(t, "age,town,label,group\n7,Zug,yes,b\n")
	d, err := Open("csv:"+train+"?test="+test, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"no", "yes"}; !slices.Equal(d.Classes, want) {
		t.Errorf("classes %q, want %q", d.Classes, want)
	}
	if want := []string{"a", "b"}; !slices.Equal(d.Groups, want) {
		t.Errorf("groups %q, want %q", d.Groups, want)
	}
	if want := (data.Shape{C: 3, H: 1, W: 1}); d.Shape != want {
		t.Fatalf("shape %v, want %v", d.Shape, want)
	}
	s := float32(2 / math.Sqrt(8./3)) // (5 − 3)/std of 1, 3, 5
	for i, want := range [][]float32{{-s, 0, 1}, {0, 1, 0}, {s, 1, 0}} {
		if got := valuesOf(d.Train, i); !slices.Equal(got, want) {
			t.Errorf("training sample %d is %v, want %v", i, got, want)
		}
	}
	if got := d.Train.Group(1); got != 0 {
		t.Errorf("training sample 1 has group %d, want 0", got)
	}
	if got, want := valuesOf(d.Test, 0), []float32{2 * s, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("the test sample is %v, want %v", got, want)
	}
	if label, group := d.Test.Label(0), d.Test.Group(0); label != 1 || group != 1 {
		t.Errorf("the test sample has label %d and group %d, want 1 and 1", label, group)
	}
	if want := []string{`column "town": a category that the training split lacks counts as none: ` +
		`1 of the other samples`}; !slices.Equal(d.Notes, want) {
		t.Errorf("notes are %q, want %q", d.Notes, want)
	}
}

func TestCSVLabelIsNamedOrLast(t *testing.T) {
	text := "a,b,c\n"
	for i := range 20 {
		text += fmt.Sprintf("%d,%d,%d\n", i, i%4, 10-i%2)
	}
	path := write(t, text)
	for query, want := range map[string][]string{"": {"9", "10"}, "?label=b": {"0", "1", "2", "3"},
		"?label=b&group=c": {"0", "1", "2", "3"}} {
		d, err := Open("csv:"+path+query, data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(d.Classes, want) {
			t.Errorf("%q: classes %q, want %q", query, d.Classes, want)
		}
		if grouped := strings.Contains(query, "group"); (len(d.Groups) == 2) != (grouped ||
			query == "") ||
			d.Shape.C == 1 != grouped {
			t.Errorf("%q: %d groups, %v", query, len(d.Groups), d.Shape)
		}
	}
}

// Lines that start with # are comments before the header, whatever they hold; after it they are
// samples.
func TestCSVComments(t *testing.T) {
	rows := strings.Repeat("#1,a\n#2,b\n", 5)
	d, err := Open("csv:"+write(t, "# a \"quote, and more\n#\n\nx,label\n"+rows), data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := d.Train.Len() + d.Test.Len(); n != 10 {
		t.Errorf("%d samples, want 10", n)
	}
	if d.Shape.C != 2 {
		t.Errorf("%d features, want 2", d.Shape.C)
	}
	_, err = Open("csv:"+write(t, "# c\n\n# d\nlabel\n"+rows), data.Options{})
	checkError(t, "the header's line", err, `line 4: no column is left`)
}

// The test split is a fifth of every class. The training split alone sets the scales.
func TestCSVSplit(t *testing.T) {
	d, err := Open("csv:example", data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d.Train.Len()+d.Test.Len() != 600 ||
		!slices.Equal(d.Groups, []string{"majority", "minority"}) {
		t.Fatalf("%d + %d samples, groups %q", d.Train.Len(), d.Test.Len(), d.Groups)
	}
	train, test := data.ClassCounts(d.Train, 2), data.ClassCounts(d.Test, 2)
	for c := range train {
		if got, want := test[c], int(math.Round(.2*float64(train[c]+test[c]))); got != want {
			t.Errorf("class %d has %d test samples, want %d", c, got, want)
		}
	}
	x, sum, square := make([]float32, d.Shape.Len()), 0.0, 0.0
	for i := range d.Train.Len() {
		d.Train.Read(x, i)
		sum += float64(x[0])
		square += float64(x[0]) * float64(x[0])
	}
	if n := float64(d.Train.Len()); math.Abs(sum/n) > 1e-5 || math.Abs(square/n-1) > 1e-5 {
		t.Errorf("the first feature has mean %v and mean square %v on the training split", sum/n,
			square/n)
	}
}

func TestCSVDamage(t *testing.T) {
	many := "id,label\n"
	for i := range table.MaxCategories + 1 {
		many += fmt.Sprintf("u%d,%d\n", i, i%2)
	}
	twice := "X1,label\nAGE,outcome\n"
	for i := range table.MaxCategories + 1 {
		twice += fmt.Sprintf("%d.5,%d\n", i, i%2)
	}
	labels := "x,label\n"
	for i := range data.MaxClasses + 1 {
		labels += fmt.Sprintf("1,c%d\n", i)
	}
	for name, tt := range map[string]struct{ text, query, want string }{
		"empty":        {"", "", "is empty"},
		"comment only": {"# nothing", "", "is empty"},
		"header only":  {"a,label\n", "", "no samples"},
		"one column":   {"label\n1\n", "", "no column is left"},
		"ragged":       {"# c\na,label\n1,2\n1\n", "", "line 4: 1 columns, the first line has 2"},
		"quote":        {"a,label\n1,\"2\n", "", "line"},
		"missing":      {"a,label\n1,x\n,y\n", "", `line 3, column "a": missing value ""`},
		"na":           {"a,label\n1,x\nNA,y\n", "", `line 3, column "a": missing value "NA"`},
		"nan":          {"a,label\nNaN,x\n", "", `line 2, column "a": missing value "NaN"`},
		"inf": {"a,label\n1,x\n1e999,y\n", "",
			`line 3, column "a": "1e999" is not finite`},
		"identifier": {many, "", `line 2, column "id": "u0" is not a number, and the column has`},
		"two headers": {twice, "",
			`line 2, column "X1": "AGE" is not a number, as the other values are: mend`},
		"arff": {"@relation a\n@attribute x\n", "",
			"this is an ARFF file: make it a CSV file"},
		"regression": {labels, "", `column "label": more than 1000 different values`},
		"one class":  {"a,label\n1,x\n2,x\n", "", `"label" has one value only`},
		"too few":    {"a,label\n1,x\n2,y\n", "", `test_fraction=0.2 leaves a split without a sample of class "x" (n = 1)`},
		"label":      {"a,b\n1,2\n", "?label=c", `no column "c": the columns are ["a" "b"]`},
		"both":       {"a,b\n1,2\n", "?label=b&group=b", `column "b" cannot be both`},
	} {
		_, err := Open("csv:"+write(t, tt.text)+tt.query, data.Options{})
		checkError(t, name, err, tt.want)
	}
	_, err := Open("csv:"+write(t, "a,label\n1,x\n2,y\n")+"?test="+write(t, "b,label\n1,x\n"),
		data.Options{})
	checkError(t, "other columns in the test file", err, "which the training file has")
	_, err = Open("csv:"+write(t, "a,label\n1,x\n2,y\n")+"?test="+write(t, "a,label\n1e300,x\n"),
		data.Options{})
	checkError(t, "a test value beyond float32", err, `column "a": 1e+300`)
}
