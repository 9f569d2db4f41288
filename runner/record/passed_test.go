package record

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"drolab/runner"
	"drolab/runner/eventlog"
)

// TestDamageIsSaid checks that a reader that leaves something out says so, with the file.
func TestDamageIsSaid(t *testing.T) {
	before := t.TempDir()
	s := &Store{dir: before, now: clock()}
	recordDone(t, s)
	id := findRun(s, original).Meta.ID
	must(t, findRun(s, original).Relabel(func(l *Label) { l.Note = "good" }))
	all := func(r *Run) { must(t, readToEnd(r.Tail())) }
	evals := func(r *Run) { tail := r.Tail(); tail.Only("eval"); must(t, readToEnd(tail)) }
	average := func(r *Run) { _, err := r.Average(); must(t, err) }
	for name, c := range map[string]struct {
		file, text string
		read       func(*Run)
	}{
		"curve":             {eventlog.LogName, `"type":"eval"`, all},
		"evaluations":       {eventlog.LogName, `"test_accuracy"`, evals},
		"its type":          {eventlog.LogName, `"type":"eval"`, evals},
		"its number":        {eventlog.LogName, `{"seq":2`, evals},
		"average":           {eventlog.LogName, `"test_accuracy"`, average},
		"summary":           {summaryName, `"test_accuracy"`, func(*Run) {}},
		"label":             {labelName, `"note": "g`, func(*Run) {}},
		"long line, curve":  {"long", "", all},
		"long line, at end": {"long", "", average},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			must(t, os.CopyFS(dir, os.DirFS(before)))
			run := filepath.Join(dir, id)
			switch {
			case c.file == "long":
				c.file = eventlog.LogName
				b := read(t, run, eventlog.LogName)
				at := bytes.LastIndex(b, []byte(`{"seq":`))
				odd := append(bytes.Repeat([]byte("x"), 2*eventlog.MaxLine), '\n')
				write(t, slices.Concat(b[:at], odd, b[at:]), run, eventlog.LogName)
			default:
				flip(t, filepath.Join(run, c.file), c.text)
			}
			r, err := Find(dir, id)
			must(t, err)
			c.read(r)
			wantError(t, "PassedOver", r.PassedOver(), filepath.Join(run, c.file), id)
		})
	}
	runs, problems := List(before)
	must(t, errors.Join(problems...))
	all(runs[0])
	evals(runs[0])
	average(runs[0])
	must(t, runs[0].PassedOver()) // an unharmed run reports nothing
}

// TestLastNewlineIsNotTheEnd checks that a done run whose log lost only its final newline, or has
// another byte there, is done and shows everything that it did.
func TestLastNewlineIsNotTheEnd(t *testing.T) {
	for name, harm := range map[string]func([]byte) []byte{
		"missing": func(b []byte) []byte { return b[:len(b)-1] },
		"changed": func(b []byte) []byte { b[len(b)-1] ^= 8; return b },
	} {
		t.Run(name, func(t *testing.T) {
			s := &Store{dir: t.TempDir(), now: clock()}
			recordDone(t, s)
			whole := findRun(s, original)
			want, _ := whatStands(t, whole)
			log := filepath.Join(whole.Dir, eventlog.LogName)
			text := read(t, log)
			write(t, harm(bytes.Clone(text)), log)
			r := findRun(s, original)
			tail := r.Tail()
			h := history(t, tail)
			if r.Status() != runner.Done || h.Status != runner.Done {
				t.Errorf("it is %s, by its log %s, want %s", r.Status(), h.Status, runner.Done)
			}
			if tail.Share() != 1 || tail.Skipped() != 0 {
				t.Errorf("a share of %v is read, %d lines are skipped, want 1 and none",
					tail.Share(), tail.Skipped())
			}
			got, _ := whatStands(t, r)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("its events differ (-want +got):\n%s", diff)
			}
			if got, want := asJSON(t, r.Summary()), asJSON(t, whole.Summary()); got != want {
				t.Errorf("its summary is %s, want %s", got, want)
			}
			must(t, r.PassedOver())
			list, _, err := Examine(s.dir, true)
			must(t, err)
			if len(list) != 1 {
				t.Fatalf("the doctor finds %d things, want 1:%s", len(list), findings(list))
			}
			if f := list[0]; f.File != eventlog.LogName || !f.Mended {
				t.Errorf("the doctor finds %s, mended: %v, want %s, mended", f.File, f.Mended,
					eventlog.LogName)
			}
			if !bytes.Equal(read(t, log), text) {
				t.Error("mended, it is another log")
			}
			events, err := tail.Read()
			must(t, err)
			if len(events) > 0 || tail.Skipped() != 0 {
				t.Errorf("a reader that goes on sees %d events, %d lines skipped, want none",
					len(events), tail.Skipped())
			}
		})
	}
}
