package foreign

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"drolab/runner"
	"drolab/runner/eventlog"
	"drolab/runner/record"
)

// timesIn returns the latest time at each step of a run's log, as it stands, and how its clock and
// its replay end.
func timesIn(t *testing.T, r *record.Run) (list []at, p *eventlog.Progress, end eventlog.Moment) {
	t.Helper()
	p = eventlog.NewProgress(&r.Meta)
	last := map[int64]float64{}
	h, err := eventlog.ReadHistory(r.Tail(), func(e runner.Event) { p.Add(e) })
	if err != nil {
		t.Fatal(err)
	}
	see := func(e runner.Event) {
		if x := e.Header(); x.Elapsed.Applies() {
			last[x.Step] = max(last[x.Step], x.Elapsed.Float())
		}
	}
	for _, e := range h.Steps {
		see(e)
	}
	for _, e := range h.Evals {
		see(e)
	}
	for step, x := range last {
		list = append(list, at{step, x})
	}
	slices.SortFunc(list, func(a, b at) int { return int(a.Step - b.Step) })
	replay := eventlog.NewReplay(r.Tail())
	for replay.Tape() == nil {
		if _, err := replay.Read(); err != nil {
			t.Fatal(err)
		}
	}
	return list, p, replay.Tape().End
}

// TestTimesOfLibraries: the seconds of each step are those that the programs' own libraries read
// from the same files, and the run's clock and its replay end with the last of them.
func TestTimesOfLibraries(t *testing.T) {
	text, err := os.ReadFile("testdata/times.json")
	if err != nil {
		t.Fatal(err)
	}
	var expected map[string][]at
	if err := json.Unmarshal(text, &expected); err != nil {
		t.Fatal(err)
	}
	if len(expected["tensorboard"]) != 10 || len(expected["wandb"]) != 20 {
		t.Fatalf("times.json has %v, want 10 and 20 steps", expected)
	}
	for kind, want := range expected {
		_, r := imports(t, newStore(t), filepath.Join("testdata", kind), options())
		got, p, end := timesIn(t, r)
		if !slices.EqualFunc(got, want, at.is) {
			t.Errorf("%s: the times are %v, want %v", kind, got, want)
		}
		if last := want[len(want)-1].Value; p.Seconds != last || end.Seconds != last || !p.Timed() {
			t.Errorf("%s: the clock ends at %v and the replay at %v, want %v", kind, p.Seconds,
				end.Seconds, last)
		}
	}
}

// TestLogsWithoutTimes: where a log tells no time, there is none, and not the time of the import.
func TestLogsWithoutTimes(t *testing.T) {
	for _, kind := range []string{"lightning", "trainer"} {
		_, r := imports(t, newStore(t), filepath.Join("testdata", kind), options())
		got, p, end := timesIn(t, r)
		if len(got) > 0 || p.Timed() || p.Seconds != 0 || end.Seconds != 0 || end.Step == 0 {
			t.Errorf("%s: times %v, clock %v, replay %+v, want no time", kind, got, p.Seconds, end)
		}
	}
}

