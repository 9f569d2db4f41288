package data

import (
	"bytes"
	"testing"
)

// What an imbalance leaves of images in memory is a copy of its own size with the same samples.
func TestCompact(t *testing.T) {
	src := noise(20, Shape{1, 2, 2})
	want := subsetOf(src, []uint32{1, 4, 19}).(*imageSubset)
	d := &Dataset{Train: want, Test: src}
	d.compact()
	got := d.Train.(*images)
	if len(got.data) != 3*4 || got.Len() != 3 {
		t.Fatalf("%d bytes and %d labels are kept of 3 images of 4", len(got.data), got.Len())
	}
	for i := range 3 {
		if !bytes.Equal(got.Pixels(nil, i), want.Pixels(nil, i)) || got.Label(i) != want.Label(i) {
			t.Errorf("sample %d differs", i)
		}
	}
}
