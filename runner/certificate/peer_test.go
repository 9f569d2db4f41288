package certificate

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"drolab/dro/peertest"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// The predictions of scikit-learn's gradient boosting have the figures that scikit-learn computes,
// from CSV and from Parquet.
func TestAgainstScikitLearn(t *testing.T) {
	const modules = "sklearn numpy pyarrow"
	peertest.Python(t, "sklearn", "numpy", "pyarrow")
	in := func(name string) string { return filepath.Join(t.TempDir(), name) }
	table, text, parquet := in("adult.data"), in("predictions.csv"), in("predictions.parquet")
	peertest.Run(t, modules, "../data/source/peer/adult.py", table, "--n", "6000")
	out := peertest.Run(t, modules, "peer/boosted.py", table, text, parquet)
	var want map[string]float64
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{text, parquet} {
		p, err := ReadPredictions(t.Context(), path, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		store, err := record.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		m, err := p.Import(store, Import{Method: "boosting", File: path, Spec: spec.Defaults()})
		if err != nil {
			t.Fatal(err)
		}
		r, err := record.Find(store.Dir(), m.ID)
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range want {
			is(t, r, name, value)
		}
	}
	if len(want) != 4 {
		t.Errorf("figures of scikit-learn: %v", want)
	}
}
