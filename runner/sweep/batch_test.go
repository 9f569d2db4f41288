package sweep

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestArraysOfAThousand: the indices of a Slurm array stay below MaxArraySize.
func TestArraysOfAThousand(t *testing.T) {
	f := made(t, strings.Replace(tiny, "seeds: 2", "seeds: 600", 1))
	stages, err := f.Batches(count(2400), &Resources{Threads: 1, Time: time.Hour})
	if err != nil || len(stages) != 1 || len(stages[0]) != 3 {
		t.Fatalf("%d stages, %v", len(stages), err)
	}
	last := f.job(&stages[0][2], &Resources{Threads: 1, Time: time.Hour}, nil)
	if !slices.Contains(last, "--array=0-399") ||
		!strings.HasSuffix(last[len(last)-1], "$((2000 + SLURM_ARRAY_TASK_ID))") {
		t.Error(last)
	}
}
