package process

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/record"
)

// TestOldFolders: the program reads, continues and exports every folder of testdata/old. The
// program of the date and hour in its name wrote each: a finished run of PAN, a stopped run of SFK,
// and a sweep if there were sweeps. The forms are
//
//	21T10  the first: no tables of settings and measures
//	22T00  methods have settings and a state of their own
//	22T03  lines have checksums; groups, validation, radii, initialisation, noise of labels
//	22T06  sweeps, precision
//	22T09  averages; sfk with c: auto, which is sfk-auto now
//	22T22  the same, before sfk-auto
func TestOldFolders(t *testing.T) {
	folders, err := os.ReadDir(filepath.Join("testdata", "old"))
	if err != nil || len(folders) < 6 {
		t.Fatalf("%d folders, %v", len(folders), err)
	}
	for _, f := range folders {
		t.Run(f.Name(), func(t *testing.T) {
			t.Parallel()
			o := old{T: t, dir: filepath.Join(t.TempDir(), "runs"), sfk: dro.SFK}
			if f.Name() >= "2026-11-22T09" { // c: auto was a setting of SFK
				o.sfk = dro.SFKAuto
			}
			old := os.DirFS(filepath.Join("testdata", "old", f.Name()))
			if err := os.CopyFS(o.dir, old); err != nil {
				t.Fatal(err)
			}
			o.shown()
			o.goneOnWith()
			o.exported(o.run("csv-sfk").Meta.ID)
			o.swept()
		})
	}
}

// old is a copy of a folder of testdata/old or testdata/old-forms.
type old struct {
	*testing.T
	dir string
	sfk dro.Algorithm // the present name of the method of its run of SFK
}

// TestOldForms: every folder of testdata/old-forms has one form of the files of a run or a sweep,
// written by the program that introduced the form. The forms are
//
//	21T23-jtt    a run of JTT that was stopped in its second half: its weights of samples
//	22T04-index  a run with an index beside a long log, which is packed here
//	22T04-rungs  a sweep whose first rung has decided, and which was stopped before the second
func TestOldForms(t *testing.T) {
	for name, want := range map[string]func(old){
		"2026-11-21T23-jtt":   func(o old) { o.wholly("csv-jtt", 12000) },
		"2026-11-22T04-index": func(o old) { o.indexed(); o.wholly("csv-erm", 2235) },
		"2026-11-22T04-rungs": old.halved,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := old{T: t, dir: filepath.Join(t.TempDir(), "runs")}
			form := os.DirFS(filepath.Join("testdata", "old-forms", name))
			if err := os.CopyFS(o.dir, form); err != nil {
				t.Fatal(err)
			}
			want(o)
		})
	}
}

// wholly checks that a run that was stopped at a step can be shown, continued, forked and exported.
func (o old) wholly(name string, step int64) {
	o.Helper()
	r := o.run(name)
	if s := r.Summary(); r.Status() != runner.Stopped || s.Steps != step {
		o.Errorf("it is %s at step %d, want %d", r.Status(), s.Steps, step)
	}
	for _, args := range [][]string{{"runs"}, {"show", r.Meta.ID}, {"eval", r.Meta.ID}} {
		if out := o.do(args...); !strings.Contains(out, r.Meta.ID) {
			o.Errorf("%v does not name it:\n%s", args, out)
		}
	}
	o.do("doctor")
	further := step/r.Meta.StepsPerEpoch + 40 // epochs; the resume below trains all that are left
	o.do("run", "--from", r.Meta.ID, "--set", fmt.Sprintf("epochs=%d", further), "--set", "clip=1",
		"--inline")
	o.do("resume", r.Meta.ID, "--inline")
	now, err := record.Find(o.dir, r.Meta.ID)
	if err != nil {
		o.Fatal(err)
	}
	if s := now.Summary(); s.Status != runner.Done || s.Steps != r.Meta.Steps {
		o.Errorf("resumed, it is %s at step %d of %d", s.Status, s.Steps, r.Meta.Steps)
	}
	o.exported(r.Meta.ID)
}

// indexed unpacks the log of a run, and checks that events far back in the log are found through
// the index.
func (o old) indexed() {
	o.Helper()
	packed, err := filepath.Glob(filepath.Join(o.dir, "*", "events.jsonl.gz"))
	if err != nil || len(packed) != 1 {
		o.Fatalf("%d packed logs, %v", len(packed), err)
	}
	unpack(o.T, packed[0], strings.TrimSuffix(packed[0], ".gz"))
	index := filepath.Join(filepath.Dir(packed[0]), "events.index.gz")
	before, err := os.ReadFile(index)
	if err != nil {
		o.Fatal(err)
	}
	lines, err := record.ReadHistory(o.run("csv-erm").Tail(), nil)
	if err != nil {
		o.Fatal(err)
	}
	small, err := record.ReadHistory(record.InSmall(o.run("csv-erm").Tail(), true), nil)
	if err != nil {
		o.Fatal(err)
	}
	if n, all := len(small.Steps), len(lines.Steps); n == 0 || 10*n > 9*all {
		o.Errorf("in small it has %d of %d steps", n, all)
	}
	// If it were of another log, or had an unreadable form, the index would have been made anew.
	after, err := os.ReadFile(index)
	if err != nil || !bytes.Equal(before, after) {
		o.Errorf("the index was made anew: %v", err)
	}
}

