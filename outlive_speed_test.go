//go:build linux || darwin || freebsd

package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"drolab/runner"
	"drolab/runner/record"
)

// What viewers cost a run. These tests report and assert nothing of time: in
// their long form (see long) they take windows in two states, in turns, so that
// what else the machine does falls on both.

// windows are how many pairs of windows are measured, and their length.
type windows struct {
	rounds int
	length time.Duration
}

// inLongForm returns w, or a single pair of short ones.
func (w windows) inLongForm() windows {
	if *long {
		return w
	}
	return windows{1, 100 * time.Millisecond}
}

// Where a change of state is dear, its windows are few and long; where it is
// cheap they are many, and the ratio is known better.
var (
	fewWindows  = windows{12, 10 * time.Second}
	manyWindows = windows{40, 5 * time.Second}
)

// meter reads how far the runs of a box are, when they were there by their own
// clock, and what processor time their engine has used. The runs are of one
// kind, so that a step of one is as good as a step of another.
type meter struct {
	*box
	logs []*record.Tail
	at   []int64 // the last step that each of the logs tells of
	now  time.Time
	pid  int
}

type reading struct {
	steps int64 // of all runs
	at    time.Time
	cpu   time.Duration
}

// endless are arguments of a run that no test sees the end of.
func endless(more ...string) []string {
	args := []string{"run", "shapes", "--algo", "sfk", "--set", "samples=2000",
		"--set", "epochs=100000", "--set", "eval_every=100000"}
	return append(args, more...)
}

// meter starts runs in the background, and returns their meter.
func (b *box) meter(runs int) *meter {
	b.Helper()
	b.do(endless("--seeds", strconv.Itoa(runs), "--detach")...)
	return b.meterOf()
}

// meterOf returns a meter of what the engine runs.
func (b *box) meterOf() *meter {
	b.Helper()
	s, err := b.client.Status()
	if err != nil {
		b.Fatal(err)
	}
	m := &meter{box: b, pid: s.PID}
	for _, r := range b.runs() {
		m.logs = append(m.logs, r.Tail())
	}
	m.at = make([]int64, len(m.logs))
	m.read()
	return m
}

// advance takes in what the runs have logged, and tells whether one made a step.
func (m *meter) advance() (stepped bool) {
	m.Helper()
	for i, log := range m.logs {
		for {
			events, err := log.Read()
			if err != nil {
				m.Fatal(err)
			}
			if len(events) == 0 {
				break
			}
			for _, e := range events {
				if e, ok := e.(*runner.StepEvent); ok {
					m.at[i], stepped = e.Step, true
					if e.Time.After(m.now) {
						m.now = e.Time
					}
				}
			}
		}
	}
	return stepped
}

// read returns a reading of the moment at which a run logs its next step.
func (m *meter) read() reading {
	m.Helper()
	m.advance()
	m.await("a step", m.advance)
	r := reading{at: m.now, cpu: cpuTime(m.pid)}
	for _, step := range m.at {
		r.steps += step
	}
	return r
}

// rates are milliseconds a step, of time and of processor time.
type rates struct{ wall, cpu float64 }

// measure returns the rates over a window, of time per step of any of the runs.
func (m *meter) measure(length time.Duration) rates {
	m.Helper()
	from := m.read()
	m.await("the end of the window", func() bool { m.advance(); return m.now.Sub(from.at) >= length })
	to := m.read()
	steps := float64(to.steps - from.steps)
	return rates{to.at.Sub(from.at).Seconds() * 1e3 / steps, (to.cpu - from.cpu).Seconds() * 1e3 / steps}
}

// state is how the run is watched; enter brings that about, until leave.
type state struct {
	name  string
	enter func() (leave func())
}

// compare measures the runs in two states in turns, and reports medians.
func (m *meter) compare(w windows, a, b state) {
	m.Helper()
	w = w.inLongForm()
	states := [2]state{a, b}
	var taken [2][]rates
	for round := range w.rounds {
		for i := range states {
			which := (i + round) % 2 // who is first changes, so that a drift falls on both
			leave := states[which].enter()
			m.measure(w.length / 5) // entering is not counted: a viewer reads all of the logs then
			taken[which] = append(taken[which], m.measure(w.length))
			leave()
		}
	}
	of := func(list []rates, figure func(rates) float64) float64 {
		var values []float64
		for _, r := range list {
			values = append(values, figure(r))
		}
		return median(values)
	}
	figures := map[string]func(rates) float64{
		"time":           func(r rates) float64 { return r.wall },
		"processor time": func(r rates) float64 { return r.cpu },
	}
	for name, figure := range figures {
		var ratios []float64
		for i, r := range taken[0] {
			ratios = append(ratios, figure(taken[1][i])/figure(r))
		}
		m.Logf("%s a step: %s %.3f ms, %s %.3f ms; median ratio of %d pairs %.4f (least %.4f, greatest %.4f)",
			name, a.name, of(taken[0], figure), b.name, of(taken[1], figure),
			w.rounds, median(ratios), slices.Min(ratios), slices.Max(ratios))
	}
}

