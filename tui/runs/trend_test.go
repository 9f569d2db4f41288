package runs

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
)

// TestTrend: a trend is the worst class over the evaluations, in the same number of cells whatever
// the length of the run.
func TestTrend(t *testing.T) {
	run := &record.Run{Meta: *tuitest.Meta(dro.SFK, tuitest.Epoch0())}
	of := func(values ...float64) (list []*runner.EvalEvent) {
		for _, v := range values {
			e := &runner.EvalEvent{}
			e.Set("worst_class_accuracy", measure.Num(v))
			list = append(list, e)
		}
		return list
	}
	long := make([]float64, 80)
	for i := range long {
		long[i] = float64(i+1) / 80
	}
	for _, c := range []struct {
		values []float64
		want   string
	}{
		{nil, "–"}, {[]float64{0, .5, 1}, "▁▅█"}, {[]float64{-1, 2}, "▁█"},
		{long, "▂▃▄▅▆▇██"},
	} {
		if got := trend(run, of(c.values...)); got != c.want {
			t.Errorf("%v: %s, want %s", c.values, got, c.want)
		}
	}
}

// TestTrendsOfLinesInView: on a wide screen, the lines in view have trends, and nothing is read for
// the other lines. On a narrow screen the log of the run under the cursor is read, for damage.
func TestTrendsOfLinesInView(t *testing.T) {
	a := tuitest.Archive{Folder: lab.Folder(t.TempDir())}
	for i := range 60 {
		m := tuitest.Archived(dro.ERM, 1, "shapes",
			tuitest.Epoch0().Add(time.Duration(i)*time.Second))
		m.Spec.Rho = float64(i + 1)
		a.Add(t, fmt.Sprintf("run-%d", i), m, runner.Done, "")
	}
	r, p := runsOf(t, a)
	p.evals = map[string]evals{}
	r.Size(90, 38)
	r.Wait(3*time.Second, time.Second)
	if n := len(p.evals); n != 1 {
		t.Errorf("on a narrow screen the logs of %d runs were read, want 1", n)
	}
	r.Size(160, 40)
	r.Wait(3*time.Second, time.Second)
	rows := layRuns(160, 40).rows
	s := tuitest.Text(r.Shot())
	if len(p.evals) != rows {
		t.Errorf("%d logs were read, want one for each of %d lines in view", len(p.evals), rows)
	}
	if n := strings.Count(s, "▁▁▁▁▁▁▁▁"); n != rows {
		t.Errorf("%d trends are shown, want %d:\n%s", n, rows, s)
	}
	r.Press("end")
	r.Wait(3*time.Second, time.Second)
	if n := len(p.evals); n != 2*rows {
		t.Errorf("at the other end %d logs were read, want %d", n, 2*rows)
	}
}
