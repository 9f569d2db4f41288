package source

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/dro/testsize"
	"drolab/runner/data"
	"drolab/runner/data/table"
)

// people is a table without a header, like adult.data: missing values, a blank after every comma,
// and a blank line.
const people = "39, ?, Male, White, <=50K\n50, gov, Female, Black, >50K\n?, self, Male, Black, " +
	"<=50K\n" +
	"20, self, Female, White, >50K\n30, gov, Male, White, <=50K\n\n"

func openText(t *testing.T, text, query string) (*data.Dataset, error) {
	t.Helper()
	return Open("csv:"+write(t, text)+query, data.Options{})
}

// trainX returns all training samples.
func trainX(d *data.Dataset) (rows [][]float32) {
	for i := range d.Train.Len() {
		x := make([]float32, d.Shape.Len())
		d.Train.Read(x, i)
		rows = append(rows, x)
	}
	return rows
}

func TestCSVMissing(t *testing.T) {
	whole := strings.Repeat(people, 4) // enough for a test split of each class
	_, err := openText(t, whole, "?header=none&label=c5")
	for _, want := range []string{"table.csv: line 1, column \"c2\": missing value \"?\"",
		"missing=drop",
		"missing=category", "missing=mean"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("without missing= the error is %v, want %q", err, want)
		}
	}
	for query, want := range map[string]struct {
		features, samples int
	}{
		"&missing=drop":             {1 + 2 + 2 + 2, 12},
		"&missing=mean":             {1 + 3 + 2 + 2, 20},
		"&missing=category":         {2 + 3 + 2 + 2, 20},
		"&drop=c1,c2":               {2 + 2, 20},
		"&drop=c1,c2,c3":            {2, 20},
		"&drop=c2&missing=category": {2 + 2 + 2, 20},
	} {
		d, err := openText(t, whole, "?header=none&label=c5"+query)
		if err != nil {
			t.Errorf("opening it with %s: %v", query, err)
			continue
		}
		if n := d.Train.Len() + d.Test.Len(); n != want.samples || d.Shape.C != want.features {
			t.Errorf("%s: %d samples of %d features, want %+v", query, n, d.Shape.C, want)
		}
		if dropped := slices.Contains(d.Notes, "lines left out for a missing value: 8"); dropped !=
			(want.samples == 12) {
			t.Errorf("%s: notes %q", query, d.Notes)
		}
	}
	_, err = openText(t, "a,label\n1,x\n2,\n", "?missing=category")
	checkError(t, "a missing label", err,
		`line 3, column "label": missing value "": add missing=drop`)
}

// A missing number becomes the mean of the training split; with missing=category a second feature
// marks it.
func TestCSVMissingNumbers(t *testing.T) {
	text := "a,s,label\n1,train,x\n3,train,y\nNA,train,x\nNA,test,y\n100,test,x\n"
	d, err := openText(t, text, "?missing=category&split=s")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(trainX(d)), "[[-1 0] [1 0] [0 1]]"; got != want {
		t.Errorf("training samples are %s, want %s", got, want)
	}
	if d, err = openText(t, text, "?missing=mean&split=s"); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(trainX(d)), "[[-1] [1] [0]]"; got != want {
		t.Errorf("training samples are %s, want %s", got, want)
	}
}

// Groups are crossed, with the label if asked; combinations that do not occur are left out.
func TestCSVGroups(t *testing.T) {
	text := "sex,race,x,label\nF,1,0,a\nM,2,1,b\nM,1,2,a\nM,1,3,a\n"
	test := write(t, "sex,race,x,label\nM,2,0,a\n")
	for query, want := range map[string][]string{
		"?group=sex":           {"F", "M"},
		"?group=race":          {"1", "2"},
		"?group=sex,race":      {"F × race=1", "M × race=1", "M × race=2"},
		"?group=race,sex":      {"race=1 × F", "race=1 × M", "race=2 × M"},
		"?group=sex&cells=yes": {"a × F", "a × M", "b × M"},
		"?group=sex,race&cells=yes": {"a × F × race=1", "a × M × race=1", "a × M × race=2",
			"b × M × race=2"},
		"": {"a", "b"},
	} {
		mark := "?"
		if query != "" {
			mark = "&"
		}
		d, err := openText(t, text, query+mark+"test="+test)
		if err != nil {
			t.Errorf("opening it with %s: %v", query, err)
			continue
		}
		if !slices.Equal(d.Groups, want) {
			t.Errorf("%s: groups %q, want %q", query, d.Groups, want)
		}
		if d.Grouped != (query != "") {
			t.Errorf("%s: grouped %t, want %t", query, d.Grouped, query != "")
		}
		got := [...]int{d.Train.Group(0), d.Train.Group(1), d.Test.Group(0)}
		if want := [...]int{0, 2, 2}; query == "?group=sex,race" && got != want {
			t.Errorf("%s: two training samples and a test sample have groups %v, want %v", query,
				got, want)
		}
	}
}

