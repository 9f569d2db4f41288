package page

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestLongTable: a table whose rows are made as they are read is written as one that has them.
func TestLongTable(t *testing.T) {
	var fields Fields[int]
	fields.Words("name", func(i int) string { return fmt.Sprint("n", i) })
	fields.Add("value", func(i int) string { return Exact(float64(i) / 3) })
	records := Indices(50)
	for _, f := range Formats() {
		var long, short bytes.Buffer
		if err := f.Write(&long, fields.Long(records)); err != nil {
			t.Errorf("%s of rows that are made: %v", f.Name, err)
		}
		if err := f.Write(&short, fields.Table(records, nil)); err != nil {
			t.Errorf("%s of rows that are there: %v", f.Name, err)
		}
		if got, want := long.String(), short.String(); got != want {
			t.Errorf("%s of rows that are made is %q, want %q", f.Name, got, want)
		}
	}
}

// TestRanks: a rank belongs to the row that it was given with.
func TestRanks(t *testing.T) {
	var fields Fields[int]
	fields.Words("", func(i int) string { return fmt.Sprint(i) })
	table := fields.Table([]int{7, 3}, func(i int) float64 { return -float64(i) })
	table.Add("sum")
	table.Rank(5, "five")
	if got := fmt.Sprint(table.Ranks); got != "map[0:-7 1:-3 3:5]" {
		t.Errorf("ranks %s of %v, want map[0:-7 1:-3 3:5]", got, table.Rows)
	}
	turned := New("", "a", "b")
	turned.Add("x", "1", "2")
	turned = turned.Transpose()
	if got := strings.Join(turned.Heads(), "|"); got != "|x" {
		t.Errorf("turned, the heads are %s, want |x", got)
	}
	if got := fmt.Sprint(turned.Rows); got != "[[a 1] [b 2]]" {
		t.Errorf("turned, the rows are %s, want [[a 1] [b 2]]", got)
	}
}

// TestSort: numbers come before words and words before nothing, both ways.
func TestSort(t *testing.T) {
	texts := []string{"b", "", "10", "NaN", "9", "a", "", "-Inf"}
	for down, want := range map[bool]string{
		false: "-Inf 9 10 NaN a b  ", true: "10 9 -Inf b a NaN  "} {
		list := slices.Clone(texts)
		Sort(list, down, KeyOf)
		if got := strings.Join(list, " "); got != want {
			t.Errorf("down %v: %q, want %q", down, got, want)
		}
	}
	if (Key{Number: math.NaN()}).Compare(KeyOf("x"), false) <= 0 {
		t.Error("nothing comes before a word")
	}
}
