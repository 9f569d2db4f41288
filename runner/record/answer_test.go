package record

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/queue"
	"drolab/runner/spec"
)

// TestKilledAfterAnAnswer kills a process at the moment that it reports a knob, a checkpoint, a
// pin, a pause or a fork as done. What it reported is done.
func TestKilledAfterAnAnswer(t *testing.T) {
	if dir, ok := os.LookupEnv("RECORD_ANSWER_DIR"); ok {
		answer(dir)
	}
	t.Parallel()
	kills := 10
	if testing.Short() {
		kills = 3
	} else if testsize.Long() {
		kills = 1000
	}
	rng := rand.New(rand.NewPCG(3, 5))
	counts := map[string]int{}
	for range kills {
		dir := t.TempDir()
		for _, told := range answersBefore(t, dir, 1+rng.IntN(6), func() {}) {
			counts[told[0]]++
			if err := checkAnswer(dir, told); err != nil {
				t.Errorf("%v was answered for: %v", told, err)
			}
		}
		os.RemoveAll(dir)
	}
	t.Logf("%d kills behind %v", kills, counts)
}

// answersBefore starts a process and kills it when it has answered n times and happens has been
// called.
func answersBefore(t *testing.T, dir string, n int, happens func()) (list [][]string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledAfterAnAnswer$")
	cmd.Env = append(os.Environ(), "RECORD_ANSWER_DIR="+dir)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for range n {
		if !lines.Scan() {
			t.Fatalf("the process has ended after %v", list)
		}
		list = append(list, strings.Fields(lines.Text()))
	}
	happens()
	must(t, cmd.Process.Kill())
	cmd.Wait()
	return list
}

// checkAnswer checks that what the process reported as done is on the disk.
func checkAnswer(dir string, told []string) error {
	s := &Store{dir: dir, now: time.Now}
	r, err := Find(dir, told[1])
	if err != nil {
		return err
	}
	n, _ := strconv.ParseInt(told[2], 10, 64)
	switch told[0] {
	case "knob":
		rec, past, err := s.Reopen(told[1])
		if err != nil {
			return err
		}
		defer rec.Close()
		for _, k := range past.Log {
			if k.New.Float() == float64(n)/1000 {
				return nil
			}
		}
		return fmt.Errorf("the log has %v", past.Log)
	case "saved", "paused", "fork":
		saved, ok, err := r.Saved()
		// a run that waits for its turn is paused at its start
		if err == nil && (!ok && n > 0 || saved.Step < n) {
			err = fmt.Errorf("the newest checkpoint is %+v", saved)
		}
		return err
	case "pinned":
		_, err := r.Load(n)
		return err
	}
	return fmt.Errorf("what is that?")
}

// requester is the process that gets killed: a person who asks again and again.
type requester struct {
	store *Store
	queue *queue.Queue
	spec  spec.Spec
	id    string
}

func answer(dir string) {
	s, err := Open(dir)
	check(err)
	a := &requester{store: s, spec: tiny()}
	a.spec.Epochs, a.spec.LogEvery, a.spec.CheckpointEvery = 1<<20, 50, 1000
	a.queue = queue.NewQueue(context.Background(), queue.Settings{Store: s, Threads: 1})
	ids, err := a.queue.Start(runner.Request{Specs: []spec.Spec{a.spec}})
	check(err)
	a.id = ids[0]
	rng := rand.New(rand.NewPCG(uint64(os.Getpid()), 1))
	verbs := []func(n int) string{a.knob, a.save, a.pause, a.pin, a.fork}
	for n := 2; ; n++ {
		fmt.Println(verbs[rng.IntN(len(verbs))](n))
		check(a.queue.Resume(a.id)) // it may be paused
	}
}

// check ends the process that gets killed if there is an error.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

func (a *requester) knob(n int) string {
	check(a.queue.Knob(a.id, "lr", fmt.Sprint(float64(n)/1000)))
	return fmt.Sprint("knob ", a.id, " ", n)
}

// until looks at the run again and again until so returns true, and returns the run.
func (a *requester) until(so func(*Run) bool) *Run {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		r, err := Find(a.store.dir, a.id)
		check(err)
		if so(r) {
			return r
		}
		<-tick.C
	}
}

func (a *requester) save(int) string {
	step, err := a.queue.Checkpoint(a.id)
	for errors.Is(err, runner.ErrNothing) { // it does not train yet
		step, err = a.queue.Checkpoint(a.id)
	}
	check(err)
	return fmt.Sprint("saved ", a.id, " ", step)
}

func (a *requester) pause(int) string {
	check(a.queue.Pause(a.id))
	r := a.until(func(r *Run) bool { return r.Status() == runner.Paused })
	check(r.Settle())
	return fmt.Sprint("paused ", a.id, " ", r.Summary().Steps)
}

func (a *requester) pin(n int) string {
	a.save(n)
	for {
		r, err := Find(a.store.dir, a.id)
		check(err)
		saved, _, err := r.Saved()
		check(err)
		if err := a.store.Pin(a.id, saved.Step); err == nil { // else it was pruned meanwhile
			return fmt.Sprint("pinned ", a.id, " ", saved.Step)
		}
	}
}

func (a *requester) fork(n int) string {
	step := strings.Fields(a.pin(n))[2]
	ids, err := a.queue.Start(runner.Request{Parent: a.id + "@" + step, Specs: []spec.Spec{a.spec}})
	check(err)
	check(a.queue.Stop(ids[0]))
	return fmt.Sprint("fork ", ids[0], " ", step)
}
