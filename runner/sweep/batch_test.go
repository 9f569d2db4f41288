package sweep

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestArraysOfAThousand: the indices of a Slurm array go up to MaxArraySize minus 1, which is 1000
// by default.
func TestArraysOfAThousand(t *testing.T) {
	f := made(t, strings.Replace(tiny, "seeds: 2", "seeds: 600", 1))
	batches, err := f.Batches(count(2400), nil, &Resources{Threads: 1, Time: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(batches); n != 3 {
		t.Fatalf("Batches() returns %d arrays, want 3", n)
	}
	last := f.job(&batches[2], &Resources{Threads: 1, Time: time.Hour}, nil)
	if want := "--array=0-397"; !slices.Contains(last, want) {
		t.Errorf("the last array is submitted with %q, want %q among them", last, want)
	}
	want := "$((2002 + SLURM_ARRAY_TASK_ID))"
	if command := last[len(last)-1]; !strings.HasSuffix(command, want) {
		t.Errorf("the command of the last array is %q, want one that ends with %q", command, want)
	}
}
