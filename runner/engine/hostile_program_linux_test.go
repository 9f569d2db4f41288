package engine

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// questions are the questions that have an answer, each with a method that asks it.
var questions = []struct {
	do string
	of dro.Algorithm
}{{"hello-describe", dro.ERM}, {"hello-train", dro.ERM}, {"losses", dro.ERM}, {"outputs", dro.ERM},
	{"norm", dro.ERM}, {"step", dro.ERM}, {"accumulate", "nsgdm"}, {"advance", "nsgdm"},
	{"restart", "jtt"}, {"pick", dro.SFK}, {"swap", dro.SFK}, {"save", dro.ERM},
	{"features", "dfr"}, {"layer", "dfr"}}

// misdeed is what a rogue does.
type misdeed struct {
	how, at string
	of      dro.Algorithm
	seed    int
}

// misdeeds returns each way to misbehave at each question, and mutated answers. Only the long form
// has ways that take seconds at most questions, and with -short there are few questions.
func misdeeds() (list []misdeed) {
	mutations := testsize.Pick(2, 6, 2000)
	for _, q := range questions {
		if testing.Short() && q.do != "losses" {
			continue
		}
		for _, how := range []string{"long", "long-head", "short", "silent", "alive"} {
			slow := misdeed{how: how}.waits()
			onlyLong := slow && q.do != "losses" && q.do != "save" || how == "long-head"
			if onlyLong && !testsize.Long() ||
				how == "alive" && q.do == "hello-describe" || // there is no run yet
				how == "short" && !strings.HasPrefix(q.do, "hello") && empty[q.do] {
				continue
			}
			list = append(list, misdeed{how, q.do, q.of, 0})
		}
	}
	list = append(list, misdeed{"saves-much", "save", dro.ERM, 0})
	rng := rand.New(rand.NewPCG(17, 17))
	for i := range mutations {
		q := questions[rng.IntN(len(questions))]
		list = append(list, misdeed{"mutated", q.do, q.of, i})
	}
	return list
}

// empty holds the questions whose answers have no arrays.
var empty = map[string]bool{"advance": true, "restart": true, "pick": true, "swap": true,
	"save": true}

// TestHostileProgram trains programs that misbehave at every question in turn, or change bytes of
// an answer, in an engine with little memory. Each ends its own run, in one line. The engine stays
// the same process, and a run beside them ends with the same bits as a run that trains alone.
func TestHostileProgram(t *testing.T) {
	testsize.NotShort(t, "trains a dozen bad programs: TestHostile of runner/bridge has them "+
		"without an engine")
	if raceDetector {
		t.Skip("the detector takes more memory than the engine may")
	}
	const memory = 1 << 30
	want := alone(t)
	exe, err := os.Executable()
	must(t, err)
	program, approved := filepath.Join(short(t), "rogue.sh"), bridge.Approvals(short(t))
	must(t, os.WriteFile(program, []byte("#!/bin/sh\nexec '"+exe+"' \"$@\"\n"), 0o700))
	must(t, approved.Approve(program))
	t.Setenv("DROLAB_TEST_PROGRAMS", string(approved))
	c := spawning(t, short(t), short(t), "test")
	_, err = c.Start(calm())
	must(t, err)
	s, err := c.Status()
	must(t, err)
	t.Logf("the engine has %d MB by %s", memory>>20, confine(t, s.PID, memory))
	ends := map[string]int{}
	for list := misdeeds(); len(list) > 0; {
		ids, err := c.Start(calm())
		must(t, err)
		part := list[:min(50, len(list))]
		var waiting []func() string
		for _, m := range part {
			if !m.waits() {
				ends[m.how+": "+m.begin(t, c, program)()]++
			}
		}
		for _, m := range part { // beside each other, and after those that they would hold up
			if m.waits() {
				waiting = append(waiting, m.begin(t, c, program))
			}
		}
		for _, end := range waiting {
			ends["waits: "+end()]++
		}
		list = list[len(part):]
		await(t, func() bool { return statusOf(t, c, ids[0]).Ended() })
		if got := comesTo(t, c.RunsDir, ids[0]); !bytes.Equal(got, want) {
			t.Fatalf("beside %v the run is another one: it is %s", part, statusOf(t, c, ids[0]))
		}
		now, err := c.Status()
		if err != nil {
			t.Fatalf("Status after %v: %v", part, err)
		}
		if now.PID != s.PID {
			t.Fatalf("after %v the engine is process %d, want still %d", part, now.PID, s.PID)
		}
	}
	for end, n := range ends {
		t.Logf("%4d %s", n, end)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.PID))
	must(t, err)
	for line := range strings.Lines(string(status)) {
		if strings.HasPrefix(line, "VmHWM:") {
			t.Log("the engine's memory: ", line)
		}
	}
	must(t, c.Shutdown(true))
}

// waits reports whether drolab waits for the program until its patience ends.
func (m misdeed) waits() bool { return m.how == "silent" || m.how == "alive" }

// begin trains the program, and has a run that is alive at the question stopped. The returned
// function waits for the run, and says how it ended.
func (m misdeed) begin(t *testing.T, c *Client, program string) (end func() string) {
	t.Helper()
	r := brief(m.of, 2)
	s := &r.Specs[0]
	s.Dataset = spec.ProgramData
	s.Model = spec.Program{Path: program,
		Words: []string{m.how, m.at, fmt.Sprint(m.seed)}}.String()
	s.CertifyEvery = 1
	if patience, waits := map[string]float64{"silent": 4, "alive": 4, "mutated": 1}[m.how]; waits {
		s.ProgramPatience = patience
	}
	if m.of == "jtt" {
		s.SetOwn("jtt_epochs", dro.Fixed(1))
	}
	ids, err := c.Start(r)
	if err != nil && (m.at == "hello-describe" || m.how == "mutated") { // or the machine is slow
		return func() string { return m.checked(t, err.Error()) }
	}
	if err != nil {
		t.Fatalf("%v: %v", m, err)
	}
	stopped := make(chan error, 1)
	if m.how == "alive" {
		run, err := record.Find(c.RunsDir, ids[0])
		must(t, err)
		await(t, func() bool {
			b, _ := os.ReadFile(filepath.Join(run.Dir, runner.ProgramLogName))
			return bytes.Contains(b, []byte("alive"))
		})
		go func() { stopped <- c.Stop(ids[0]) }()
	} else {
		stopped <- nil
	}
	return func() string {
		if err := <-stopped; err != nil && !errors.Is(err, runner.ErrNotRunning) {
			t.Errorf("%v: Stop: %v", m, err)
		}
		return m.end(t, c, ids[0])
	}
}

// end waits for the end of a run of the program, and returns how it ended.
func (m misdeed) end(t *testing.T, c *Client, id string) string {
	t.Helper()
	await(t, func() bool { return statusOf(t, c, id).Ended() })
	run, err := record.Find(c.RunsDir, id)
	must(t, err)
	if got := run.Status(); got != runner.Failed && m.how != "mutated" {
		t.Errorf("%v: the run is %s, want %s", m, got, runner.Failed)
	}
	if run.Status() != runner.Failed {
		return string(run.Status())
	}
	return m.checked(t, run.Summary().Cause)
}

// checked returns the cause of a failure, which must be one line about the program.
func (m misdeed) checked(t *testing.T, cause string) string {
	t.Helper()
	if cause == "" || len(cause) > 1000 {
		t.Errorf("%v: a cause of %d bytes, want 1 to 1000: %q", m, len(cause), cause)
	}
	wantPlainLine(t, fmt.Sprint(m), cause)
	return fmt.Sprintf("%.150s", cause)
}
