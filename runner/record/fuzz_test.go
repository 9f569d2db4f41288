package record

import (
	"os"
	"path/filepath"
	"testing"

	"drolab/runner/eventlog"
)

// FuzzState gives the JSON files of a run any content: they are read or refused.
func FuzzState(f *testing.F) {
	dir := filepath.Join(f.TempDir(), fixtureDone)
	if err := os.CopyFS(dir, fixture(fixtureDone)); err != nil {
		f.Fatal(err)
	}
	files := []string{"run.json", "summary.json",
		filepath.Join("checkpoints", "step-0000000024.json")}
	for i, name := range files {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), text)
		f.Add(uint8(i), []byte(`null`))
	}
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		path := filepath.Join(dir, files[int(which)%len(files)])
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		defer os.WriteFile(path, before, 0o600)
		r, err := Find(filepath.Dir(dir), fixtureDone)
		if err != nil {
			return
		}
		r.Load(24)
		r.Past(24)
		if r.Summary() == nil {
			t.Error("a run without a summary")
		}
	})
}

// FuzzLog checks that, whatever a log holds, its readers end and agree on its lines, and a resumed
// log continues it.
func FuzzLog(f *testing.F) {
	f.Add([]byte(line(1, 1, "step", "")+line(2, 1, "resume", "")+"torn"), uint16(3))
	f.Add([]byte("\x00\x00\n\n{}\n"+line(7, -5, "eval", `,"class_accuracy":[null,"NaN"]`)),
		uint16(0))
	f.Fuzz(func(t *testing.T, log []byte, cut uint16) {
		tail := newTail(t, log[:min(int(cut), len(log))])
		h := history(t, tail)
		write(t, log, tail.Path) // it grew
		for {
			events, err := tail.Read()
			must(t, err)
			if len(events) == 0 {
				break
			}
			for _, e := range events {
				h.Add(e)
			}
		}
		once := newTail(t, log)
		all := history(t, once)
		if len(h.Steps) != len(all.Steps) || h.Step != all.Step {
			t.Errorf("in two parts %d steps to step %d, want %d to %d as at once", len(h.Steps),
				h.Step, len(all.Steps), all.Step)
		}
		if got, want := tail.Skipped(), once.Skipped(); got != want {
			t.Errorf("in two parts %d lines are skipped, want %d as at once", got, want)
		}
		never := func(*eventlog.End) bool { return false }
		if _, err := eventlog.ReadEnd(in(t, filepath.Dir(tail.Path)), nil, never); err != nil {
			t.Errorf("ReadEnd: %v", err)
		}
		folder := in(t, filepath.Dir(tail.Path))
		a, err := eventlog.AuditLog(folder)
		must(t, err)
		l, err := eventlog.NewWriter(folder, a, clock())
		must(t, err)
		defer l.File.Close()
		seq := l.Seq
		must(t, l.Append(stepEvent(1)))
		events, err := tail.Read()
		must(t, err)
		if len(events) != 1 || events[0].Header().Seq != seq+1 {
			t.Errorf("%d events after the append, want one with seq %d", len(events), seq+1)
		}
	})
}
