package measure

import (
	"testing"

	"drolab/runner/data"
)

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
			t.Errorf("codes() of %s finds %v, want nothing", name, list)
		}
	}
	e := of(3, 6, 7)
	if list := codes(e); len(list) != 1 || list[0].words[1] != 3 {
		t.Errorf("codes() of 3, 6 and 7 finds %v, want one column of 3 values", list)
	}
	if e.array = true; len(codes(e)) > 0 {
		t.Error("an array has codes")
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
