//go:build unix

package pythontest

import (
	"encoding/json"
	"fmt"
	"testing"
)

// TestSeedsOfPrograms: the generators of a program begin with the seed of its run. Below 2^32 they
// begin as the seed sets them in NumPy and PyTorch. Above, seeds that agree in their last 32 bits,
// the only ones that both take, have draws of their own.
func TestSeedsOfPrograms(t *testing.T) {
	const below = 4
	seeds := []uint64{0, 1, 7, 1<<32 - 1,
		1 << 32, 1<<32 + 1, 2 << 32, 2<<32 + 7, 7 << 32, 1 << 63, 1<<63 + 1<<32, 1<<64 - 1}
	words := make([]string, len(seeds))
	for i, s := range seeds {
		words[i] = fmt.Sprint(s)
	}
	status, printed := order(t, "peer/draws.py", words...)
	var got []map[string]map[string]float64 // by seed, of a kind of job, by generator
	if status != 0 {
		t.Fatalf("draws.py ends with the status %d, want 0:\n%s", status, printed)
	}
	if err := json.Unmarshal([]byte(printed), &got); err != nil {
		t.Fatalf("draws.py prints what is no JSON: %v:\n%s", err, printed)
	}
	for i, s := range seeds {
		want := got[i]["want"]
		if (want != nil) != (i < below) {
			t.Fatalf("seed %d sets the generators %v, want some: %v", s, want, i < below)
		}
		for generator, w := range want {
			if g := got[i]["torch"][generator]; g != w {
				t.Errorf("seed %d: %s begins with %v, want %v", s, generator, g, w)
			}
			if g := got[i]["plain"][generator]; g != w && generator != "torch" {
				t.Errorf("seed %d without PyTorch: %s begins with %v, want %v", s, generator, g,
					w)
			}
		}
		if g, w := got[i]["plain"]["numpy"], got[i]["torch"]["numpy"]; g != w {
			t.Errorf("seed %d: NumPy begins with %v without PyTorch, want %v as beside it", s, g, w)
		}
	}
	for _, kind := range []string{"torch", "sample"} {
		for _, generator := range []string{"random", "numpy", "torch"} {
			seedOf := map[float64]uint64{}
			for i, s := range seeds {
				x := got[i][kind][generator]
				if other, twice := seedOf[x]; twice {
					t.Errorf("%s, %s: the seeds %d and %d both begin with %v, want different "+
						"numbers", kind, generator, other, s, x)
				}
				seedOf[x] = s
			}
		}
	}
}
