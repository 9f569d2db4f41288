package measure

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"drolab/dro/peertest"
)

// drawn returns scores with many ties. Each score belongs to one sample, or has a random weight.
func drawn(rng *rand.Rand, n, values int, weighted bool) (list []scoreGroup) {
	for range n {
		s := scoreGroup{Score: float64(rng.IntN(values)) / float64(values)}
		weight := 1.0
		if weighted {
			weight = rng.Float64() + .01
		}
		if rng.Float64() < .2+.5*s.Score {
			s.Of = weight
		} else {
			s.Others = weight
		}
		list = append(list, s)
	}
	return list
}

// AUROC is the share of pairs that are in order, here counted by the definition.
func TestAUROC(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, values := range []int{1, 2, 7, 1000} {
		list := drawn(rng, 200, values, values > 2)
		var won, pairs float64
		for _, a := range list {
			for _, b := range list {
				pairs += a.Of * b.Others
				switch {
				case a.Score > b.Score:
					won += a.Of * b.Others
				case a.Score == b.Score:
					won += a.Of * b.Others / 2
				}
			}
		}
		if got := AUROC(list); math.Abs(got.Float()-won/pairs) > 1e-12 {
			t.Errorf("%d values: %v, want %v", values, got, won/pairs)
		}
	}
	for _, list := range [][]scoreGroup{{{1, 1, 0}, {2, 3, 0}}, nil} {
		if n := AUROC(list); n.Applies() {
			t.Errorf("AUROC(%v), without others, is %v, want none", list, n)
		}
	}
	if got := AUROC([]scoreGroup{{math.NaN(), 1, 0}, {math.NaN(), 0, 1}}); got.Float() != .5 {
		t.Errorf("scores that are no numbers: %v", got)
	}
}

// AUROC agrees with scikit-learn's.
func TestAUROCAgainstPeer(t *testing.T) {
	peertest.Python(t, "sklearn")
	rng := rand.New(rand.NewPCG(3, 4))
	var lists [][]scoreGroup
	var sent [][][3]float64
	for _, values := range []int{2, 10, 1000, 1 << 30} {
		list := drawn(rng, 500, values, values == 10)
		var rows [][3]float64
		for _, s := range list {
			of := 0.0
			if s.Of > 0 {
				of = 1
			}
			rows = append(rows, [3]float64{s.Score, of, s.Of + s.Others})
		}
		lists, sent = append(lists, list), append(sent, rows)
	}
	text, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "lists.json")
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	out := peertest.Run(t, "sklearn", filepath.Join("peer", "auroc.py"), path)
	lines := strings.Fields(string(out))
	if len(lines) != len(lists) {
		t.Fatalf("scikit-learn has %d areas, want %d: %s", len(lines), len(lists), out)
	}
	for i, line := range lines {
		want, err := strconv.ParseFloat(line, 64)
		if err != nil {
			t.Fatal(err)
		}
		if got := AUROC(lists[i]).Float(); math.Abs(got-want) > 1e-12 {
			t.Errorf("AUROC() of list %d = %v, want %v, as scikit-learn", i, got, want)
		}
	}
}
