package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/record"
	"drolab/runner/spec"

	"golang.org/x/sys/unix"
)

// TestStorm sends an engine with little memory requests that nobody should send: settings and sizes
// beyond all bounds, datasets that are none, nonsense messages. Every verb is answered while its
// client waits, and the engine stays the same process. A run beside them ends with the same bits as
// a run that trains alone.
func TestStorm(t *testing.T) {
	testsize.NotShort(t, "sends dozens of requests, as TestManyConnections and "+
		"TestMutatedFrames do in small")
	if raceDetector {
		t.Skip("the race detector itself takes more memory than the engine is allowed here")
	}
	each := 60 // requests beside one run
	requests := 2 * each
	if testing.Short() {
		each, requests = 30, 30
	}
	if testsize.Long() {
		each, requests = 150, 10_000
	}
	want := alone(t)
	c := spawning(t, short(t), short(t), "test")
	defer func() {
		if t.Failed() {
			log, _ := os.ReadFile(filepath.Join(c.RunsDir, logName))
			at := max(0, bytes.Index(log, []byte("fatal error"))-500)
			t.Logf("the engine's log:\n%s", log[at:min(len(log), at+4000)])
		}
	}()
	_, err := c.Start(calm())
	must(t, err)
	s, err := c.Status()
	must(t, err)
	pid := s.PID
	limit := unix.Rlimit{Cur: 1500 << 20, Max: 1500 << 20}
	must(t, unix.Prlimit(pid, unix.RLIMIT_DATA, &limit, nil))
	st := &storm{Client: c, rng: rand.New(rand.NewPCG(13, 13)), dir: short(t)}
	st.files(t)
	answers := map[string]int{}
	for n := 0; n < requests; n += each {
		ids, err := c.Start(calm())
		must(t, err)
		for range each {
			answers[st.ask(t)]++
		}
		await(t, func() bool { return st.status(t, ids[0]).Ended() })
		if got := comesTo(t, c.RunsDir, ids[0]); !bytes.Equal(got, want) {
			t.Fatalf("after %d requests the run beside is another one: it is %s", n+each,
				st.status(t, ids[0]))
		}
		now, err := c.Status()
		if err != nil {
			t.Fatalf("Status after %d requests: %v", n+each, err)
		}
		if now.PID != pid {
			t.Fatalf("after %d requests the engine is process %d, want still %d", n+each, now.PID,
				pid)
		}
	}
	t.Logf("%d requests: %v", requests, answers)
	must(t, c.Shutdown(true))
}

// calm returns the request of the run beside the harmful ones.
func calm() runner.Request { return brief(dro.SFK, 300) }

// alone returns the result of a calm run with no other run beside it.
func alone(t *testing.T) []byte {
	t.Helper()
	p := start(t, nil)
	ids, err := p.Start(calm())
	must(t, err)
	p.awaitStatus(t, ids[0], runner.Done)
	return comesTo(t, p.RunsDir, ids[0])
}

// comesTo returns the result of a run in JSON: its status, its measures and its last weights.
func comesTo(t *testing.T, runs, id string) []byte {
	t.Helper()
	r, err := record.Find(runs, id)
	must(t, err)
	save, _, err := r.Saved()
	must(t, err)
	state, err := r.Load(save.Step)
	must(t, err)
	b, err := json.Marshal([]any{r.Summary().Status, r.Summary().Measures, state.Parameters})
	must(t, err)
	return b
}

// storm is a client that sends harmful requests.
type storm struct {
	*Client
	rng *rand.Rand
	dir string // of datasets
}

func (s *storm) status(t *testing.T, id string) runner.Status {
	t.Helper()
	r, err := record.Find(s.RunsDir, id)
	must(t, err)
	return r.Status()
}

// files writes the datasets that are traps.
func (s *storm) files(t *testing.T) {
	t.Helper()
	must(t, syscall.Mkfifo(filepath.Join(s.dir, "pipe"), 0o600))
	wide := strings.Repeat("a,", 3) + "label\n1,2,3,0\n"
	var columns strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&columns, "c%d,", i)
	}
	for name, text := range map[string]string{
		"wide.csv":  columns.String() + "label\n" + strings.Repeat("1,", 50_000) + "0\n",
		"field.csv": `a,label` + "\n" + `"` + strings.Repeat("x", 1<<20), "twice.csv": wide,
		"one.csv": "a,label\n1,0\n", "empty.csv": "", "nul.csv": strings.Repeat("\x00", 1<<16),
	} {
		must(t, os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600))
	}
	huge, err := os.Create(filepath.Join(s.dir, "huge.csv"))
	must(t, err)
	must(t, errors.Join(huge.Truncate(1<<40), huge.Close())) // a hole
}

func pick[T any](s *storm, list ...T) T { return list[s.rng.IntN(len(list))] }

