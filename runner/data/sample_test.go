package data_test

import (
	"fmt"
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
