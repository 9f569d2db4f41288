package source

import (
	"fmt"
	"strings"
	"testing"

	"drolab/runner/data"
)

// A network refuses data of another kind with an error that names both kinds. A note says where
// features come without the names of their columns.
func TestOtherKindsOfData(t *testing.T) {
	images, rows := data.Encoder{Shape: data.Shape{C: 3, H: 32, W: 32},
		Classes: []string{"0", "1"}},
		data.Encoder{Shape: data.Shape{C: 2, H: 1, W: 1}, Classes: []string{"0", "1"}}
	row := func(i int) string { return fmt.Sprintf("%d,%d,%d", i, i%7, i%2) }
	table := "csv:" + tableOf(t, "a,b,label", 20, row) + "?label=label"
	parquet := "parquet:" + ofTests + "/plain.parquet?label=kind"
	for _, c := range []struct {
		name, dataset string
		e             data.Encoder
		want          string
	}{
		{"images, and a table", table, images,
			"the network takes 3×32×32 images, without names, and this is a table of 3 columns: " +
				"give it arrays"},
		{"images, and Parquet", parquet, images,
			"the network takes 3×32×32 images, without names, and this is a table"},
		{"features, and a table", table, rows,
			"the network takes 2×1×1, rows of 2 features, without names"},
		{"images, and drawn rows", "spurious", images,
			"its samples are 64×1×1, rows of 64 features, and the network takes 3×32×32 images"},
		{"features, and images", "shapes", rows,
			"its samples are 3×32×32 images, and the network takes 2×1×1, rows of 2 features"},
	} {
		t.Run(c.name, func(t *testing.T) {
			refused(t, c.dataset, data.Options{Encoder: &c.e, Samples: 100}, c.want)
		})
	}
	t.Run("a table, and features", func(t *testing.T) {
		trained, err := Open(table, data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer trained.Close()
		x := writeFile(t, "x.npy",
			string(npy(t, "<f4", "(4, 2)", []float32{1, 2, 3, 4, 5, 6, 7, 8})))
		d, err := Open("npy:"+x, data.Options{Encoder: &trained.Encoder})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if !strings.Contains(strings.Join(d.Notes, "; "), "these features are taken as they are") {
			t.Errorf("notes %q", d.Notes)
		}
	})
}
