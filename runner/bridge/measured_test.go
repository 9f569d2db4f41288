package bridge_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/certificate"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// TestMeasured: a measurement at a checkpoint gives what the run recorded there, and the program
// that makes it ends afterwards.
func TestMeasured(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	r := newRunsFolder(t)
	id := must(r.start(t, "", bridged(dro.SFK)))(t)[0]
	run := must(record.Find(r.dir, id))(t)
	means := certificate.Means{Programs: r.approvals}
	saved, m := run.Summary(), &run.Meta
	close := func(what string, got float64, want measure.Number) {
		t.Helper()
		if !want.Applies() || math.Abs(got-want.Float()) > 1e-6*(1e-3+math.Abs(got)) {
			t.Errorf("%s = %v, want what the run recorded, %v", what, got, want)
		}
	}

	frozen := must(certificate.Freeze(t.Context(), must(run.Past(-1))(t), means, 1))(t)
	set := must(m.Spec.Set())(t)
	for split, of := range map[string]string{runner.SplitTest: "robust_risk",
		runner.SplitTrain: "train_robust_risk", runner.SplitVal: "val_robust_risk"} {
		pass := must(frozen.Pass(split))(t)
		list := must(frozen.Certify(pass, certificate.Grid{Sets: []dro.Set{set},
			Radii: []float64{m.Spec.Rho}, How: dro.Confidence{Level: .9}}))(t)
		close(of, list[0].Risk.Float(), saved.Named(of))
	}
	exact := must(frozen.Stationarity())(t)
	close("dual_gap", exact.DualGap, saved.Named("dual_gap"))
	close("full_grad_norm", exact.GradNorm, saved.Named("full_grad_norm"))
	for range 2 {
		if err := frozen.Close(); err != nil {
			t.Error(err)
		}
	}

	q := certificate.ViewOf{Run: run, Step: -1, Split: runner.SplitTest, Means: means,
		Inspection: certificate.Inspection{Threads: 1, Probabilities: true}}
	look := must(certificate.NewView(t.Context(), q))(t)
	totals := look.Totals()
	close("test_loss", totals.Loss.Float(), saved.Named("test_loss"))
	close("test_accuracy", totals.Accuracy.Float(), saved.Named("test_accuracy"))
	pick := must(look.Pick(certificate.Radii(m)))(t)
	s := pick.Samples[0]
	if s.Picture != nil {
		t.Errorf("the first sample has the picture %v, want none", s.Picture)
	}
	if s.Features != nil {
		t.Errorf("the first sample has the features %v, want none", s.Features)
	}
	if s.Row < 0 {
		t.Errorf("the first sample has the row %d, want 0 or more", s.Row)
	}
	if err := look.Close(); err != nil {
		t.Error(err)
	}
	if left := must(filepath.Glob(os.Getenv("TMPDIR") + "/drolab-program-*"))(t); len(left) > 0 {
		t.Errorf("the folders %v are left, want none", left)
	}
	t.Run("refused", func(t *testing.T) { refusals(t, q) })
}

// refusals holds that each refusal is one line, and that no program starts but this user's own.
func refusals(t *testing.T, q certificate.ViewOf) {
	refused := func(q certificate.ViewOf, want string) {
		t.Helper()
		_, err := certificate.NewView(t.Context(), q)
		wantError(t, "NewView", err, want)
		wantLine(t, "NewView", fmt.Sprint(err))
	}
	viewer, stranger, elsewhere := q, q, q
	viewer.Programs = ""
	refused(viewer, "a read-only view starts none")
	stranger.Programs = bridge.Approvals(t.TempDir())
	refused(stranger, "have not approved")
	elsewhere.Dataset = "csv:example"
	refused(elsewhere, "keeps its weights and data to itself")
	_, err := certificate.Features(t.Context(), stranger, nil)
	wantError(t, "Features", err, "have not approved")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = certificate.NewView(ctx, q)
	wantError(t, "NewView after the end of its context", err, "killed")

	t.Setenv(troubleEnv, "kill losses 2")
	refused(q, "killed")
	t.Setenv(troubleEnv, "")
	t.Setenv("DROLAB_TEST_TABLE", "64")
	refused(q, "other labels or groups")

	// A file that was changed and approved since is another program.
	t.Setenv("DROLAB_TEST_TABLE", "")
	script := filepath.Join(t.TempDir(), "other")
	text := "#!/bin/sh\nexec " + self() + " \"$@\"\n"
	err = errors.Join(os.WriteFile(script, []byte(text), 0o700), q.Programs.Approve(script))
	if err != nil {
		t.Fatal(err)
	}
	run := *q.Run
	run.Meta.Spec.Model = spec.Program{Path: script}.String()
	q.Run = &run
	look := must(certificate.NewView(t.Context(), q))(t)
	defer look.Close()
	if notes := look.Data.Notes; len(notes) != 1 || !strings.Contains(notes[0], "is not the file") {
		t.Errorf("notes %q, want one that it is not the file of the run", notes)
	}
}