// A split column gives the three splits, so val_fraction has no effect.
func TestCSVSplitColumn(t *testing.T) {
	text := "x,part,label\n1,train,a\n2,test,b\n3,val,a\n4,Train,b\n5,TEST,a\n"
	d, err := openText(t, text, "?split=part")
	if err != nil {
		t.Fatal(err)
	}
	checkLengths(t, "split=part", d, 2, 1, 2)
	if d.Shape.C != 1 {
		t.Errorf("%d features, want 1", d.Shape.C)
	}
	if got := d.Train.Label(1); got != 1 {
		t.Errorf("training sample 1 has label %d, want 1", got)
	}
	if got := d.Val.Label(0); got != 0 {
		t.Errorf("validation sample 0 has label %d, want 0", got)
	}
	_, err = Open("csv:"+write(t, text)+"?split=part", data.Options{ValFraction: .2})
	checkError(t, "two validation splits", err, "val_fraction must be 0")
	for query, want := range map[string]string{
		"?split=label": "cannot be both label and group or split",
		"?split=x": `"x" has "3" for a sample: ` +
			"a split is train, val or test",
		"?split=part&test_fraction=.2":       "test_fraction= has no use beside split",
		"?split=part&test=" + write(t, text): "split= has no use beside test",
	} {
		if _, err := openText(t, text, query); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v, want %q", query, err, want)
		}
	}
}

