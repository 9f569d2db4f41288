package record

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/queue"
)

// testdata/first-form is a run by a version of the program in which measures, settings and the
// state of methods had no tables yet: plain Go, SFK, 18 steps of the embedded table.

func firstForm(t *testing.T) (folder, id string) {
	t.Helper()
	folder, id = t.TempDir(), "first-form"
	must(t, os.CopyFS(filepath.Join(folder, id), os.DirFS(filepath.Join("testdata", id))))
	return folder, id
}

// Every figure of a log of the first form is read under the name that it has in the log, and the
// run keeps its settings.
func TestFirstFormIsRead(t *testing.T) {
	folder, id := firstForm(t)
	run, err := Find(folder, id)
	must(t, err)
	spec := &run.Meta.Spec
	if run.Status() != runner.Done || spec.Text("c") != "1000" ||
		spec.Text("share_batch") != "false" ||
		spec.Rho != .5 {
		t.Errorf("%s, settings %+v", run.Status(), *spec)
	}
	// That program had its figures per class by group where groups were given.
	m := &run.Meta
	if !slices.Equal(m.Classes, []string{"majority", "minority"}) || m.Main() != measure.PerClass ||
		!slices.Equal(m.ClassCounts.Train, []int{341, 43}) ||
		!slices.Equal(m.ClassCounts.Test, []int{102, 18}) {
		t.Errorf("classes %q, %+v, groups %q", m.Classes, m.ClassCounts, m.Groups)
	}
	if s := run.Summary(); len(s.ClassInterval) != 2 || !s.ClassInterval[1][0].Applies() ||
		s.Selected != nil {
		t.Errorf("intervals %v", s.ClassInterval)
	}
	text, err := os.ReadFile(filepath.Join(run.Dir, logName))
	must(t, err)
	events, err := run.Tail().Read()
	must(t, err)
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	if len(events) != len(lines) {
		t.Fatalf("%d events of %d lines", len(events), len(lines))
	}
	for i, line := range lines {
		back, err := runner.EncodeEvent(events[i])
		must(t, err)
		var was, is map[string]any
		must(t, json.Unmarshal(line, &was))
		must(t, json.Unmarshal(back, &is))
		for key, v := range was {
			if key == "divergence" && was["type"] == "eval" {
				key = "worst_divergence" // of the exact worst case, with a name of its own
			}
			if a, b := asJSON(t, v), asJSON(t, is[key]); a != b {
				t.Errorf("line %d: %s is %s, was %s", i+1, key, b, a)
			}
		}
	}
	var stored map[string]any
	must(t, in(t, run.Dir).ReadJSON(summaryName, &stored))
	var summary map[string]any
	must(t, json.Unmarshal([]byte(asJSON(t, run.Summary())), &summary))
	for key, v := range stored {
		if a, b := asJSON(t, v), asJSON(t, summary[key]); a != b && key != "id" {
			t.Errorf("summary: %s is %s, was %s", key, b, a)
		}
	}
}

// An interrupted run of the first form goes on to the weights that it had before. With the kernels
// that made it, the weights agree bit for bit.
func TestFirstFormIsResumed(t *testing.T) {
	folder, id := firstForm(t)
	run, err := Find(folder, id)
	must(t, err)
	want, err := run.Load(18)
	must(t, err)
	must(t, os.Remove(filepath.Join(run.Dir, summaryName)))
	must(t, os.Remove(filepath.Join(run.Dir, checkpointsName, stateName(18))))
	log, err := os.ReadFile(filepath.Join(run.Dir, logName))
	must(t, err)
	cut := bytes.Index(log, []byte(`"step":15,`))
	must(t, os.WriteFile(filepath.Join(run.Dir, logName),
		log[:bytes.LastIndexByte(log[:cut], '\n')+1], 0o644))

	store, err := Open(folder)
	must(t, err)
	settings := queue.Settings{Store: store, Host: runner.Host{Kernel: nn.Kernel("")}}
	q := queue.NewQueue(context.Background(), settings)
	must(t, q.Resume(id))
	if o := q.Wait(); o[0].Status != runner.Done {
		t.Fatalf("%+v", o)
	}
	got, err := run.Load(18)
	must(t, err)
	far := 0.0
	for i, p := range append(got.Parameters, got.Picked...) {
		for j, x := range append(want.Parameters, want.Picked...)[i].Data {
			far = max(far, abs(float64(x-p.Data[j])))
		}
	}
	exact := slices.Equal(got.Parameters[0].Data, want.Parameters[0].Data) && far == 0
	if nn.Kernel("") == run.Meta.Host.Kernel && !exact || far > 1e-5 {
		t.Errorf("the weights differ by %g from those of the run that was not interrupted", far)
	}
	for i, v := range want.Eval.ByGroup.Of("class_accuracy") { // still by group
		if now := got.Eval.ByGroup.Of("class_accuracy"); len(now) != 2 ||
			abs(v.Float()-now[i].Float()) > .02 {
			t.Errorf("accuracies %v, were %v", now, want.Eval.ByGroup.Of("class_accuracy"))
		}
	}
	if got.Eval.ByGroup.Of("group_accuracy") != nil ||
		got.Eval.Of("worst_group_accuracy").Applies() {
		t.Errorf("a run whose groups are its classes has both: %+v", got.Eval)
	}
	for name, v := range want.Method.Numbers {
		if abs(v-got.Method.Numbers[name]) > 1e-5 {
			t.Errorf("%s is %v, was %v", name, got.Method.Numbers[name], v)
		}
	}
}

func abs(x float64) float64 { return max(x, -x) }
