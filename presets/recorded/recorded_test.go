package recorded

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"drolab/runner"
	"drolab/runner/record"
)

// TestEveryRunReads: every file that comes with the program holds a run that trained to its end,
// with the program, processor and kernel that made it. With -short it reads each tenth.
func TestEveryRunReads(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		runs, err := Find(Scheme + name)
		if errors.Is(err, ErrEmpty) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range runs {
			if testing.Short() && i%10 > 0 {
				continue
			}
			m := &r.Meta
			if steps := r.Summary().Steps; r.Status() != runner.Done || steps != m.Steps {
				t.Errorf("%s: %s after %d steps, want %s after %d", r.Dir, r.Status(), steps,
					runner.Done, m.Steps)
			}
			for what, text := range map[string]string{"version": m.Host.Version,
				"processor": m.Host.CPU, "kernel": m.Host.Kernel, "checksum": m.Checksum} {
				if text == "" {
					t.Errorf("%s has no %s", r.Dir, what)
				}
			}
			if m.Ties != runner.TiesToFirst || r.Summary().Selected != nil {
				t.Errorf("%s: rule %q for ties, selected %+v, want none", r.Dir, m.Ties,
					r.Summary().Selected)
			}
			if !strings.HasSuffix(r.Dir, m.ID) {
				t.Errorf("%s holds %s", r.Dir, m.ID)
			}
			evals, steps := 0, 0
			for log := r.Tail(); ; {
				events, err := log.Read()
				if err != nil {
					t.Fatalf("%s: %v", r.Dir, err)
				}
				if n := log.Skipped(); n > 0 {
					t.Fatalf("%s: %d lines are skipped, want none", r.Dir, n)
				}
				if len(events) == 0 {
					break
				}
				for _, e := range events {
					switch e.(type) {
					case *runner.EvalEvent:
						evals++
					case *runner.StepEvent:
						steps++
					}
				}
			}
			if evals < m.Spec.Epochs || steps < 100 {
				t.Errorf("%s: %d evaluations and %d steps, want %d and 100 or more", r.Dir, evals,
					steps, m.Spec.Epochs)
			}
		}
	}
}

func TestFind(t *testing.T) {
	all, err := Find("recorded:paper")
	if errors.Is(err, ErrEmpty) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	one, err := Find(all[0].Dir)
	if err != nil {
		t.Fatalf("Find(%q): %v", all[0].Dir, err)
	}
	first := func(o *record.Run) bool { return o.Meta.ID == all[0].Meta.ID }
	if !slices.ContainsFunc(one, first) {
		t.Errorf("Find(%q) gives %d runs without that one", all[0].Dir, len(one))
	}
	for _, rest := range []string{"", ".", "none", "paper/none", "../recorded"} {
		word := Scheme + rest
		if runs, err := Find(word); err == nil {
			t.Errorf("%s finds %d runs", word, len(runs))
		}
	}
	for word, want := range map[string]bool{"paper": false, "recorded:paper": true} {
		if got := Is(word); got != want {
			t.Errorf("Is(%q) = %v, want %v", word, got, want)
		}
	}
}

// TestSize bounds the recorded runs, because the program carries these files wherever it goes. With
// all 120 registered runs the bound comes to 10 MiB, beside 50 MB of program.
func TestSize(t *testing.T) {
	const most = 54 << 10 // mean bytes of a run
	total, runs := 0, 0
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := files.ReadFile(path)
		total, runs = total+len(b), runs+1
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if total > most*runs {
		t.Errorf("%d bytes in %d files, want at most %d in each", total, runs, most)
	}
}