// unpack writes the contents of a packed file to another file and removes the packed file.
func unpack(t *testing.T, from, to string) {
	t.Helper()
	f, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err := errors.Join(err, os.WriteFile(to, text, 0o644), os.Remove(from)); err != nil {
		t.Fatal(err)
	}
}

// halved checks that a sweep between its rungs can be shown, continued to the end of the second
// rung, and exported.
func (o old) halved() {
	o.Helper()
	status := o.do("sweep", "status", o.dir, "--json")
	for _, want := range []string{`"dropped": 2`, `"stopped": 1`, `"waiting": 1`} {
		if !strings.Contains(status, want) {
			o.Errorf("its status lacks %s: %s", want, status)
		}
	}
	o.do("doctor")
	o.do("sweep", "start", filepath.Join(o.dir, "sweep.yaml"), "--dir", o.dir, "--inline")
	if status := o.do("sweep", "status", o.dir, "--json"); !strings.Contains(status, `"done": 1`) ||
		!strings.Contains(status, `"dropped": 3`) {
		o.Errorf("gone on with, its status is %s", status)
	}
	if _, err := os.Stat(filepath.Join(o.dir, ".sweep", "rung-2.json")); err != nil {
		o.Error(err)
	}
	if out := o.do("sweep", "table", o.dir); !strings.Contains(out, "erm") {
		o.Errorf("its table is %s", out)
	}
	o.exported("latest")
}

// do runs a command on the folder, which must succeed, and returns its output.
func (o old) do(args ...string) string {
	o.Helper()
	var out, errs bytes.Buffer
	args = append(args, "--runs", o.dir)
	if code := Main(context.Background(), args, strings.NewReader(""), &out, &errs); code != 0 {
		o.Fatalf("drolab %s: exit %d\n%s%s", strings.Join(args, " "), code,
			out.String(), errs.String())
	}
	return out.String()
}

// run returns the only run of the folder whose name begins with the given one.
func (o old) run(name string) *record.Run {
	o.Helper()
	found, err := filepath.Glob(filepath.Join(o.dir, name+"-*"))
	if err != nil || len(found) != 1 {
		o.Fatalf("%d runs %s, %v", len(found), name, err)
	}
	r, err := record.Find(o.dir, filepath.Base(found[0]))
	if err != nil {
		o.Fatal(err)
	}
	return r
}

// shown checks that both runs are shown with their settings and figures, and that the doctor finds
// nothing.
func (o old) shown() {
	o.Helper()
	done, stopped := o.run("csv-pan"), o.run("csv-sfk")
	if done.Status() != runner.Done || stopped.Status() != runner.Stopped {
		o.Errorf("PAN is %s, SFK is %s", done.Status(), stopped.Status())
	}
	a, b := done.Meta.Spec.Algorithm(), stopped.Meta.Spec.Algorithm()
	if a != dro.PAN || b != o.sfk {
		o.Errorf("their methods are %s and %s", a, b)
	}
	s := done.Summary()
	if s.Steps != 28 || !s.Of("test_accuracy").Applies() || !s.Of("train_loss").Applies() ||
		done.Meta.Spec.Text("lambda") != "1" {
		o.Errorf("PAN: %+v of %+v", s, done.Meta.Spec)
	}
	for _, want := range []string{done.Meta.ID, stopped.Meta.ID} {
		if list := o.do("runs"); !strings.Contains(list, want) {
			o.Errorf("drolab runs lacks %s:\n%s", want, list)
		}
	}
	for _, args := range [][]string{{"show", done.Meta.ID}, {"show", stopped.Meta.ID, "--json"},
		{"compare", "csv"}, {"eval", done.Meta.ID}, {"report", done.Meta.ID}} {
		if out := o.do(args...); out == "" {
			o.Errorf("%v prints nothing", args)
		}
	}
	o.do("doctor")
}

// goneOnWith resumes the stopped run to its end, and forks the finished one.
func (o old) goneOnWith() {
	o.Helper()
	at := o.run("csv-sfk")
	o.do("resume", at.Meta.ID, "--inline")
	s := o.run("csv-sfk").Summary()
	if s.Status != runner.Done || s.Steps != at.Meta.Steps || !s.Of("train_loss").Applies() {
		o.Errorf("resumed, it is %s at step %d of %d", s.Status, s.Steps, at.Meta.Steps)
	}
	o.do("run", "--from", o.run("csv-pan").Meta.ID+"@24", "--set", "lr=0.001", "--inline")
}

// exported exports a run in the formats for runs and for networks.
func (o old) exported(id string) {
	o.Helper()
	for _, format := range []string{"csv", "tensorboard", "python", "onnx"} {
		to := filepath.Join(o.TempDir(), format)
		o.do("export", id, "--to", format, "--out", to)
		if _, err := os.Stat(to); err != nil {
			o.Error(err)
		}
	}
}

// swept checks that a sweep has a table, and that starting it finds nothing missing.
func (o old) swept() {
	o.Helper()
	dir := filepath.Join(o.dir, "sweep")
	if _, err := os.Stat(dir); err != nil {
		return
	}
	if out := o.do("sweep", "status", dir, "--json"); !strings.Contains(out, `"done": 2`) {
		o.Errorf("its status is %s", out)
	}
	if out := o.do("sweep", "table", dir); !strings.Contains(out, "sfk") {
		o.Errorf("its table is %s", out)
	}
}
