package loader

import (
	"testing"

	"drolab/runner/data"
	"drolab/runner/data/array"
)

// lastFirst and atOnce run tasks as the threads of a network may: in any order, or at the same
// time.
func lastFirst(n int, f func(int)) {
	for i := range n {
		f(n - 1 - i)
	}
}

func atOnce(n int, f func(int)) { data.OnEveryCore(n, f) }

// wideRows returns a source of rows of numbers so wide that a task copies a few of them, and the
// last task fewer.
func wideRows() data.Source {
	const rows, width = 50, blockBytes / 4 / 3
	x := array.Array{Name: "x", Kind: 'f', Size: 4, Dims: []int{rows, width}, Data: make([]byte,
		4*rows*width)}
	for i := range x.Data {
		if x.Data[i] = byte(i * 7 >> 3); i%4 == 3 {
			x.Data[i] = 0x3f // a number, and a finite one
		}
	}
	f, err := array.NewFeatures(x)
	if err != nil {
		panic(err)
	}
	labels, groups := make([]uint16, rows), make([]uint16, rows)
	for i := range labels {
		labels[i], groups[i] = uint16(i), uint16(2*i)
	}
	f.Marks = data.Marks{Labels: labels, Groups: groups}
	return f
}

// Threads that share a batch make the same batch as a single thread. A batch of images is left to
// one thread, because it draws in the order of its samples.
func TestSharedIsTheSame(t *testing.T) {
	for name, open := range loaders() {
		orders := map[string]func(int, func(int)){"last first": lastFirst, "at once": atOnce}
		for order, each := range orders {
			t.Run(name+" "+order, func(t *testing.T) {
				o := Options{Batch: 8, Seed: 9, Stream: 1}
				plain := must(t)(open(wideRows(), o))
				shares := 0
				o.Ahead, o.RunOnThreads = true, func(n int, f func(int)) { shares += n; each(n, f) }
				l := must(t)(open(wideRows(), o))
				defer l.Close()
				for range 20 {
					same(t, l, plain)
				}
				if l.ahead != nil || shares < 50 {
					t.Errorf("%d tasks for 20 batches of 8 rows, 3 a task; made ahead: %v", shares,
						l.ahead != nil)
				}
				never := func(int, func(int)) { t.Error("images are shared out") }
				images := must(t)(open(randomImages(50, data.Shape{C: 1, H: 4, W: 4}),
					Options{Batch: 8, RunOnThreads: never}))
				images.Next()
			})
		}
	}
}

// The panic of a task surfaces where the batch is asked for.
func TestSharedPanicsInNext(t *testing.T) {
	l := must(t)(NewSequential(panickingSource{wideRows()},
		Options{Batch: 4, RunOnThreads: atOnce}))
	l.Next()
	l.Next()
	defer func() {
		if p := recover(); p != "sample 9" {
			t.Errorf("recovered %v", p)
		}
	}()
	l.Next()
	t.Error("a panic of the source is lost")
}

// A row of an archive may have any address, and is copied right at each.
func TestRowsAtAnyAddress(t *testing.T) {
	const n = 700 // numbers: several pieces and a bit
	for at := range 9 {
		src, dst := make([]byte, 4*n+at), make([]float32, n)
		for i := range n {
			copy(src[at+4*i:], []byte{byte(i), byte(i >> 8), 0x80, 0x3f}) // 1 and a little
		}
		data.Decode32(dst, src[at:])
		for i, v := range dst {
			if v < 1 || v >= 1.01 {
				t.Fatalf("at %d: number %d is %v, want 1 to 1.01", at, i, v)
			}
			if i > 0 && v <= dst[i-1] {
				t.Fatalf("at %d: number %d is %v, want more than %v before it", at, i, v, dst[i-1])
			}
		}
	}
}

func TestSharedDoesNotAllocate(t *testing.T) {
	for _, inPlace := range []bool{false, true} {
		l := must(t)(NewEpochs(wideRows(), Options{Batch: 8, RunOnThreads: lastFirst,
			InPlace: inPlace}))
		if n := testing.AllocsPerRun(20, func() { l.Next() }); n > 0 {
			t.Errorf("in place %v: a batch takes %v allocations", inPlace, n)
		}
	}
}