func median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	n := len(values)
	return (values[n/2] + values[(n-1)/2]) / 2
}

// cpuTime is the processor time that a process has used, to a hundredth of a
// second; 0 where the system does not say.
func cpuTime(pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	const user, system = 11, 12 // counted behind the name, which may hold spaces
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	var ticks int64
	for _, field := range []string{fields[user], fields[system]} {
		n, _ := strconv.ParseInt(field, 10, 64) // digits, says proc(5)
		ticks += n
	}
	return time.Duration(ticks) * (time.Second / 100)
}

// view opens an interface and waits for its first runs.
func (b *box) view() *terminal {
	b.Helper()
	v := b.terminal("attach", "--read-only")
	v.await("the run on the screen", func() bool { return v.shows("sfk s1") })
	return v
}

// end kills the program on the terminal.
func (t *terminal) end() {
	t.cmd.Process.Kill()
	t.cmd.Wait()
	t.file.Close()
	<-t.ended
}

func unwatched() state { return state{"unwatched", func() func() { return func() {} }} }

// TestStoppedViewers has viewers that read nothing any more.
func TestStoppedViewers(t *testing.T) {
	viewers := 3
	if *long {
		viewers = 16
	}
	b := newBox(t)
	m := b.meter(1)
	m.compare(fewWindows, unwatched(), state{fmt.Sprintf("%d stopped viewers", viewers), func() func() {
		var open []*terminal
		for range viewers {
			v := b.view()
			if err := v.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			open = append(open, v)
		}
		return func() {
			for _, v := range open {
				v.end()
			}
		}
	}})
}

// TestHangupSpeed compares a run whose terminal is open with the same run
// after that was closed. It is started from the first of them.
func TestHangupSpeed(t *testing.T) {
	b := newBox(t)
	terminals := []*terminal{b.terminal(endless()...)}
	b.await("a live run", func() bool { s, err := b.client.Status(); return err == nil && len(s.Runs) == 1 })
	m := b.meterOf()
	hangup := func() {
		last := terminals[len(terminals)-1]
		last.file.Close()
		last.cmd.Wait() // it ends by the signal
		<-last.ended
	}
	m.compare(fewWindows,
		state{"with a terminal", func() func() {
			if len(terminals) > 1 || terminals[0].cmd.ProcessState != nil {
				terminals = append(terminals, b.view())
			}
			return hangup
		}},
		state{"after its hangup", func() func() {
			if terminals[len(terminals)-1].cmd.ProcessState == nil {
				hangup()
			}
			return func() {}
		}})
	if s, err := b.client.Status(); err != nil || s.PID != m.pid || len(s.Runs) != 1 {
		t.Errorf("the engine is another one, or its run has ended: %+v, %v", s, err)
	}
}

// TestLiveViewer reports what an interface on four live runs costs, and
// the runs with it. It is stopped in every other window.
func TestLiveViewer(t *testing.T) {
	b := newBox(t)
	m := b.meter(4)
	v := b.view()
	w := fewWindows.inLongForm()
	m.measure(w.length) // its start is not counted
	from, used := time.Now(), cpuTime(v.cmd.Process.Pid)
	for range w.rounds {
		m.measure(w.length)
	}
	took := time.Since(from)
	share := (cpuTime(v.cmd.Process.Pid) - used).Seconds() / took.Seconds()
	t.Logf("a live viewer uses %.2f %% of a core, over %v", 100*share, took.Round(time.Second))
	signal := func(s syscall.Signal) {
		if err := v.cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	m.compare(manyWindows,
		state{"unwatched", func() func() { signal(syscall.SIGSTOP); return func() { signal(syscall.SIGCONT) } }},
		state{"one live viewer", func() func() { return func() {} }})
	v.end()
}
