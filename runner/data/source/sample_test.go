package source

import (
	"fmt"
	"slices"
	"testing"

	"drolab/runner/data"
)

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
