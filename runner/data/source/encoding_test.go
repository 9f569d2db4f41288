package source

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"drolab/runner/data"
)

// wideText returns a text in UTF-16, with the larger byte first or last, without a byte-order mark.
func wideText(text string, largerFirst bool) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(text)) {
		if largerFirst {
			b = append(b, byte(u>>8), byte(u))
		} else {
			b = append(b, byte(u), byte(u>>8))
		}
	}
	return string(b)
}

// A table reads the same in every encoding. A table that is not in the given encoding is refused.
func TestEncodings(t *testing.T) {
	text := "a,ville,label\n"
	for i := range 40 {
		text += fmt.Sprintf("%d,%s,%s\n", i, []string{"Orléans", "Nîmes"}[i/2%2],
			[]string{"été", "hiver"}[i%2])
	}
	latin := strings.NewReplacer("é", "\xe9", "î", "\xee").Replace(text)
	want, err := Open("csv:"+write(t, text), data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer want.Close()
	for name, file := range map[string]struct{ text, option string }{
		"Latin-1":             {latin, "latin1"},
		"Windows":             {latin, "cp1252"},
		"UTF-16":              {wideText("\ufeff"+text, false), "utf16"},
		"UTF-16, large first": {wideText("\ufeff"+text, true), "utf16"},
		"without a mark":      {wideText(text, false), "utf16"},
		"either way":          {wideText(text, true), "utf16"},
		"UTF-8":               {text, "utf8"},
	} {
		d, err := Open("csv:"+write(t, file.text)+"?encoding="+file.option, data.Options{})
		if err != nil {
			t.Errorf("%s: opening it: %v", name, err)
			continue
		}
		defer d.Close()
		if !slices.Equal(d.Classes, want.Classes) {
			t.Errorf("%s: classes %q, want %q", name, d.Classes, want.Classes)
		}
		got, as := d.Encoder.Columns[1].Categories, want.Encoder.Columns[1].Categories
		if !slices.Equal(got, as) {
			t.Errorf("%s: categories %q, want %q", name, got, as)
		}
		if got, as := values(d.Train), values(want.Train); !slices.Equal(got, as) {
			t.Errorf("%s: the training samples are %v, want %v", name, got, as)
		}
		if d.Encoder.Options["encoding"] != file.option {
			t.Errorf("%s: further files are read by %v", name, d.Encoder.Options)
		}
	}
	for _, c := range []struct{ text, options, want string }{
		{"a,label\n\x81,x\n", "?encoding=cp1252",
			`line 2, column 1: "�" has a character that encoding=cp1252 lacks`},
		{"\x81,label\n1,x\n", "?encoding=cp1252", "line 1, column 1"},
		{text, "?encoding=utf16", "line 1: is not UTF-16: leave encoding=utf16 out"},
		{wideText("a,label\n1,x\n", false) + "\x00\xd8" + wideText(",x\n", false),
			"?encoding=utf16", "has a character that encoding=utf16 lacks"},
		{text, "?encoding=utf7", "encoding=utf7: give utf8, latin1, cp1252, utf16"},
	} {
		refused(t, "csv:"+write(t, c.text)+c.options, data.Options{}, c.want)
	}
}

// The commonest categories are those of the training rows; all others count as one category.
func TestCommonestCategories(t *testing.T) {
	text := tableOf(t, "job,code,label", 3000, func(i int) string {
		return fmt.Sprintf("job%d,%d,%d", i%23*(i%29), i%500, i%2)
	})
	refused(t, "csv:"+text, data.Options{}, "categories=top:20 keeps the commonest, or drop=job")
	for _, n := range []string{"top:0", "top:129", "top:x", "20", "all"} {
		refused(t, "csv:"+text+"?categories="+n, data.Options{}, "give top:N, as in top:20")
	}
	d, err := Open("csv:"+text+"?categories=top:5", data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	job, code := d.Encoder.Columns[0], d.Encoder.Columns[1]
	if len(job.Categories) != 6 || job.Categories[5] != "(other)" {
		t.Fatalf("the categories of job are %q, want five and %q", job.Categories, "(other)")
	}
	if !job.Rest {
		t.Error("the column job has no category for the others")
	}
	if !slices.Contains(job.Categories, "job0") {
		t.Errorf("the categories of job are %q, want job0 among them", job.Categories)
	}
	if code.Categories != nil {
		t.Errorf("the categories of code are %q, want none of numbers", code.Categories)
	}
	if d.Shape.C != 7 {
		t.Fatalf("%d features, want 7", d.Shape.C)
	}
	x := make([]float32, 7)
	others := 0
	for i := range d.Train.Len() {
		d.Train.Read(x, i)
		if sum := x[0] + x[1] + x[2] + x[3] + x[4] + x[5]; sum != 1 {
			t.Fatalf("row %d is %v", i, x)
		}
		others += int(x[5])
	}
	if share := float64(others) / float64(d.Train.Len()); share < .5 || share > .99 {
		t.Errorf("a share of %v has other categories, want .5 to .99", share)
	}
	other := write(t, "label,code,job\n1,3,never seen\n0,4,job0\n")
	e, err := Open("csv:"+other, data.Options{Encoder: &d.Encoder})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if v := d.Encoder.Values(values(e.Test)[:7]); v[0].Text != "(other)" {
		t.Errorf("a value that is new is %q", v[0].Text)
	}
}

// The columns of test files are found by name, in any order, and other columns may stand beside
// them.
func TestColumnsByName(t *testing.T) {
	row := func(i int) string { return fmt.Sprintf("%d,%d,x%d,%d", i, i*i, i%3, i%2) }
	train := tableOf(t, "a,b,c,label", 60, row)
	same := tableOf(t, "a,b,c,label", 30, row)
	mixed := tableOf(t, "label,new,c,a,b", 30, func(i int) string {
		return fmt.Sprintf("%d,?,x%d,%d,%d", i%2, i%3, i, i*i)
	})
	want, err := Open("csv:"+train+"?test="+same, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer want.Close()
	for _, test := range []string{mixed, same + "+" + mixed, mixed + "+" + same} {
		d, err := Open("csv:"+train+"?test="+test, data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if got := values(d.Test); !slices.Equal(got[:len(values(want.Test))],
			values(want.Test)) || d.Test.Label(1) != want.Test.Label(1) {
			t.Errorf("%s: other samples", test)
		}
	}
	short := write(t, "label,c,a\n1,x1,3\n")
	refused(t, "csv:"+train+"?test="+short, data.Options{}, short+
		`: line 1: no column "b", which the training file has: the columns are ["label" "c" "a"]`)
	d, err := Open("csv:"+train+"?drop=b&test="+short, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
}
