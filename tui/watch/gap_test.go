package watch

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/runner"
	"drolab/runner/lists"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"
)

// damagedRuns returns a folder with a finished and a live run, and the path of the log of one.
func damagedRuns(t *testing.T, of string) (folder lab.Folder, log string) {
	t.Helper()
	a := tuitest.Archive{Folder: lab.Folder(t.TempDir())}
	a.Add(t, "done", tuitest.Archived("erm", 1, "shapes", tuitest.Epoch0()), runner.Done, "")
	a.Add(t, "live", tuitest.Archived("erm", 2, "shapes", tuitest.Epoch0()), runner.Running, "")
	return a.Folder, filepath.Join(string(a.Folder), of, "events.jsonl")
}

// lastEval returns the index of the line of the last evaluation.
func lastEval(lines [][]byte) (at int) {
	for i, line := range lines {
		if bytes.Contains(line, []byte(`"type":"eval"`)) {
			at = i
		}
	}
	return at
}

// changeEval changes a digit of the last evaluation.
func changeEval(lines [][]byte) [][]byte {
	at := lastEval(lines)
	lines[at] = bytes.Replace(lines[at], []byte(`"test_accuracy":0.`),
		[]byte(`"test_accuracy":0.1`), 1)
	return lines
}

// TestDamageIsShown: a run of whose log a part is lost is marked on every size of screen, the line
// names the place and the remedy, and no figure from before the gap stands as the newest one.
func TestDamageIsShown(t *testing.T) {
	for i, c := range []struct {
		name, of string
		harm     func(lines [][]byte) [][]byte
		line     string // "" for none
		known    bool   // whether the newest evaluation is known
	}{
		{"whole", "done", func(l [][]byte) [][]byte { return l }, "", true},
		{"digit of the last evaluation", "done", changeEval,
			"line 10 of events.jsonl is damaged: drolab doctor", true}, // by the summary
		{"digit of the last evaluation, live", "live", changeEval,
			"line 5 of events.jsonl is damaged: drolab doctor", false},
		{"zeros in the middle, live", "live", func(l [][]byte) [][]byte {
			clear(l[3])
			return l
		}, "line 4 of events.jsonl is damaged: drolab doctor", true},
		{"a line is cut", "live", func(l [][]byte) [][]byte {
			at := lastEval(l)
			l[at] = l[at][:len(l[at])/2]
			return l
		}, "line 5 of events.jsonl is damaged: drolab doctor", false},
		{"a line is missing", "live", func(l [][]byte) [][]byte {
			at := lastEval(l)
			return slices.Delete(l, at, at+1)
		}, "line 5 of events.jsonl is damaged: drolab doctor", false},
		{"the last line is torn, live", "live", func(l [][]byte) [][]byte {
			return append(l[:len(l)-1], []byte(`{"seq":99,"type":"step","ti`))
		}, "", true},
	} {
		if testing.Short() && i%2 > 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			folder, log := damagedRuns(t, c.of)
			text, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			harmed := bytes.Join(c.harm(bytes.Split(bytes.Clone(text), []byte("\n"))), []byte("\n"))
			if err := os.WriteFile(log, harmed, 0o600); err != nil {
				t.Fatal(err)
			}
			r := newDriverOf(t, folder, &tuitest.Script{Now: tuitest.Epoch0()}, 80, 24)
			r.Send(lab.Watch{IDs: []string{c.of}})
			r.Wait(2*time.Second, time.Second/5)
			tr := r.watch.Runs.Tracks[0]
			if known := tr.Eval != nil; known != c.known {
				t.Errorf("the newest evaluation is known: %t, want %t", known, c.known)
			}
			for _, size := range tuitest.Sizes() {
				r.Size(size[0], size[1])
				view := tuitest.Text(r.Shot())
				if marked := strings.Contains(view, " !1"); marked != (c.line != "") {
					t.Errorf("%v: marked: %t\n%s", size, marked, view)
				}
				named := strings.Contains(view, cutTo(c.line, size[0]))
				if size[1] >= 24 && !named {
					t.Errorf("%v: want %q in\n%s", size, c.line, view)
				}
			}
			if c.line == "" {
				return
			}
			// The bytes come, and all is as if they had always been there.
			if err := os.WriteFile(log, text, 0o600); err != nil {
				t.Fatal(err)
			}
			r.Size(80, 24)
			r.Wait(2*time.Second, time.Second/5)
			whole := newDriverOf(t, folder, &tuitest.Script{Now: *r.Now}, 80, 24)
			whole.Send(lab.Watch{IDs: []string{c.of}})
			whole.Wait(2*time.Second, time.Second/5)
			// An axis keeps its range, so the panels may differ.
			if got, want := above(r), above(whole); got != want {
				t.Errorf("after the bytes have come:\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// above returns the table and the headline.
func above(r *driver) string {
	l := r.watch.layout()
	lines := strings.Split(tuitest.Text(r.Shot()), "\n")
	return strings.Join(lines[:l.runs.H+l.head.H], "\n")
}

// cutTo returns as much of a text as a screen of w columns shows of it behind a name.
func cutTo(text string, w int) string { return text[:min(len(text), w-30)] }

// TestDamageInTheWarnings: the warnings of the run name the file as a whole.
func TestDamageInTheWarnings(t *testing.T) {
	folder, log := damagedRuns(t, "done")
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	lines := changeEval(bytes.Split(text, []byte("\n")))
	if err := os.WriteFile(log, bytes.Join(lines, []byte("\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newDriverOf(t, folder, &tuitest.Script{Now: tuitest.Epoch0()}, 120, 40)
	r.Send(lab.Watch{IDs: []string{"done"}})
	r.Wait(2*time.Second, time.Second/5)
	notes := lists.Map(r.watch.Runs.Tracks[0].Notes, func(n panel.Note) string { return n.Text })
	if all := strings.Join(notes, "\n"); !strings.Contains(all, log+", line 10 checksum differs") {
		t.Errorf("want the file and the line in\n%s", all)
	}
}
