package source

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/runner/data"
)

// patients is a table with a sensitive column, a code and a postcode.
func patients(t *testing.T, header string) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintln(&b, header)
	for i := range 40 {
		for k, name := range strings.Split(header, ",") {
			if k > 0 {
				b.WriteByte(',')
			}
			switch name {
			case "sex":
				b.WriteString([]string{"f", "m"}[i/2%2])
			case "thal":
				fmt.Fprint(&b, []int{3, 6, 7}[i%3])
			case "zip":
				fmt.Fprintf(&b, "0%d", 10+i%4)
			case "age":
				fmt.Fprint(&b, 20+i)
			case "label":
				fmt.Fprint(&b, i%2)
			}
		}
		b.WriteByte('\n')
	}
	return write(t, b.String())
}

// features returns the names of a table's features.
func features(d *data.Dataset) (names []string) {
	for _, c := range d.Encoder.Columns {
		names = append(names, c.Features()...)
	}
	return names
}

// A column of groups that is kept is a feature with the same values, also where another file has
// the columns in another order.
func TestKeptColumn(t *testing.T) {
	train, test := patients(t, "age,sex,label"), patients(t, "label,sex,age")
	d := opened(t, "csv:"+train+"?group=sex&keep=sex&test="+test, data.Options{})
	if got := features(d); !slices.Equal(got, []string{"age", "sex=f", "sex=m"}) ||
		!slices.Equal(d.Groups, []string{"f", "m"}) {
		t.Fatalf("features %q, groups %q", got, d.Groups)
	}
	x := make([]float32, 3)
	for _, src := range []data.Source{d.Train, d.Test} {
		for i := range src.Len() {
			if src.Read(x, i); x[1+src.Group(i)] != 1 || x[2-src.Group(i)] != 0 {
				t.Fatalf("sample %d of group %d is %v", i, src.Group(i), x)
			}
		}
	}
	parted := opened(t, "csv:"+train+"?group=sex&test="+test, data.Options{})
	if got := features(parted); !slices.Equal(got, []string{"age"}) {
		t.Errorf("without keep= the features are %q", got)
	}
}

// A network that was trained on a column takes files in which that column is the group as well.
func TestFeatureIsGroup(t *testing.T) {
	path := patients(t, "age,sex,label")
	plain := opened(t, "csv:"+path+"?test="+path, data.Options{})
	grouped := opened(t, "csv:"+path+"?group=sex", data.Options{Encoder: &plain.Encoder})
	a, b := make([]float32, 3), make([]float32, 3)
	for i := range plain.Test.Len() {
		plain.Test.Read(a, i)
		if grouped.Test.Read(b, i); !slices.Equal(a, b) || grouped.Test.Group(i) != i/2%2 {
			t.Fatalf("sample %d is %v in group %d, want %v", i, b, grouped.Test.Group(i), a)
		}
	}
	_, err := Open("csv:"+path+"?label=sex", data.Options{Encoder: &plain.Encoder})
	checkError(t, "a feature as the label", err, `column "sex" is the label`)
}

// Options tell codes from quantities, and a number that begins with a zero is a code.
func TestKindsOfColumns(t *testing.T) {
	path := patients(t, "thal,zip,label")
	codes := []string{"thal=3", "thal=6", "thal=7"}
	zips := []string{"zip=010", "zip=011", "zip=012", "zip=013"}
	for query, want := range map[string][]string{
		"":                              append([]string{"thal"}, zips...),
		"?categorical=thal":             append(slices.Clone(codes), zips...),
		"?numeric=zip":                  {"thal", "zip"},
		"?categorical=thal&numeric=zip": append(slices.Clone(codes), "zip"),
	} {
		if got := features(opened(t, "csv:"+path+query, data.Options{})); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
	many := "id,zip,label\n"
	for i := range 400 {
		many += fmt.Sprintf("%d,0%d,%d\n", i, i, i%2)
	}
	wide := filepath.Join(t.TempDir(), "wide.csv")
	if err := os.WriteFile(wide, []byte(many), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := features(opened(t, "csv:"+wide+"?numeric=zip", data.Options{})); len(got) != 2 {
		t.Errorf("numbers with leading zeros: %q", got)
	}
	both := path + "?categorical=thal&numeric=thal"
	for name, want := range map[string]string{
		path + "?keep=thal":                 "keep=thal: the column is a feature already",
		path + "?keep=label":                `column "label" is the label`,
		path + "?group=zip&categorical=zip": "categorical=zip: expected a feature",
		both:                                "numeric=thal: expected a feature that is named once",
		patients(t, "sex,label") + "?numeric=sex": `"f" is not a number, as numeric= says`,
		wide:                              "or numeric=zip reads numbers",
		wide + "?drop=zip&categorical=id": `column "id" has more than 128 different values`,
	} {
		_, err := Open("csv:"+name, data.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", filepath.Base(name), err, want)
		}
	}
}

// The words of pandas are missing values, but for the label's own, and na= gives others.
func TestMissingWords(t *testing.T) {
	text := "word,x,label\n"
	for i := range 40 {
		word := []string{"none", "None", "N/A", "unknown", ""}[i%5]
		text += fmt.Sprintf("%s,%d,%s\n", word, i, []string{"NA", "-"}[i%2])
	}
	path := write(t, text)
	for query, want := range map[string]struct {
		features []string
		marks    map[string]int
	}{
		"": {[]string{"word=", "word=none", "word=unknown", "x"},
			map[string]int{"": 8, "None": 8, "N/A": 8}},
		"&na=unknown": {[]string{"word=", "word=N/A", "word=None", "word=none", "x"},
			map[string]int{"": 8, "unknown": 8}},
	} {
		d := opened(t, "csv:"+path+"?missing=mean"+query, data.Options{})
		if got := features(d); !slices.Equal(got, want.features) {
			t.Errorf("%s: features %q, want %q", query, got, want.features)
		}
		if !maps.Equal(d.Marks, want.marks) {
			t.Errorf("%s: marks %v, want %v", query, d.Marks, want.marks)
		}
		if want := []string{"-", "NA"}; !slices.Equal(d.Classes, want) {
			t.Errorf("%s: classes %q, want %q", query, d.Classes, want)
		}
	}
}
