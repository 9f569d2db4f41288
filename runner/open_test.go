package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drolab/runner/data"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// An earlier version of the program drew the test split of a run by strata that were too small. The
// run is not measured on the test split of today, which has samples that it was trained on.
func TestOtherSplitsAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tiny.csv")
	table := "x,site,label\n"
	for i := range 200 {
		table += fmt.Sprintf("%d,s%d,%d\n", i*i, i/2, i%2)
	}
	if err := os.WriteFile(path, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	m := &Meta{ID: "old", Spec: spec.Defaults()}
	m.Spec.Dataset = "csv:" + path + "?group=site"
	d, err := data.Open(m.Spec.Dataset, m.DataOptions(""))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	m.Checksum, m.Parts = d.Checksum, measure.PartsOf(d)
	if again, err := m.OpenFor("", ""); err != nil {
		t.Fatal(err)
	} else {
		again.Close()
	}
	m.ClassCounts.Train[0] += 19
	if _, err := m.OpenFor("", ""); err == nil || !strings.Contains(err.Error(),
		"run old was trained on 179 samples of its data") {
		t.Errorf("another split is opened: %v", err)
	}
}
