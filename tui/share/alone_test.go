package share

import (
	"errors"
	"os"
	"strings"
	"testing"

	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/lab"
)

// TestPanicOfOneView: a panic in one view ends that view, with a report, but not the server.
func TestPanicOfOneView(t *testing.T) {
	t.Parallel()
	p := startServer(t, func(s *Settings) {
		s.Lab.FixedRuns = lab.NewFixedRuns(func() ([]*record.Run, error) { panic("broken") })
	})
	const told = "the view failed: internal error: broken: please report it, with the file "
	for n := range 2 {
		v := p.watch("xterm", 120, 40)
		v.Wait()
		if !p.log.until(func(s string) bool { return strings.Count(s, told) == n+1 }) {
			t.Fatalf("the log is\n%s", p.log)
		}
		if out := v.out.String(); strings.Contains(out, "goroutine") {
			t.Errorf("the viewer sees %q", out)
		}
	}
	_, path, _ := strings.Cut(p.log.String(), told)
	path, _, _ = strings.Cut(path, "\n")
	if !strings.HasPrefix(path, p.runs) {
		t.Errorf("the report is at %q, want it in %s", path, p.runs)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("the report: %v", err)
	}
	if !strings.Contains(string(text), "TestPanicOfOneView") {
		t.Errorf("the report lacks the name of the test:\n%s", text)
	}
}

// TestPanicOfOneReader: a panic in the reader of one view is an error of that view.
func TestPanicOfOneReader(t *testing.T) {
	v := &view{s: &server{}}
	v.s.Lab.RunsDir = t.TempDir()
	var broken *runner.PanicError
	if err := v.listen(brokenReader{}); !errors.As(err, &broken) {
		t.Error(err)
	}
	if err := v.listen(strings.NewReader("")); err != errGone {
		t.Error(err)
	}
}

// brokenReader panics when it is read.
type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { panic("broken") }
