package table_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"drolab/runner/data"
	"drolab/runner/data/table"
)

// columnOf returns a column of the given cells.
func columnOf(t *testing.T, cells ...string) *table.Column {
	t.Helper()
	c := table.NewColumn("x", false)
	c.In = table.NewWords(1)
	for i, cell := range cells {
		var err error
		if c.In.Next()[0], err = c.Add(cell, i+1); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// A number agrees, to the bit, with what strconv makes of its text, whether it fits a word or not,
// and whether its column had few different numbers at first.
func TestNumbersAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	cells := []string{
		"0", "-0", "-0.0", "1e-320", "134217727", "134217728", "-13421772.7", "1e300", ".5", "5.",
		"+7", "0x1p-3", "0.00000000000001", "0.000000000000001", "-.25",
		"9007199254740993", "4.9e-324",
	}
	for len(cells) < 3000 {
		v := rng.NormFloat64() * math.Pow(10, float64(rng.IntN(12)-6))
		for _, digits := range []int{-1, 3, 8, 9, rng.IntN(14)} {
			cells = append(cells, strconv.FormatFloat(v, 'f', digits, 64),
				strconv.FormatFloat(v, 'g', digits, 32))
		}
	}
	for _, list := range [][]string{cells, cells[:table.MaxCategories]} {
		c := columnOf(t, append(slices.Clone(list), "")...)
		if few := len(list) < table.MaxCategories+1; few != (c.Dict != nil) || !c.Numeric {
			t.Fatalf("%d cells: numeric %v, by a list: %v", len(list), c.Numeric, c.Dict != nil)
		}
		for i, cell := range list {
			want, err := strconv.ParseFloat(cell, 64)
			if got := c.Value(c.In.Row(i)[0]); err != nil ||
				math.Float64bits(got) != math.Float64bits(want) {
				t.Errorf("%q is %v, want %v, %v", cell, got, want, err)
			}
		}
		if v := c.Value(c.In.Row(len(list))[0]); v == v || c.Missing != 1 {
			t.Errorf("a missing cell is %v, and %d are missing, want NaN and 1", v, c.Missing)
		}
	}
}

// A text makes its column not numeric, wherever it stands, and the list of the texts is kept. A
// column with a text and too many values is wide.
func TestColumnOfTexts(t *testing.T) {
	c := columnOf(t, "1", "2", "x", "2")
	if c.Numeric || c.Wide() {
		t.Errorf("numeric %t, wide %t, want neither", c.Numeric, c.Wide())
	}
	if got, want := c.Factor().Codes, []uint16{0, 1, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("codes %v, want %v", got, want)
	}
	if c.NotALine != 3 {
		t.Errorf("the first text is in line %d, want 3", c.NotALine)
	}
	var many []string
	for i := range 2 * table.MaxCategories {
		many = append(many, strconv.Itoa(i))
	}
	if c := columnOf(t, append(many, "x", "y")...); !c.Wide() || c.NotANum != "x" {
		t.Errorf("wide %t, the first text %q, want it wide and %q", c.Wide(), c.NotANum, "x")
	}
}

// Rows become features in their order, across blocks of any widths, in the memory that the rows
// took.
func TestRowsBecomeFeatures(t *testing.T) {
	for _, c := range []struct{ columns, width, rows int }{
		{1, 1, 10}, {3, 7, 200_000}, {7, 3, 90_001}, {data.BlockWords + 5, 2, 3},
		{2, data.BlockWords + 5, 3}, {5, 5, 3*data.BlockWords/5 + 1},
	} {
		w := table.NewWords(c.columns)
		for i := range c.rows {
			row := w.Next()
			row[0], row[c.columns-1] = uint32(i), uint32(i)
		}
		x, err := w.Features(c.width, func(dst []float32, cells []uint32) error {
			for k := range dst {
				dst[k] = float32(cells[c.columns-1]) + float32(k)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.rows {
			if row := x.Row(i); row[0] != float32(i) ||
				row[c.width-1] != float32(i)+float32(c.width-1) {
				t.Fatalf("%+v: row %d is %v...", c, i, row[0])
			}
		}
		words := c.rows * max(c.columns, c.width)
		if most := words/max(data.BlockWords, c.columns,
			c.width)*5/4 + 3; len(x.Blocks) > most &&
			c.width < data.BlockWords {
			t.Errorf("%+v: %d blocks", c, len(x.Blocks))
		}
	}
}

func TestMoments(t *testing.T) {
	for _, tt := range []struct {
		values    []float64
		mean, std float64
	}{
		{[]float64{0, 0}, 0, 1},
		{[]float64{7, 7, 7}, 7, 1},
		{[]float64{1, 3}, 2, 1},
		{[]float64{1e300, -1e300}, 0, 1e300},
		{[]float64{1.7e9, 1.7e9 + 2}, 1.7e9 + 1, 1},
	} {
		c := columnOf(t, strings.Fields(strings.Trim(fmt.Sprint(tt.values), "[]"))...)
		table.Moments([]*table.Column{c}, data.Indices(0, len(tt.values)), false)
		if math.Abs(c.Mean-tt.mean) > 1e-6*tt.std || math.Abs(c.Std/tt.std-1) > 1e-6 {
			t.Errorf("%v: mean %v, std %v, want %v, %v", tt.values, c.Mean, c.Std, tt.mean, tt.std)
		}
	}
}
