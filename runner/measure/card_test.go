package measure

import (
	"bytes"
	"fmt"
	"math"
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
			t.Errorf("%v: %v, want %s", array, list, want)
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

// Twin columns may differ in a thousandth of the rows. Two columns of rare events are not twins.
func TestTwins(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	first := column("first", func(int) float64 { return float64(rng.IntN(50)) })
	differ := func(n int) data.Sampled {
		return column(fmt.Sprint(n), func(i int) float64 {
			if i < n {
				return -1
			}
			return first.Numbers[i]
		})
	}
	rare := func(at int) data.Sampled {
		return column("rare", func(i int) float64 { return float64((4000 - i + at) / 4000) })
	}
	for _, c := range []struct {
		name string
		b    data.Sampled
		a    data.Sampled
		want string
	}{
		{"equal", first, first, "are equal in 100 % of rows"},
		{"nearly", first, differ(4), "are equal in 99.9 % of rows"},
		{"not quite", first, differ(5), ""},
		{"other names", first, column("x", func(i int) float64 { return 7 - 3*first.Numbers[i] }),
			"say the same in other words"},
		{"one other name is of two", first, column("x",
			func(i int) float64 { return max(first.Numbers[i], 1) }), ""},
		{"two rare events", rare(1), rare(3), ""},
		{"two constants", column("x", func(int) float64 { return 1 }),
			column("y", func(int) float64 { return 1 }), ""},
		{"two identifiers", column("x", func(i int) float64 { return float64(i) }),
			column("y", func(i int) float64 { return float64(3 * i) }), ""},
	} {
		got := ""
		if list := twins(columns(c.a, c.b)); len(list) > 0 {
			got = list[0].words[2].(string)
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A column leaks where its AUROC is .97 or more, whichever way it grows and whatever its values
// are.
func TestLeaks(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	normal := func(shift float64) data.Sampled {
		return column("x", func(i int) float64 { return float64(i%2)*shift + rng.NormFloat64() })
	}
	for _, c := range []struct {
		name   string
		column data.Sampled
		want   bool
	}{
		{"noise", normal(0), false},
		{"informative, AUROC .92", normal(2), false},
		{"AUROC .983", normal(3), true},
		{"downwards", normal(-3), true},
		{"both ends", column("x", func(i int) float64 {
			return rng.NormFloat64() + float64(i%2*(6-12*rng.IntN(2)))
		}), true},
		{"a value of each row", column("x", func(i int) float64 { return float64(i) }), false},
	} {
		if got := len(leaks(columns(c.column))) > 0; got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// binormal makes a column whose AUROC is auroc in truth, for labels of which the first of every so
// many rows is positive: two normal distributions, the shift of which is √2·Φ⁻¹(AUROC).
func binormal(rng *rand.Rand, rows, every int, auroc float64) *evidence {
	shift := 2 * math.Erfinv(2*auroc-1) // √2·Φ⁻¹(p) is 2·erf⁻¹(2p − 1)
	c := data.Sampled{Name: "x"}
	e := &evidence{Dataset: &data.Dataset{Classes: []string{"no", "yes"}}, Sample: &data.Sample{}}
	for i := range rows {
		label := 0
		if i%every == 0 {
			label = 1
		}
		e.Labels = append(e.Labels, uint16(label))
		c.Numbers = append(c.Numbers, rng.NormFloat64()+shift*float64(label))
	}
	e.Columns = []data.Sampled{c}
	return e
}

// Few positives prove nothing: of columns whose AUROC is .844 in truth, none is called a leak,
// however few rows have the class. A column that is the label is one from 22 positives on, in a
// small table as well as in one of a rare class.
func TestLeaksOfFewPositives(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, c := range []struct{ rows, every int }{{4000, 200}, {4000, 160}, {4000, 4},
		{400, 16}, {60, 2}} {
		alarms := 0
		for range 100 {
			alarms += len(leaks(binormal(rng, c.rows, c.every, .844)))
		}
		if alarms > 0 {
			t.Errorf("%d positives of %d rows: %d alarms in 100, want none", c.rows/c.every,
				c.rows, alarms)
		}
	}
	for _, c := range []struct {
		rows, every int
		want        bool
	}{{4000, 160, true}, {4000, 182, true}, {4000, 191, false}, {50, 2, true}, {400, 100, false}} {
		e := binormal(rng, c.rows, c.every, .5)
		for i, label := range e.Labels {
			e.Columns[0].Numbers[i] = float64(label)
		}
		if got := len(leaks(e)) > 0; got != c.want {
			t.Errorf("the label itself, %d rows, one of %d positive: a leak is %v, want %v", c.rows,
				c.every, got, c.want)
		}
	}
}

// The Wilson interval of a share of as many rows as there are positives holds for the AUROC: at
// least 95 % of such intervals have the true AUROC in them.
func TestIntervalOfAUROC(t *testing.T) {
	const draws = 200
	rng := rand.New(rand.NewPCG(9, 10))
	for _, truth := range []float64{.7, .844, .95} {
		covered := 0
		for range draws {
			e := binormal(rng, 2000, 80, truth)
			var scored []scoreGroup
			for i, label := range e.Labels {
				scored = append(scored, scoreGroup{Score: e.Columns[0].Numbers[i],
					Of: float64(label), Others: 1 - float64(label)})
			}
			in := Wilson(AUROC(scored), newOneColumn(e).fewest)
			if in[0].Float() <= truth && truth <= in[1].Float() {
				covered++
			}
		}
		if covered < draws*95/100 {
			t.Errorf("AUROC %v: %d of %d intervals have it, want at least 95 %%", truth, covered,
				draws)
		}
	}
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
	if n := len(slices.DeleteFunc(slices.Clone(lines), func(s string) bool {
		return !isTwin(s)
	})); n != 1 || !strings.HasSuffix(lines[0], "drop=copy0 (and 29 more like that)") {
		t.Errorf("%d twins in %q", n, lines)
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

// Few whole numbers with gaps are codes; counts, many values and arrays are not.
func TestCodes(t *testing.T) {
	codes := ofEach(codes, data.AsFeature)
	of := func(values ...int) *evidence {
		return columns(column("x", func(i int) float64 { return float64(values[i%len(values)]) }))
	}
	many := make([]int, 30)
	for i := range many {
		many[i] = 2 * i
	}
	for name, e := range map[string]*evidence{"counts": of(0, 1, 2, 3), "many": of(many...),
		"two": of(1, 9)} {
		if list := codes(e); len(list) > 0 {
			t.Errorf("%s: %v", name, list)
		}
	}
	e := of(3, 6, 7)
	if list := codes(e); len(list) != 1 || list[0].words[1] != 3 {
		t.Errorf("thal: %v", list)
	}
	if e.array = true; len(codes(e)) > 0 {
		t.Error("an array has codes")
	}
}

// A column that is kept beside its use as the group is no twin of itself.
func TestKeptColumnIsNoTwin(t *testing.T) {
	sex := column("sex", func(i int) float64 { return float64(i / 2 % 2) })
	group := sex
	group.Role = data.AsGroup
	if list := keptTwins(columns(sex, group)); len(list) > 0 {
		t.Errorf("it is: %v", list)
	}
	copied := sex
	copied.Name = "gender"
	if list := keptTwins(columns(copied, group)); len(list) != 1 {
		t.Errorf("the twin of a group: %v", list)
	}
}

// Arrays with features that are tiny, or of very unlike spread, are told to be standardised.
func TestScales(t *testing.T) {
	wave := func(times float64) func(int) float64 {
		return func(i int) float64 { return times * float64(i%7) }
	}
	still := column("still", func(int) float64 { return 5 })
	for _, c := range []struct {
		name string
		of   []data.Sampled
		want string
	}{
		{"usual", []data.Sampled{column("a", wave(1)), column("b", wave(50)), still}, ""},
		{"tiny", []data.Sampled{column("a", wave(1e-3)), column("b", wave(2e-3)), still},
			"features range over 0.006 to 0.012: add scale=standard"},
		{"unlike", []data.Sampled{column("a", wave(1)), column("b", wave(1e4))},
			"features range over 6 to 6e+04: add scale=standard"},
		{"constant", []data.Sampled{still}, ""},
	} {
		e := columns(c.of...)
		e.array = true
		got := ""
		for _, row := range checks {
			if row.name == "scale" {
				for _, w := range row.warnings(e) {
					got += w.Text
				}
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if e.Mean = []float32{1}; len(scales(e)) > 0 { // they are standardised already
			t.Errorf("%s: standardised features are warned of", c.name)
		}
	}
}
