package source

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"drolab/dro/testsize"
	"drolab/runner/data"
)

// A sample holds the cells of rows that are spread evenly over the table, however many rows and
// columns there are.
func TestSample(t *testing.T) {
	number := func(cell string) (float64, bool) {
		v, err := strconv.ParseFloat(cell, 64)
		return v, err == nil
	}
	cell := func(row, column int) string {
		return []string{strconv.Itoa(row * (column + 1)), fmt.Sprint("c", row%7), "",
			[]string{"x", strconv.Itoa(row)}[min(1, row%5)], fmt.Sprint("id", row)}[column%5]
	}
	type tableSize struct{ rows, columns, most int }
	for _, c := range testsize.Few(3, tableSize{10, 5, 10}, tableSize{4096, 5, 4096},
		tableSize{4097, 5, 2049}, tableSize{50_000, 5, 4096}, tableSize{20_000, 1000, 262}) {
		s := data.NewSampler(make([]string, c.columns))
		cells := make([]string, c.columns)
		for row := range c.rows {
			if !s.Wants(row) {
				continue
			}
			for k := range cells {
				cells[k] = cell(row, k)
			}
			s.Add(row, cells, number)
		}
		if n := len(s.Origin); n > c.most || n < min(c.rows, c.most)/2 {
			t.Errorf("%+v: %d rows", c, n)
		}
		places, columns := make([]int, len(s.Origin)), make([]data.Sampled, c.columns)
		for i := range places {
			places[i] = i
		}
		for k := range columns {
			columns[k] = s.Column(k, places)
		}
		stride := int(s.Origin[min(1, len(s.Origin)-1)])
		for i, row := range s.Origin {
			if int(row) != i*stride {
				t.Fatalf("%+v: row %d is at %d", c, row, i)
			}
			for k := range columns {
				want := cell(int(row), k)
				got, isText := columns[k].Text(i)
				if !isText {
					got = strconv.FormatFloat(columns[k].Numbers[i], 'f', -1, 64)
				}
				if got != want {
					t.Fatalf("%+v: row %d, column %d: %q, want %q", c, row, k, got, want)
				}
			}
		}
		for _, column := range columns {
			if len(column.Texts) > len(s.Origin) {
				t.Errorf("%+v: %d texts", c, len(column.Texts))
			}
		}
	}
	if data.NewSampler(make([]string, 5000)).Wants(0) {
		t.Error("too many columns are looked at")
	}
}

// Test rows that also occur in training are counted by their numbers, not by the form in which
// these are kept.
func TestRepeatedRows(t *testing.T) {
	long := func(i int) string { return fmt.Sprintf("%d.123456789012,%d,%d", i, i%3, i%2) }
	train := tableOf(t, "a,b,label", 500, long)
	test := tableOf(t, "a,b,label", 100, func(i int) string { return long(i * 10) })
	d, err := Open("csv:"+train+"?test="+test, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if s := d.Sample; s.Test != 100 || s.Repeated != 50 {
		t.Errorf("%d of %d test rows are repeated, want 50 of 100", s.Repeated, s.Test)
	}
	if d.Sample.Every != 1 {
		t.Errorf("one row in %d is looked at, want every one", d.Sample.Every)
	}
	if d.Sample.Twice != 0 {
		t.Errorf("a share of %v of the training rows is there twice, want none", d.Sample.Twice)
	}
	few := tableOf(t, "a,label", 30, func(i int) string {
		return fmt.Sprintf("%d,%d", max(i-10, 0), i%2)
	})
	d, err = Open("csv:"+few+"?test="+few, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if got := d.Sample.Repeated; got != 30 {
		t.Errorf("%d test rows are repeated, want 30", got)
	}
	if got, want := d.Sample.Twice, 11./30; got != want {
		t.Errorf("a share of %v of the training rows is there twice, want %v", got, want)
	}
}

// The sample has the training and validation rows, and no row of the test split.
func TestSampleOfSplits(t *testing.T) {
	table := tableOf(t, "a,part,label", 600, func(i int) string {
		return fmt.Sprintf("%d,%s,%d", i, []string{"train", "test", "train"}[i%3], i%2)
	})
	d, err := Open("csv:"+table+"?split=part", data.Options{ValFraction: .25})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for i, v := range d.Sample.Columns[0].Numbers {
		if int(v)%3 == 1 {
			t.Fatalf("row %v is a test row", v)
		}
		if int(d.Sample.Labels[i]) != int(v)%2 {
			t.Fatalf("row %v has label %d", v, d.Sample.Labels[i])
		}
	}
	checkLengths(t, "split=part", d, 300, 100, 200)
	if n := len(d.Sample.Labels); n != 400 || d.Sample.Rows != 400 {
		t.Errorf("the sample has %d rows of %d, want 400 of 400", n, d.Sample.Rows)
	}
	roles := []data.Role{data.AsFeature, data.AsSplit, data.AsLabel}
	for i, c := range d.Sample.Columns {
		if c.Role != roles[i] {
			t.Errorf("column %s is %d", c.Name, c.Role)
		}
	}
	e, err := Open("csv:"+table+"?split=part", data.Options{Encoder: &d.Encoder})
	if err != nil {
		t.Fatalf("for a network: %v", err)
	}
	if e.Sample != nil {
		t.Errorf("for a network: a sample of rows, want none: %+v", e.Sample)
	}
	if !slices.Equal(e.Classes, d.Classes) {
		t.Errorf("for a network: classes %q, want %q", e.Classes, d.Classes)
	}
}
