package report

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner/record"
	"drolab/runner/record/recordtest"
)

// folder is a folder of runs with the reports on them.
type folder struct{ *recordtest.Folder }

func newFolder(t testing.TB) *folder { return &folder{recordtest.NewFolder(t)} }

// addPaperArms adds four seeds of each method that the paper compares, at a radius.
func (f *folder) addPaperArms(rho float64) {
	f.AddFour(recordtest.Result{Method: dro.SFK, Rho: rho, TrainLoss: .5, TestLoss: .9, Worst: .40,
		Risk:      2,
		Objective: []float64{3, 2, 1.4}, Speed: 75})
	f.AddFour(recordtest.Result{Method: dro.PGD, Rho: rho, TrainLoss: .4, TestLoss: 1.2, Worst: .40,
		Risk:      2,
		Objective: []float64{3.2, 2.2, 1.2}})
	f.AddFour(recordtest.Result{Method: dro.ERM, Rho: rho, TrainLoss: .1, TestLoss: 1, Worst: .60,
		Risk: 3})
}

// recorded returns a study that comes with the program, with changes of its text.
func recorded(t testing.TB, name string, changes ...string) *Study {
	t.Helper()
	text, err := os.ReadFile("../../presets/recorded/" + name + "/study.yaml")
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.NewReplacer(changes...).Replace(string(text))
	s, errs := ParseStudy(filepath.Join("testdata", name+".yaml"), []byte(changed))
	if len(errs) > 0 {
		t.Fatalf("ParseStudy of %s: %v", name, errors.Join(errs...))
	}
	return s
}

// onShapes returns the paper's study of runs of shapes.
func onShapes(t testing.TB) *Study {
	s := recorded(t, "paper", "{preset: paper-gentle}", "{preset: shapes.yaml, rho: 0.5}",
		"{preset: paper}", "{preset: shapes.yaml, rho: 1.5}", "seeds: 1-4", "seeds: 1-10",
		"  preset: paper\n", "")
	s.Published, s.Reproduction, s.Sensitivity = nil, nil, nil
	return s
}

// report judges the runs by the paper's study on shapes or, if any run has a preset of the paper,
// by the paper's study.
func (f *folder) report() *Report {
	f.Helper()
	s := onShapes(f)
	if slices.ContainsFunc(f.Runs, func(r *record.Run) bool {
		return strings.HasPrefix(r.Meta.Preset, "paper")
	}) {
		s = recorded(f, "paper")
	}
	r, err := New(s, f.Runs, Options{Interim: true})
	f.Must(err)
	return r
}

func (f *folder) claim(r *Report, key, problem, a, b string) *Finding {
	f.Helper()
	for _, c := range r.claims() {
		if c.Key == key && c.Problem == problem && c.A == a && c.B == b {
			return c
		}
	}
	f.Fatalf("no claim %s of %s and %s on %s", key, a, b, problem)
	return nil
}
