package kern

import "testing"

var batchSizes = []int{1, 7, 16, 100, 128, 130}

func TestNewBatch(t *testing.T) {
	for n, want := range map[int]Batch{
		0: {1, 1, 16}, 1: {1, 1, 16}, 17: {17, 1, 32}, 64: {64, 1, 64},
		65: {65, 2, 48}, 128: {128, 2, 64}, 130: {130, 3, 48},
	} {
		if got := NewBatch(n); got != want {
			t.Errorf("NewBatch(%d) = %+v, want %+v", n, got, want)
		}
	}
}
