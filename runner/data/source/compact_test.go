package source

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"drolab/runner/data"
	"drolab/runner/data/picture"
	"drolab/runner/data/synthetic"
)

// randomImages returns a small image source of random bytes.
func randomImages(n int, sh data.Shape) *data.Images {
	rng := rand.New(rand.NewPCG(1, 2))
	s := &data.Images{Marks: data.NewLabels(n), Dims: sh, Data: make([]byte, n*sh.Len()),
		Stride: sh.Len()}
	for i := range s.Data {
		s.Data[i] = byte(rng.Uint32())
	}
	for i := range s.Labels {
		s.Labels[i] = uint16(i % 3)
	}
	return s
}

// The images in memory that an imbalance leaves are copied to memory of their own size, with the
// same samples.
func TestCompact(t *testing.T) {
	src := randomImages(20, data.Shape{C: 1, H: 2, W: 2})
	want := data.SubsetOf(src, []uint32{1, 4, 19}).(*data.ImageSubset)
	d := &data.Dataset{Train: want, Test: src}
	data.Compact(d)
	got := d.Train.(*data.Images)
	if len(got.Data) != 3*4 || got.Len() != 3 {
		t.Fatalf("%d bytes and %d labels are kept of 3 images of 4", len(got.Data), got.Len())
	}
	for i := range 3 {
		if a, b := got.Pixels(nil, i), want.Pixels(nil, i); !bytes.Equal(a, b) {
			t.Errorf("sample %d has the pixels %v, want %v", i, a, b)
		}
		if a, b := got.Label(i), want.Label(i); a != b {
			t.Errorf("sample %d has label %d, want %d", i, a, b)
		}
	}
}

// Groups that are not the classes stay with their samples, whether these are kept in memory or
// drawn there.
func TestGroupsSurvive(t *testing.T) {
	src := randomImages(40, data.Shape{C: 1, H: 2, W: 2})
	src.Groups = make([]uint16, src.Len())
	for i := range src.Groups {
		src.Groups[i] = uint16(300 + i)
	}
	for name, pack := range map[string]func(*data.Dataset){
		"compact": data.Compact, "render": synthetic.Render} {
		d := &data.Dataset{Classes: picture.Numbers(10), Train: src, Test: src}
		if err := d.Restrict(data.Options{Samples: 30, Imbalance: data.PaperImbalance(),
			ValFraction: .5}); err != nil {
			t.Fatal(err)
		}
		train, val := d.Train, d.Val
		pack(d)
		for _, split := range [][2]data.Source{{d.Train, train}, {d.Val, val}} {
			got, want := split[0], split[1]
			if _, part := got.(*data.Images); !part {
				t.Fatalf("%s gives a %T, want a *data.Images", name, got)
			}
			if want.Len() == 0 || got.Len() != want.Len() {
				t.Fatalf("%s gives %d samples, want %d, and some", name, got.Len(), want.Len())
			}
			for i := range want.Len() {
				if got.Label(i) != want.Label(i) {
					t.Errorf("%s: sample %d has class %d, want %d", name, i, got.Label(i),
						want.Label(i))
				}
				if got.Group(i) != want.Group(i) || got.Group(i) < 300 {
					t.Errorf("%s: sample %d has group %d, want %d, from 300 on", name, i,
						got.Group(i), want.Group(i))
				}
			}
		}
	}
}

func TestCounts(t *testing.T) {
	src := labelled{0, 1, 2, 2, 2}
	if got := data.ClassCounts(src, 3); !slices.Equal(got, []int{1, 1, 3}) {
		t.Errorf("classes have %v samples", got)
	}
	if got := data.GroupCounts(src, 3); !slices.Equal(got, []int{4, 1, 0}) {
		t.Errorf("groups have %v samples", got)
	}
}