// ask sends one request and returns its kind and answer.
func (s *storm) ask(t *testing.T) string {
	t.Helper()
	if s.rng.IntN(4) == 0 {
		return s.nonsense(t)
	}
	var err error
	var ids []string
	what := pick(s, "start", "start", "start", "verb")
	if what == "start" {
		ids, err = s.Start(s.request())
		for _, id := range ids {
			must(t, s.stopped(id))
		}
	} else {
		run := pick(s, "", "..", "../../etc", "latest", strings.Repeat("a", 5000),
			"\x1b[2J", "x\ny")
		ask := pick(s, s.Pause, s.Stop, s.Resume,
			func(id string) error { _, err := s.Checkpoint(id); return err },
			func(id string) error {
				return s.Knob(id, pick(s, "lr", "epochs", "\x00"), pick(s, "1e999", "auto", "-0"))
			})
		err = ask(run)
	}
	var slow net.Error
	if errors.As(err, &slow) && slow.Timeout() || errors.Is(err, errLate) {
		t.Fatalf("%s is not answered in time: %v", what, err)
	}
	if err != nil && strings.Contains(err.Error(), "internal error") {
		t.Errorf("%s: error %v, want no internal error", what, err)
	}
	if err == nil {
		return what + " done"
	}
	return what + " refused"
}

// stopped stops a run that has started.
func (s *storm) stopped(id string) error {
	err := s.Stop(id)
	if errors.Is(err, runner.ErrNotRunning) {
		return nil // it has failed or ended
	}
	return err
}

// request returns a start with some settings beyond their bounds.
func (s *storm) request() runner.Request {
	r := brief(pick(s, dro.Algorithms()...), 3)
	spec := &r.Specs[0]
	file := pick(s, "pipe", "wide.csv", "field.csv", "one.csv", "empty.csv",
		"nul.csv", "huge.csv", "twice.csv", "missing")
	spec.Dataset = pick(s, "csv:example", "csv:example", "shapes", "cifar10",
		"csv:"+s.dir, "csv:/dev/zero", "csv:/dev/stdin", "csv:/proc/kmsg", "csv:/proc/self/mem",
		"idx:/dev", "idx:"+s.dir, "\x1b]52;c;x", "csv:", "csv:"+filepath.Join(s.dir, file))
	ints := []int{0, 1, 2, -1, 33, 1 << 31, 2_000_000_000, 1<<63 - 1, -1 << 63}
	floats := []float64{0, 1, -1, 1e-320, 1e308, 1e-45, 0.5}
	for range 1 + s.rng.IntN(3) {
		switch s.rng.IntN(12) {
		case 0:
			spec.Samples = pick(s, ints...)
		case 1:
			spec.Batch = pick(s, ints...)
		case 2:
			spec.BatchZ = pick(s, ints...)
		case 3:
			spec.Epochs = pick(s, ints...)
		case 4:
			spec.LR = pick(s, floats...)
		case 5:
			spec.Rho, spec.K = pick(s, floats...), pick(s, floats...)
		case 6:
			spec.CheckpointEvery, spec.LogEvery = pick(s, ints...), pick(s, ints...)
		case 7:
			spec.Model = pick(s, "alexnet", "mlp", "resnet8", "none", "\x00")
		case 8:
			spec.ValFraction = pick(s, floats...)
		case 9:
			r.Threads = pick(s, ints...)
		case 10:
			r.Parent = pick(s, "latest@3", "x@-1", "@", "../..@1", "x@99999999999999999999")
		case 11:
			spec.Mean = make([]float64, s.rng.IntN(2000))
			spec.Std = make([]float64, s.rng.IntN(2000))
		}
	}
	return r
}

// nonsense sends a message that no client sends, to either socket.
func (s *storm) nonsense(t *testing.T) string {
	t.Helper()
	i, ok := readLockInfo(s.RunsDir)
	if !ok {
		t.Fatal("the lock file says nothing")
	}
	usual := runner.Request{Specs: []spec.Spec{spec.Defaults()}}
	good, err := json.Marshal(request{Order: runner.Order{Verb: verbStart},
		Folder: at(t, s.RunsDir), Start: &usual})
	must(t, err)
	from := bytes.Index(good, []byte(`,"start":`)) // behind the fields of every request
	about := func(rest string) []byte { return append(bytes.Clone(good[:from]), rest...) }
	for range 1 + s.rng.IntN(5) {
		good[from+s.rng.IntN(len(good)-from)] = byte(s.rng.Uint32())
	}
	say := pick(s, good, bytes.Repeat([]byte("["), 200_000), about(`,"start":null}`),
		about(`,"start":{"Specs":[null]}}`), []byte(`{"verb":"status"`), []byte("\x00\xff"),
		about(`,"start":{"Specs":[{"algorithms":null,"log_every":null}]}}`))
	_, answer, err := talk(t, pick(s, i.Control, i.View),
		append(bytes.ReplaceAll(say, []byte("\n"), nil), '\n'))
	var r reply
	if err == nil {
		if err := json.Unmarshal([]byte(answer), &r); err != nil {
			t.Errorf("%.80q is answered %.80q, which is no reply: %v", say, answer, err)
		} else if r.Error == "" && len(r.IDs) == 0 {
			t.Errorf("%.80q is answered %.80q, want an error or the names of runs", say, answer)
		}
	}
	for _, id := range r.IDs {
		must(t, s.stopped(id))
	}
	return "nonsense"
}
