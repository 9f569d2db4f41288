package record

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/eventlog"
	"drolab/runner/record/recordtest/eventtest"
)

// The run and the events of tests.
var (
	newMeta   = eventtest.Meta
	head      = eventtest.Head
	status    = eventtest.Status
	stepEvent = eventtest.Step
	evalEvent = eventtest.Eval
	newState  = eventtest.State
	must      = eventtest.Must
	write     = eventtest.Write
)

// The runs in testdata/format1: a finished one, and one that was stopped.
const (
	fixtureDone    = "csv-pan-s1-20261126-144349-7iyi"
	fixtureStopped = "csv-sfk-s1-20261126-144349-y7qd"
)

func fixture(name string) fs.FS { return os.DirFS(filepath.Join("testdata", "format1", name)) }

// clock returns a clock that moves on by a second each time that it is read. Runs that end at the
// same time may share it.
func clock() func() time.Time {
	start := time.Date(2026, 11, 21, 9, 15, 1, 0, time.UTC)
	var read atomic.Int64
	return func() time.Time { return start.Add(time.Duration(read.Add(1)) * time.Second) }
}

func newStore(t *testing.T) *Store {
	t.Helper()
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s.now = clock()
	return s
}

// in opens a folder.
func in(t testing.TB, path string) *disk.Folder {
	t.Helper()
	f, err := disk.OpenFolder(nil, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func create(t *testing.T, s *Store, m *runner.Meta) *recorder {
	t.Helper()
	r, err := s.Create(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() }) // a second Close only returns an error
	return r.(*recorder)
}

func reopen(t *testing.T, s *Store, id string) (*recorder, *runner.State) {
	t.Helper()
	r, past, err := s.Reopen(id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r.(*recorder), past.From
}

// appendSteps logs steps first, first+1, ... last.
func appendSteps(t *testing.T, r *recorder, first, last int64) {
	t.Helper()
	for step := first; step <= last; step++ {
		must(t, r.Append(stepEvent(step)))
	}
}

func save(t *testing.T, r *recorder, s *runner.State) (file string) {
	t.Helper()
	file, err := r.Checkpoint(s)
	must(t, err)
	return file
}

// logContent holds the events of a whole log.
type logContent struct {
	*eventlog.History
	Seconds  float64
	Warnings []*runner.WarningEvent
	Resumes  int
}

// history reads a whole log.
func history(t *testing.T, tail *eventlog.Tail) *logContent {
	t.Helper()
	h, p := &logContent{}, eventlog.NewProgress(newMeta(1))
	all, err := eventlog.ReadHistory(tail, func(e runner.Event) {
		p.Add(e)
		switch e := e.(type) {
		case *runner.WarningEvent:
			h.Warnings = append(h.Warnings, e)
		case *runner.ResumeEvent:
			h.Resumes++
		}
	})
	must(t, err)
	h.History, h.Seconds = all, p.Seconds
	return h
}

func read(t *testing.T, elements ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(elements...))
	must(t, err)
	return b
}

// wantError checks that an error has all of the words.
func wantError(t testing.TB, what string, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error, want one with %q", what, words)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%s: the error is %q, want %q in it", what, err, w)
		}
	}
}

func findings(list []*Finding) (text string) {
	for _, f := range list {
		text += fmt.Sprintf("\n%+v", *f)
	}
	return text
}

// readToEnd reads a log to its end.
func readToEnd(log eventlog.Log) error {
	for {
		events, err := log.Read()
		if err != nil || len(events) == 0 && log.Share() == 1 {
			return err
		}
	}
}
