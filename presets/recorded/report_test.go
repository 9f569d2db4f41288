package recorded

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"drolab/dro/peertest"
	"drolab/runner/record"
	"drolab/runner/report"
	"drolab/runner/report/paper"
)

// python runs the script that recomputes the figures of the report.
func python(t *testing.T, needs string, args ...string) {
	t.Helper()
	t.Logf("%s", peertest.Run(t, needs, "../../runner/report/peer/check.py", args...))
}

// written writes the report of the runs to a JSON file and a Markdown page, and returns their
// paths.
func written(t *testing.T, runs []*record.Run) (asJSON, page string) {
	t.Helper()
	s, err := StudyOf(runs)
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.New(s, runs, report.Options{Publication: paper.Of(s),
		Interim: s == nil || s.Registered.IsZero()})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	asJSON, page = filepath.Join(dir, "report.json"), filepath.Join(dir, "report.md")
	for name, text := range map[string]string{asJSON: string(text), page: r.Page().Markdown()} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return asJSON, page
}

// TestRecordedFiguresAgain recomputes the figures of the recorded runs with NumPy.
func TestRecordedFiguresAgain(t *testing.T) {
	peertest.Python(t, "numpy")
	for _, of := range []string{"paper", "registered"} {
		t.Run(of, func(t *testing.T) {
			runs, err := Find(Scheme + of)
			if errors.Is(err, ErrEmpty) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			asJSON, page := written(t, runs)
			dir := t.TempDir()
			args := []string{"--report", asJSON, "--page", page}
			for _, r := range runs {
				file := filepath.Join(of, r.Meta.ID+record.PackedExt)
				out, err := exec.Command("tar", "xzf", file, "-C", dir).CombinedOutput()
				if err != nil {
					t.Skipf("tar: %v %s", err, out)
				}
				args = append(args, filepath.Join(dir, r.Meta.ID))
			}
			python(t, "numpy", args...)
		})
	}
}

// TestWeightsAgain recomputes the figures of the runs in the folder DROLAB_REPORT_RUNS, those of
// their newest checkpoints with PyTorch. The data sets are in the folder DROLAB_DATA. The test is
// skipped if either variable is unset.
func TestWeightsAgain(t *testing.T) {
	folder, data := os.Getenv("DROLAB_REPORT_RUNS"), os.Getenv("DROLAB_DATA")
	if folder == "" || data == "" {
		t.Skip("set DROLAB_REPORT_RUNS and DROLAB_DATA: it takes minutes a run")
	}
	runs, problems := record.List(folder)
	if len(problems) > 0 {
		t.Fatalf("List(%q): %v", folder, problems)
	}
	asJSON, page := written(t, runs)
	args := []string{"--report", asJSON, "--page", page, "--data",
		filepath.Join(data, "cifar-10-batches-bin")}
	for _, r := range runs {
		args = append(args, r.Dir)
	}
	python(t, "numpy torch", args...)
}
