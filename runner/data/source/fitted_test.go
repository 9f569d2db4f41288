package source

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"drolab/runner/data"
	"drolab/runner/data/picture"
)

// ownOfEachKind makes the user's own data in every format that is scaled by its training split,
// with one number or one grey picture per sample.
func ownOfEachKind(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	put := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const n = 60
	table, values, labels, grey := "x,word,label\n", []float32{}, []byte{}, []byte{}
	for i := range n {
		v := i * i % 251
		table += fmt.Sprintf("%d,w%d,%d\n", v, i, i%2)
		values, grey = append(values, float32(v)), append(grey, byte(v))
		labels = append(labels, byte(i%2))
		picture := image.NewGray(image.Rect(0, 0, 2, 2))
		for k := range 4 {
			picture.SetGray(k%2, k/2, color.Gray{byte(v)})
		}
		var b bytes.Buffer
		if err := png.Encode(&b, picture); err != nil {
			t.Fatal(err)
		}
		put(fmt.Sprintf("pictures/%d/%02d.png", i%2, i), b.Bytes())
	}
	put("x.npy", npy(t, "<f4", fmt.Sprintf("(%d, 1)", n), values))
	put("y.npy", npy(t, "|u1", fmt.Sprintf("(%d,)", n), labels))
	idx := func(dims []int, b []byte) []byte {
		out := []byte{0, 0, 8, byte(len(dims))}
		for _, d := range dims {
			out = binary.BigEndian.AppendUint32(out, uint32(d))
		}
		return append(out, b...)
	}
	for i, name := range picture.IDXFiles() {
		if i%2 == 0 {
			put("idx/"+name, idx([]int{n, 1, 1}, grey))
		} else {
			put("idx/"+name, idx([]int{n}, labels))
		}
	}
	return map[string]string{
		"csv":    "csv:" + put("t.csv", []byte(table)),
		"npy":    "npy:" + filepath.Join(dir, "x.npy") + "?y=y.npy&scale=standard",
		"images": "images:" + filepath.Join(dir, "pictures") + "?size=2&colour=grey",
		"idx":    "idx:" + filepath.Join(dir, "idx") + "?scale=standard",
	}
}

// momentsOfFirst returns the mean and the deviation of a split's first feature.
func momentsOfFirst(src data.Source) (mean, std float64) {
	x := make([]float32, src.Shape().Len())
	n := float64(src.Len())
	var square float64
	for i := range src.Len() {
		src.Read(x, i)
		mean += float64(x[0]) / n
		square += float64(x[0]) * float64(x[0]) / n
	}
	return mean, math.Sqrt(square - mean*mean)
}

// Scales and categories are fitted to the training split alone, because validation samples stand
// for data that it has not seen.
func TestFittedToTrainingAlone(t *testing.T) {
	for name, dataset := range ownOfEachKind(t) {
		t.Run(name, func(t *testing.T) {
			fit := func(o data.Options) (*data.Dataset, float64, float64) {
				o.Dir = t.TempDir()
				d, err := Open(dataset, o)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { d.Close() })
				mean, std := momentsOfFirst(d.Train)
				if d.Mean != nil {
					return d, math.Abs(mean - float64(d.Mean[0])), math.Abs(std - float64(d.Std[0]))
				}
				return d, math.Abs(mean), math.Abs(std - 1)
			}
			const near = 1e-4
			now, mean, std := fit(data.Options{ValFraction: .3})
			if mean > near || std > near {
				t.Errorf("mean and deviation are off by %v and %v of the training split's",
					mean, std)
			}
			if name == "csv" && len(now.Encoder.Columns[1].Categories) != now.Train.Len() {
				t.Errorf("%d categories of %d training samples",
					len(now.Encoder.Columns[1].Categories), now.Train.Len())
			}
		})
	}
}