// TestTimesOfRows: the columns and keys that tell times, in their forms.
func TestTimesOfRows(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []at
		own  string // a logged value that stands beside the time; empty: there is x alone
	}{
		"elapsed": {"step,x,elapsed\n1,5,0.5\n2,5,2\n", []at{{1, .5}, {2, 2}}, ""},
		"holes":   {"step,x,elapsed\n1,5,\n2,5,2\n", []at{{2, 2}}, ""},
		"seconds": {"step,x,timestamp\n1,5,1700000000\n2,5,1700000090.5\n", []at{{1, 0}, {2, 90.5}},
			""},
		"milliseconds": {"step,x,timestamp\n1,5,1700000000000\n2,5,1700000090500\n",
			[]at{{1, 0}, {2, 90.5}}, ""},
		"text": {"step,x,timestamp\n1,5,2026-01-02 03:04:05\n2,5,2026-01-02 03:05:05.5\n",
			[]at{{1, 0}, {2, 60.5}}, ""},
		"zone": {"step,x,timestamp\n1,5,2026-01-02T03:04:05Z\n2,5,2026-01-02T05:04:06+02:00\n",
			[]at{{1, 0}, {2, 1}}, ""},
		"export": {"step,x,_timestamp,_runtime\n1,5,1700000000,3\n2,5,1700000002,5\n",
			[]at{{1, 3}, {2, 5}}, "user._timestamp"},
		"time":    {"step,x,time\n1,5,1\n2,5,2.5\n", []at{{1, 1}, {2, 2.5}}, "user.time"},
		"of step": {"step,x,time\n1,5,.5\n2,5,.4\n3,5,.6\n", nil, "user.time"},
		"resumed": {"step,x,elapsed\n1,5,1\n2,5,9\n3,5,1\n", nil, ""},
		"backwards": {"step,x,timestamp\n1,5,1700000009\n2,5,1700000002\n3,5,1700000010\n", nil,
			""},
		"garbage": {"step,x,elapsed\n1,5,-1\n2,5,inf\n3,5,nan\n4,5,soon\n", nil, ""},
		"lines": {`{"step": 1, "x": 1, "elapsed": 4}` + "\n" +
			`{"step": 2, "x": 1, "elapsed": 6}` + "\n", []at{{1, 4}, {2, 6}}, ""},
		"day of lines": {`{"step": 1, "x": 1, "timestamp": "2026-01-02T03:04:05"}` + "\n" +
			`{"step": 2, "x": 1, "timestamp": "2026-01-02T03:04:07"}` + "\n",
			[]at{{1, 0}, {2, 2}}, ""},
	} {
		dir := t.TempDir()
		write(t, dir, map[string]string{"m.log": c.text})
		_, r := imports(t, newStore(t), filepath.Join(dir, "m.log"), options())
		got, p, end := timesIn(t, r)
		if !slices.EqualFunc(got, c.want, at.is) || p.Timed() != (c.want != nil) {
			t.Errorf("%s: the times are %v, want %v", name, got, c.want)
		}
		last := 0.0
		if c.want != nil {
			last = c.want[len(c.want)-1].Value
		}
		if p.Seconds != last || end.Seconds != last {
			t.Errorf("%s: the clock ends at %v and the replay at %v, want %v", name, p.Seconds,
				end.Seconds, last)
		}
		values := curves(t, r)
		delete(values, "user.x")
		if delete(values, c.own); len(values) > 0 {
			t.Errorf("%s: there are %v, which are times", name, values)
		}
	}
}

// TestFollowedTimes: a log that is followed has the times of its import.
func TestFollowedTimes(t *testing.T) {
	whole := "step,x,elapsed\n1,5,0.5\n2,5,2\n3,5,7\n"
	dir, store := t.TempDir(), newStore(t)
	path := filepath.Join(dir, "m.csv")
	write(t, dir, map[string]string{"m.csv": whole[:24]})
	r := follow(t, store, path, script{actions: []func(){appends(t, path, whole[24:])}})
	checkFollowed := func(r *record.Run) {
		t.Helper()
		got, p, _ := timesIn(t, r)
		if want := []at{{1, .5}, {2, 2}, {3, 7}}; !slices.Equal(got, want) || p.Seconds != 7 {
			t.Errorf("the times are %v, and the clock ends at %v, want %v", got, p.Seconds, want)
		}
	}
	checkFollowed(r)
	write(t, dir, map[string]string{"n.csv": "step,x,elapsed\n1,5,0.5\n2,5,2\n"})
	other := filepath.Join(dir, "n.csv") // it gets a new column, with which it is rewritten
	checkFollowed(follow(t, store, other, script{actions: []func(){func() {
		write(t, dir, map[string]string{"n.csv": "step,a,x,elapsed\n1,,5,0.5\n2,,5,2\n3,1,5,7\n"})
	}}}))
}
