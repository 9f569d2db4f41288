package record

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/runner"
	"drolab/runner/eventlog"
)

// TestDamageIsSaid checks that a reader that leaves something out says so, with the file.
func TestDamageIsSaid(t *testing.T) {
	before := t.TempDir()
	s := &Store{dir: before, now: clock()}
	finished(t, s)
	id := the(s, original).Meta.ID
	must(t, the(s, original).Relabel(func(l *Label) { l.Note = "good" }))
	all := func(r *Run) { must(t, drain(r.Tail())) }
	evals := func(r *Run) { tail := r.Tail(); tail.Only("eval"); must(t, drain(tail)) }
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
			said, file := r.PassedOver(), filepath.Join(run, c.file)
			if said == nil || !strings.Contains(said.Error(), file) ||
				!strings.Contains(said.Error(), id) {
				t.Errorf("said: %v", said)
			}
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
			finished(t, s)
			whole := the(s, original)
			want, _ := whatStands(t, whole)
			log := filepath.Join(whole.Dir, eventlog.LogName)
			text := read(t, log)
			write(t, harm(bytes.Clone(text)), log)
			r := the(s, original)
			tail := r.Tail()
			h := history(t, tail)
			if r.Status() != runner.Done || h.Status != runner.Done {
				t.Errorf("it is %s, by its log %s", r.Status(), h.Status)
			}
			if tail.Share() != 1 || tail.Skipped() != 0 {
				t.Errorf("read %v, %d skipped", tail.Share(), tail.Skipped())
			}
			got, _ := whatStands(t, r)
			if !slices.Equal(got, want) || asJSON(t, r.Summary()) != asJSON(t, whole.Summary()) {
				t.Error("it shows something else")
			}
			must(t, r.PassedOver())
			list, _, err := Examine(s.dir, true)
			must(t, err)
			if len(list) != 1 || list[0].File != eventlog.LogName || !list[0].Mended {
				t.Errorf("mended %s", findings(list))
			}
			if !bytes.Equal(read(t, log), text) {
				t.Error("mended, it is another log")
			}
			events, err := tail.Read()
			if err != nil || len(events) > 0 || tail.Skipped() != 0 {
				t.Errorf("who watched sees %d events, %d skipped, %v", len(events),
					tail.Skipped(), err)
			}
		})
	}
}
