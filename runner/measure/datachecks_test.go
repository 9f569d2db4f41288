package measure

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/runner/data"
	"drolab/runner/data/source"
)

// table opens a table of the given numbers of numeric columns and categories, and a label.
func table(t testing.TB, rows, numbers, categories int) *data.Dataset {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	for k := range numbers + categories {
		fmt.Fprintf(&b, "x%d,", k)
	}
	b.WriteString("label\n")
	for range rows {
		for range numbers {
			fmt.Fprintf(&b, "%.4f,", rng.NormFloat64())
		}
		for range categories {
			fmt.Fprintf(&b, "%c,", 'a'+rng.IntN(10))
		}
		fmt.Fprintf(&b, "%d\n", rng.IntN(2))
	}
	path := filepath.Join(t.TempDir(), "table.csv")
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	d, err := source.Open("csv:"+path, data.Options{ValFraction: .2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// The checks find nothing in random data, neither in tables nor in arrays.
func TestNothingMisleads(t *testing.T) {
	d := table(t, 3000, 5, 5)
	if list := DataWarnings(d, 20); len(list) > 0 {
		t.Errorf("a table: %v", list)
	}
	if n := len(d.Sample.Labels); n != d.Sample.Rows && DataChecks(d) == "" {
		t.Errorf("%d of %d rows, and nobody says so", n, d.Sample.Rows)
	}
	d.Sample = nil // arrays have no sample
	if list := DataWarnings(d, 20); len(list) > 0 {
		t.Errorf("an array: %v", list)
	}
	spurious, err := source.Open("spurious", data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer spurious.Close()
	if list := DataWarnings(spurious, 20); len(list) > 0 {
		t.Errorf("spurious: %v", list)
	}
}

// Few rows, or features that are pictures, are no reason to fail.
func TestLittleToLookAt(t *testing.T) {
	d := table(t, 30, 2, 1)
	for _, w := range DataWarnings(d, 20) {
		if w.Columns != nil {
			t.Errorf("%+v of 30 rows", w)
		}
	}
	shapes, err := source.Open("shapes", data.Options{Samples: 100})
	if err != nil {
		t.Fatal(err)
	}
	defer shapes.Close()
	DataWarnings(shapes, 20)
}

// For an array, the remedy is no option, because an array has no option that leaves a feature out.
func TestRemedyOfArrays(t *testing.T) {
	d := table(t, 400, 1, 0)
	c := d.Sample.Columns[0]
	c.Name = "copy"
	d.Sample.Columns = append(d.Sample.Columns, c)
	e := newEvidence(d, 20)
	for array, want := range map[bool]string{false: "drop=copy", true: "take it out"} {
		e.array = array
		if list := twins(e); len(list) != 1 || list[0].words[3] != want {
			t.Errorf("twins() of an array (%v) finds %v, want one with the remedy %q", array, list,
				want)
		}
	}
}

// columns makes evidence of these columns, with a label that is 0 and 1 in turn.
func columns(list ...data.Sampled) *evidence {
	e := &evidence{Dataset: &data.Dataset{Classes: []string{"a", "b"}},
		Sample: &data.Sample{Columns: list}, minGroup: 20}
	for i := range list[0].Numbers {
		e.Labels = append(e.Labels, uint16(i%2))
	}
	return e
}

func column(name string, of func(i int) float64) data.Sampled {
	c := data.Sampled{Name: name}
	for i := range 4000 {
		c.Numbers = append(c.Numbers, of(i))
	}
	return c
}

// If there are many warnings, a log has the first of each check, and their number.
func TestLines(t *testing.T) {
	d := table(t, 400, 0, 1)
	for k := range 30 {
		c := d.Sample.Columns[0]
		c.Name = fmt.Sprint("copy", k)
		d.Sample.Columns = append(d.Sample.Columns, c)
	}
	lines := DataLines(d, 1000)
	isTwin := func(s string) bool { return strings.Contains(s, "are equal in") }
	equal := slices.DeleteFunc(slices.Clone(lines), func(s string) bool { return !isTwin(s) })
	if len(equal) != 1 {
		t.Errorf("%d lines tell of twins, want 1: %q", len(equal), lines)
	}
	if end := "drop=copy0 (and 29 more like that)"; !strings.HasSuffix(lines[0], end) {
		t.Errorf("the first line is %q, want one that ends with %q", lines[0], end)
	}
}

// BenchmarkCard measures the time that the warnings add to a run's start.
func BenchmarkCard(b *testing.B) {
	for _, c := range []struct{ rows, numbers, categories int }{
		{30_000, 7, 8}, {100_000, 15, 0}, {20_000, 500, 0},
	} {
		b.Run(fmt.Sprintf("%d×%d", c.rows, c.numbers+c.categories), func(b *testing.B) {
			d := table(b, c.rows, c.numbers, c.categories)
			for b.Loop() {
				DataLines(d, 20)
			}
		})
	}
}