// The drawn test split depends on data_seed, has the size asked for, and takes the same share of
// every group.
func TestCSVDrawnSplit(t *testing.T) {
	var text strings.Builder
	text.WriteString("x,group,label\n")
	for i := range 400 {
		fmt.Fprintf(&text, "%d,%d,%d\n", i, i/4%10/9, i%4/3) // 3 to 1 labels, 9 to 1 groups
	}
	path := write(t, text.String())
	open := func(query string) *data.Dataset {
		d, err := Open("csv:"+path+query, data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	a, b, c := open(""), open("?data_seed=1"), open("?data_seed=1&test_fraction=.5")
	if fmt.Sprint(trainX(a)) == fmt.Sprint(trainX(b)) {
		t.Error("another data_seed leaves the same samples to train on")
	}
	checkLengths(t, "by default", a, 320, 0, 80)
	checkLengths(t, "data_seed=1", b, 320, 0, 80)
	checkLengths(t, "test_fraction=.5", c, 200, 0, 200)
	d, err := openText(t, text.String(), "?cells=yes&group=group&test_fraction=.5")
	if err != nil {
		t.Fatal(err)
	}
	if got := data.GroupCounts(d.Test, len(d.Groups)); !slices.Equal(got, []int{135, 15, 45, 5}) {
		t.Errorf("the test split's cells have %v samples", got)
	}
}

func TestCSVHeader(t *testing.T) {
	rows := strings.Repeat("1,2,3,a\n2,3,4,b\n", 5)
	d, err := openText(t, "n,,n,out\n"+rows, "?drop=n.1,c2")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`columns without a name are called "c2"`,
		`columns with the name of one before are called "n.1"`,
		`the label is the last column, "out": name it with label=`}
	if !slices.Equal(d.Notes, want) {
		t.Errorf("notes %q, want %q", d.Notes, want)
	}
	if d.Shape.C != 1 {
		t.Errorf("%d features, want 1", d.Shape.C)
	}
	many := testsize.Pick(1_000, 20_000, 20_000)
	d, err = openText(t, strings.Repeat(",", many)+strings.Repeat("n,", many)+"label\n"+
		strings.Repeat(strings.Repeat("1,", 2*many)+"a\n"+strings.Repeat("2,", 2*many)+
			"b\n", 5), "")
	want = []string{
		fmt.Sprintf(`columns without a name are called "c1", "c2", "c3" and %d more`, many-3),
		fmt.Sprintf(`columns with the name of one before are called "n.1", "n.2", "n.3" and %d more`,
			many-4)}
	if err != nil || !slices.Equal(d.Notes, want) {
		t.Errorf("a header that means harm: notes %.1000q, want %q; %v", d.Notes, want, err)
	}
	if d, err = openText(t, "n,label\n"+strings.Repeat("1,a\n2,b\n", 5), ""); err != nil ||
		len(d.Notes) > 0 {
		t.Errorf("a column named label: notes %q, %v", d.Notes, err)
	}
	_, err = openText(t, "39,77516,<=50K\n"+rows, "?label=c3")
	checkError(t, "a sample for a header", err, "if that is a sample, add header=none")
}

func TestCSVSeparators(t *testing.T) {
	for query, comma := range map[string]string{
		"?sep=tab":       "\t",
		"?sep=semicolon": ";",
		"?sep=;":         ";",
		"?sep=|":         "|",
		"?sep=space":     " ",
	} {
		text := strings.ReplaceAll("a,b,label\n1,2,x\n3,4,y\n1,2,x\n3,4,y\n1,2,x\n3,4,y\n",
			",", comma)
		d, err := openText(t, text, query+"&test_fraction=.4")
		if err != nil {
			t.Errorf("opening it with %s: %v", query, err)
		} else if d.Shape.C != 2 {
			t.Errorf("%s: %d features, want 2", query, d.Shape.C)
		}
	}
	path := filepath.Join(t.TempDir(), "t.tsv.gz")
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte("a\tlabel\n" + strings.Repeat("1\tx\n2\ty\n", 5)))
	z.Close()
	if err := os.WriteFile(path, packed.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	d, err := Open(path+"?label=label", data.Options{})
	if err != nil {
		t.Fatalf("a compressed table: %v", err)
	}
	checkLengths(t, "a compressed table", d, 8, 0, 2)
}

// The error names all columns that cannot be a feature at once, as the option that leaves them out.
func TestCSVTooWide(t *testing.T) {
	text := "id,n,name,z,label\n"
	for i := range 2 * table.MaxCategories {
		text += fmt.Sprintf("u%d,%d,v%d,%d,%d\n", i, i, i, i%3, i%2)
	}
	_, err := openText(t, text, "?drop=z")
	if err == nil || !strings.HasSuffix(err.Error(), "drop=z,id,name") {
		t.Fatalf("error is %v, want one that ends with %q", err, "drop=z,id,name")
	}
	if _, err := openText(t, text, "?drop=z,id,name"); err != nil {
		t.Error(err)
	}
}

func TestCSVOptions(t *testing.T) {
	for query, want := range map[string]string{
		"?label=c&label=d":          "label= is given twice",
		"?lable=c":                  `unknown option "lable": csv: takes label, group,`,
		"?missing=skip":             "missing=skip: give error, drop, mean, category",
		"?header=no":                "header=no: give yes, none",
		"?cells=yes":                "cells=yes is label × group: name the group too",
		"?sep=ab":                   "sep=ab: give one character",
		"?test_fraction=1":          "test_fraction=1: give a number between 0 and 1",
		"?data_seed=-1":             "data_seed=-1: give a whole number",
		"?drop=a,a":                 "names a column twice",
		"?drop=label":               `column "label" is dropped and used`,
		"?group=a,,b":               "twice or not at all",
		"?group=nowhere":            `no column "nowhere"`,
		"?drop=a,b":                 "no column is left",
		"?group=label":              "cannot be both",
		"?label=a&group=b&drop=c,b": `no column "c"`,
	} {
		_, err := openText(t, "a,b,label\n"+strings.Repeat("1,2,x\n3,4,y\n", 5), query)
		checkError(t, query, err, want)
	}
}
