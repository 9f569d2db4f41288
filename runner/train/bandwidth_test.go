package train

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner/data"
	"drolab/runner/data/source"
	"drolab/runner/spec"
)

// BenchmarkBandwidth compares an epoch of a linear model on mapped features, which visits each row
// once in random order, with reading as many bytes of memory in order, both by two threads. "share"
// is the share of that bandwidth that the epoch reaches, and "share-of-forward" is the share that
// an epoch of only loading and losses reaches.
func BenchmarkBandwidth(b *testing.B) {
	const rows, features = 200_000, 512
	src := mappedFeatures(b, rows, features)
	memory := bytes.Repeat([]byte{1}, 4*rows*features)
	for _, batch := range []int{128, 1024, 4096} {
		b.Run(fmt.Sprint("batch", batch), func(b *testing.B) {
			s := spec.Defaults()
			s.Model, s.Batch, s.Augment = "linear", batch, false
			r, err := benchRun(s, dro.ERM, src, 2, 2)
			if err != nil {
				b.Fatal(err)
			}
			defer r.Close()
			epoch := func(step func() error) func() error {
				return func() error {
					for range r.Meta.StepsPerEpoch {
						if err := step(); err != nil {
							return err
						}
					}
					return nil
				}
			}
			const pieces = 64
			inOrder := func() error { // a search takes vectors of bytes
				r.Net.(*native).net.RunEach(pieces, func(i int) {
					bytes.IndexByte(memory[i*len(memory)/pieces:(i+1)*len(memory)/pieces], 0)
				})
				return nil
			}
			ms := turns(b, epoch(r.train), epoch(r.forward), inOrder)
			b.ReportMetric(rows/middle(ms[0])/1e3, "Msamples/s")
			b.ReportMetric(4*rows*features/middle(ms[2])/1e6, "GB/s-in-order")
			b.ReportMetric(ratio(ms[2], ms[0]), "share")
			b.ReportMetric(ratio(ms[2], ms[1]), "share-of-forward")
		})
	}
}

// mappedFeatures returns the training split of NumPy files with the given number of rows, whose
// bytes are already in memory.
func mappedFeatures(b *testing.B, rows, features int) data.Source {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	x, y := make([]float32, rows*features), make([]int64, rows)
	for i := range x {
		x[i] = r.Float32() - .5
	}
	for i := range y {
		y[i] = int64(i % 2)
	}
	dir := b.TempDir()
	writeArray(b, filepath.Join(dir, "x.npy"), "<f4", fmt.Sprintf("%d, %d", rows, features), x)
	writeArray(b, filepath.Join(dir, "y.npy"), "<i8", fmt.Sprintf("%d,", rows), y)
	d, err := source.Open("npy:"+filepath.Join(dir, "x.npy")+"?y="+filepath.Join(dir, "y.npy")+
		"&test_fraction=.01", data.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { d.Close() })
	return d.Train
}

func writeArray(b *testing.B, path, kind, shape string, values any) {
	b.Helper()
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, shape)
	header += strings.Repeat(" ", 117-len(header)) + "\n"
	fmt.Fprintf(f, "\x93NUMPY\x01\x00\x76\x00%s", header)
	if err := binary.Write(f, binary.LittleEndian, values); err != nil {
		b.Fatal(err)
	}
}
