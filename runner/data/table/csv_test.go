package table_test

import (
	"math"
	"strings"
	"testing"

	"drolab/runner/data"
	"drolab/runner/data/table"
)

// A table that is accepted has the same number of rows in every column, and finite features.
func FuzzCSV(f *testing.F) {
	f.Add("a,b,label\n1,x,0\n2,y,1\n3,x,0\n")
	f.Add("# c\n\ufeffa,label\n\"1\n2\",3\n")
	f.Add("a,label,group\n1e308,0,g\n-1e308,1,h\n1,1,h\n")
	f.Add("a,label\n1,2\n1\n")
	f.Fuzz(func(t *testing.T, text string) {
		var fr table.Frame
		if err := fr.Read(strings.NewReader(text)); err != nil {
			return
		}
		d, err := fr.Dataset(fr.Rows, data.Draw{Fraction: data.TestShare, Seed: 1,
			AllTest: false})
		if err != nil {
			return
		}
		if d.Train.Len()+d.Test.Len() != fr.Rows {
			t.Fatalf("%d + %d samples of %d lines", d.Train.Len(), d.Test.Len(), fr.Rows)
		}
		if d.Groups == nil { // as Open does
			d.Groups = d.Classes
		}
		x := make([]float32, d.Shape.Len())
		for i := range d.Train.Len() {
			d.Train.Read(x, i)
			for j, v := range x {
				if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
					t.Fatalf("sample %d, feature %d is %v", i, j, v)
				}
			}
			if l, g := d.Train.Label(i), d.Train.Group(i); l >= len(d.Classes) ||
				g >= len(d.Groups) {
				t.Fatalf("sample %d has label %d, group %d", i, l, g)
			}
		}
	})
}
