package data

import (
	"bytes"
	"slices"
	"testing"

	"drolab/runner/data/internal/dataset"
	"drolab/runner/data/internal/picture"
)

// The images in memory that an imbalance leaves are copied to memory of their own size, with the
// same samples.
func TestCompact(t *testing.T) {
	src := noise(20, Shape{C: 1, H: 2, W: 2})
	want := dataset.SubsetOf(src, []uint32{1, 4, 19}).(*dataset.ImageSubset)
	d := &Dataset{Train: want, Test: src}
	dataset.Compact(d)
	got := d.Train.(*dataset.Images)
	if len(got.Data) != 3*4 || got.Len() != 3 {
		t.Fatalf("%d bytes and %d labels are kept of 3 images of 4", len(got.Data), got.Len())
	}
	for i := range 3 {
		if !bytes.Equal(got.Pixels(nil, i), want.Pixels(nil, i)) || got.Label(i) != want.Label(i) {
			t.Errorf("sample %d differs", i)
		}
	}
}

// Groups that are not the classes stay with their samples, whether these are kept in memory or
// drawn there.
func TestGroupsSurvive(t *testing.T) {
	src := noise(40, Shape{C: 1, H: 2, W: 2})
	src.Groups = make([]uint16, src.Len())
	for i := range src.Groups {
		src.Groups[i] = uint16(300 + i)
	}
	for name, pack := range map[string]func(*Dataset){
		"compact": dataset.Compact, "render": Render} {
		d := &Dataset{Classes: picture.Numbers(10), Train: src, Test: src}
		if err := d.Restrict(Options{Samples: 30, Imbalance: PaperImbalance(),
			ValFraction: .5}); err != nil {
			t.Fatal(err)
		}
		train, val := d.Train, d.Val
		pack(d)
		for _, split := range [][2]Source{{d.Train, train}, {d.Val, val}} {
			got, want := split[0], split[1]
			if _, part := got.(*dataset.Images); !part || got.Len() != want.Len() ||
				want.Len() == 0 {
				t.Fatalf("%s gives a %T of %d samples for %d", name, got, got.Len(), want.Len())
			}
			for i := range want.Len() {
				if got.Group(i) != want.Group(i) || got.Label(i) != want.Label(i) ||
					got.Group(i) < 300 {
					t.Errorf("%s: sample %d of class %d and group %d has %d and %d",
						name, i, want.Label(i), want.Group(i), got.Label(i), got.Group(i))
				}
			}
		}
	}
}

func TestCounts(t *testing.T) {
	src := labelled{0, 1, 2, 2, 2}
	if got := ClassCounts(src, 3); !slices.Equal(got, []int{1, 1, 3}) {
		t.Errorf("classes have %v samples", got)
	}
	if got := GroupCounts(src, 3); !slices.Equal(got, []int{4, 1, 0}) {
		t.Errorf("groups have %v samples", got)
	}
}
