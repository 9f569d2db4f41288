package box

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/record"
	"drolab/runner/record/recordtest/eventtest"
)

// openMirror returns the mirror of the box gpu1 in the folder dir.
func openMirror(t *testing.T, dir string) *record.Mirror {
	t.Helper()
	m, err := record.OpenMirror(dir, "gpu1")
	must(t, err)
	t.Cleanup(func() { m.Close() }) // a second Close only returns an error
	return m
}

// wantSame checks that a mirror lists what a folder of runs lists, and that it has these logs.
func wantSame(t *testing.T, when, runsDir, mirror string, wanted []string) {
	t.Helper()
	if diff := cmp.Diff(list(t, runsDir), list(t, mirror)); diff != "" {
		t.Fatalf("%s: the mirror lists (+) other runs than the box (-): %s", when, diff)
	}
	theirs, ours := logs(t, runsDir), logs(t, mirror)
	for _, id := range wanted {
		if diff := cmp.Diff(theirs[id], ours[id]); diff != "" {
			t.Fatalf("%s: the log of run %s (+) is not that of the box (-): %s", when, id, diff)
		}
	}
}

// TestMirrorFollows lets a history run on a box. After each change and a look at the runs, the
// mirror lists what the folder there lists, and has the logs that are wanted and those of live
// runs. What is asked over the link is in the mirror without a look. Some conversations end, and
// the mirror is opened again.
func TestMirrorFollows(t *testing.T) {
	for seed := range testsize.Pick(uint64(1), uint64(4), uint64(64)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			h := newHistory(t, seed)
			dir := filepath.Join(t.TempDir(), "mirror")
			m := openMirror(t, dir)
			v := newMadeVerbs(h)
			p := newPairBy(t, h.store.Dir(), m, v)
			for turn := range testsize.Pick(20, 50, 50) {
				var what string
				if h.random.IntN(4) == 0 {
					what = h.ask(p)
					wantSame(t, what, h.store.Dir(), dir, nil)
				} else {
					what = h.change()
				}
				wanted := []string{"run-1", "run-3"}
				p.near.Want(wanted...)
				p.settle()
				p.lookAtAll()
				for id := range h.live {
					wanted = append(wanted, id)
				}
				when := fmt.Sprintf("turn %d, after %s", turn, what)
				wantSame(t, when, h.store.Dir(), dir, wanted)
				if h.random.IntN(8) == 0 {
					must(t, m.Close())
					for range h.random.IntN(4) {
						when += ", " + h.change()
					}
					m = openMirror(t, dir)
					p = newPairBy(t, h.store.Dir(), m, v)
					wantSame(t, when+", in a new conversation", h.store.Dir(), dir, nil)
				}
			}
		})
	}
}

// TestEveryCut ends a conversation after each of its bytes. Whatever the mirror has then, the next
// conversation makes it the same as the box's folder.
func TestEveryCut(t *testing.T) {
	h := newHistory(t, 1)
	for range 30 {
		h.change()
	}
	p := newPair(t, h.store.Dir(), openMirror(t, filepath.Join(t.TempDir(), "mirror")))
	for range 5 { // the log of a live run grows during the conversation
		h.change()
		p.lookAtAll()
	}
	text := p.sent.Bytes()
	step := testsize.Pick(len(text)/5, len(text)/60, 1)
	for cut := 0; cut <= len(text); cut += step {
		dir := filepath.Join(t.TempDir(), "mirror")
		m := openMirror(t, dir)
		near := &nearConversation{Link: NewLink("gpu1", "", nil), out: newSender(io.Discard)}
		near.mirror = m
		in := newReceiver(bytes.NewReader(text[:cut]))
		for {
			f, err := in.next()
			if err != nil {
				break
			}
			must(t, near.take(f))
		}
		must(t, m.Close())
		m = openMirror(t, dir)
		again := newPair(t, h.store.Dir(), m)
		again.lookAtAll()
		wantSame(t, fmt.Sprintf("cut after byte %d of %d", cut, len(text)), h.store.Dir(), dir, nil)
		must(t, m.Close())
	}
}

// farVariable names a folder of runs to this test program, which then is the far side. With
// mirrorVariable, which names the folder of a mirror, it is a process that keeps the mirror.
const (
	farVariable    = "DROLAB_TEST_FAR"
	mirrorVariable = "DROLAB_TEST_MIRROR"
)

// startWriter starts a process that mirrors a folder of runs, and waits until it does.
func startWriter(t *testing.T, runsDir, mirror string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), farVariable+"="+runsDir, mirrorVariable+"="+mirror)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	_, err = bufio.NewReader(out).ReadString('\n')
	must(t, err)
	return cmd
}

// keepMirror keeps a mirror, and says when it is complete.
func keepMirror(mirror string) {
	os.Unsetenv(mirrorVariable) // of the far side
	l := NewLink("gpu1", mirror, SSH(os.Args[0], "gpu1"))
	go l.Run(context.Background())
	l.Await(context.Background(), func(s State) bool { return s.Complete })
	fmt.Println("complete")
	select {}
}

func TestMain(m *testing.M) {
	dir := os.Getenv(farVariable)
	if dir == "" {
		os.Exit(m.Run())
	}
	if mirror := os.Getenv(mirrorVariable); mirror != "" {
		keepMirror(mirror)
	}
	ticks := time.NewTicker(LookEvery)
	side := &FarSide{RunsDir: dir, Ticks: ticks.C, Now: time.Now}
	fmt.Println("Welcome to gpu1!")
	if err := side.Serve(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// sshTo returns a program that starts the far side of a folder of runs, whatever its arguments are.
func sshTo(t *testing.T, runsDir string) string {
	t.Helper()
	script := filepath.Join(t.TempDir(), "ssh")
	text := fmt.Sprintf("#!/bin/sh\n%s='%s' exec '%s'\n", farVariable, runsDir, os.Args[0])
	must(t, os.WriteFile(script, []byte(text), 0o700))
	return script
}

// await waits until the link has reached a state, through all ends of the link.
func await(t *testing.T, l *Link, what string, reached func(State) bool) {
	t.Helper()
	for {
		changed := l.Changed()
		if reached(l.State()) {
			return
		}
		select {
		case <-changed:
		case <-t.Context().Done():
			t.Fatalf("%s: the link is %+v", what, l.State())
		}
	}
}

// startLink runs a link until the test ends.
func startLink(t *testing.T, l *Link) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { l.Run(ctx) })
	t.Cleanup(func() { cancel(); running.Wait() })
}

// TestLink follows a run through a process that is started as ssh is, and that is killed while the
// run goes on. After the next start the mirror has what the box has.
func TestLink(t *testing.T) {
	t.Parallel()
	h := newHistory(t, 1)
	h.create()
	dir := filepath.Join(t.TempDir(), "mirror")
	var far *process
	start := SSH(sshTo(t, h.store.Dir()), "gpu1")
	dial := func(ctx context.Context) (Conn, error) {
		c, err := start(ctx)
		if err == nil {
			far = c.(*process)
		}
		return c, err
	}
	l := NewLink("gpu1", dir, dial)
	startLink(t, l)
	hasLog := func() bool {
		theirs, ours := logs(t, h.store.Dir()), logs(t, dir)
		return ours["run-1"] == theirs["run-1"]
	}
	await(t, l, "at first", func(s State) bool { return s.Linked && s.Live == 1 && hasLog() })
	wantSame(t, "linked", h.store.Dir(), dir, []string{"run-1"})
	must(t, far.cmd.Process.Kill())
	must(t, h.live["run-1"].Append(eventtest.Step(1)))
	await(t, l, "after the kill", func(s State) bool { return !s.Linked })
	if run, err := record.Find(dir, "run-1"); err != nil || run.Status() != runner.Running {
		t.Errorf("without a link the run is %v, %v: want running", run.Status(), err)
	}
	await(t, l, "again", func(s State) bool { return s.Linked && hasLog() })
	h.end("run-1", runner.Done)
	await(t, l, "at the end", func(s State) bool { return s.Live == 0 })
	wantSame(t, "after the end", h.store.Dir(), dir, []string{"run-1"})
}

// TestTwoLinks: of two links of one box one writes the mirror. The other takes over once it ends.
func TestTwoLinks(t *testing.T) {
	testsize.NotShort(t, "the second link waits a second for the end of the first: TestLink "+
		"shows a link that starts again")
	t.Parallel()
	h := newHistory(t, 1)
	h.create()
	ssh := sshTo(t, h.store.Dir())
	dir := filepath.Join(t.TempDir(), "mirror")
	ctx, cancel := context.WithCancel(t.Context())
	first := NewLink("gpu1", dir, SSH(ssh, "gpu1"))
	ended := make(chan struct{})
	go func() { first.Run(ctx); close(ended) }()
	await(t, first, "the first", func(s State) bool { return s.Linked })
	second := NewLink("gpu1", dir, SSH(ssh, "gpu1"))
	startLink(t, second)
	await(t, second, "beside the first", func(s State) bool { return s.Elsewhere && s.Linked })
	before := second.State().Changes
	must(t, h.find("run-1").Relabel(func(l *record.Label) { l.Note = "new" }))
	await(t, second, "after a change", func(s State) bool {
		run, err := record.Find(dir, "run-1")
		return err == nil && run.Label().Note == "new" && s.Changes > before
	})
	cancel()
	<-ended
	await(t, second, "after the first", func(s State) bool { return s.Linked && s.Live == 1 })
}

// TestNoLink: each way in which a box does not answer has its line.
func TestNoLink(t *testing.T) {
	var older bytes.Buffer
	must(t, newSender(&older).send(&frame{Hello: &Hello{Protocol: 0}}))
	hello := filepath.Join(t.TempDir(), "hello")
	must(t, os.WriteFile(hello, older.Bytes(), 0o600))
	for what, c := range map[string]struct{ script, want string }{
		"no drolab": {"echo 'sh: 1: exec: drolab: not found' >&2; exit 127",
			"there is no drolab on the box: drolab box install gpu1 copies this one to it"},
		"no key": {"echo 'me@gpu1: Permission denied (publickey).' >&2; exit 255",
			"ssh must connect without a password"},
		"an unknown host": {"echo 'Host key verification failed.' >&2; exit 255",
			"connect once with ssh by hand"},
		"no drolab that forwards": {`echo 'drolab: unknown command "box-side"' >&2; exit 1`,
			"its drolab is an older one: drolab box install gpu1 puts this version there"},
		"a host without a name": {"echo 'ssh: Could not resolve hostname gpu1' >&2; exit 255",
			"no such host"},
		"a login that says no more": {"echo Maintenance until noon",
			"no drolab answers: Maintenance until noon"},
		"an older drolab": {"echo drolab box-side 1; cat " + hello,
			"speaks protocol 0, and this one speaks 3"},
	} {
		script := filepath.Join(t.TempDir(), "ssh")
		must(t, os.WriteFile(script, []byte("#!/bin/sh\n"+c.script+"\n"), 0o700))
		l := NewLink("gpu1", filepath.Join(t.TempDir(), "mirror"), SSH(script, "gpu1"))
		l.mirror = openMirror(t, l.dir)
		err := l.converse(t.Context())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", what, err, c.want)
		}
	}
}

// TestSlowList: whoever waits for the list of a box that sends it bit by bit without an end goes on
// at once when the command is interrupted, and is told before that how far the list is.
func TestSlowList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial := func(ctx context.Context) (Conn, error) {
			near, far := net.Pipe()
			go io.Copy(io.Discard, far)
			go func() {
				fmt.Fprintln(far, Magic)
				out := newSender(far)
				hello := &Hello{Protocol: protocol, Format: runner.Format}
				runs := map[string]string{}
				for i := range 1000 {
					runs[fmt.Sprint("run-", i)] = "1"
				}
				first := &frame{Versions: &versions{Buckets: []int{0}, Runs: runs, More: true}}
				err := out.send(&frame{Hello: hello}, first)
				for i := 1; err == nil; i++ {
					wait(ctx, 2*time.Second)
					err = out.send(&frame{Versions: &versions{Buckets: []int{i}, More: true}})
				}
			}()
			return near, nil
		}
		l := NewLink("gpu1", filepath.Join(t.TempDir(), "mirror"), dial)
		startLink(t, l)
		ctx, interrupt := context.WithTimeout(t.Context(), 15*time.Second)
		defer interrupt()
		began := time.Now()
		s := l.Await(ctx, func(s State) bool { return s.Complete })
		if took := time.Since(began); took != 15*time.Second || s.Complete || s.Asked != 1000 {
			t.Errorf("after %v the list is complete: %v, and %d runs are awaited; want 15s, not "+
				"complete, and 1000", took, s.Complete, s.Asked)
		}
	})
}

// TestNewestRunsAtRest: a new label of one of the newest runs is seen within a second, whichever
// runs have their turn.
func TestNewestRunsAtRest(t *testing.T) {
	h := newHistory(t, 1)
	for range 3 {
		h.create()
	}
	for _, id := range []string{"run-1", "run-2", "run-3"} {
		h.end(id, runner.Done)
	}
	dir := filepath.Join(t.TempDir(), "mirror")
	p := newPair(t, h.store.Dir(), openMirror(t, dir))
	newest := p.far.order[0]
	for range restingParts { // the turn of the newest run is far
		p.look()
	}
	p.far.resting = 1
	must(t, h.find(newest).Relabel(func(l *record.Label) { l.Note = "new" }))
	for range newestEvery {
		p.far.resting = 1
		p.look()
	}
	wantSame(t, "labelled", h.store.Dir(), dir, nil)
}

// TestChangesOfRunsAtRest: whatever changes in a run at rest is seen, at the latest when its
// version is read again: also what leaves no trace in its folders.
func TestChangesOfRunsAtRest(t *testing.T) {
	h := newHistory(t, 1)
	h.create()
	h.end("run-1", runner.Done)
	dir := filepath.Join(t.TempDir(), "mirror")
	p := newPair(t, h.store.Dir(), openMirror(t, dir))
	p.far.Now = func() time.Time { return time.Now().Add(time.Hour) } // all has long been at rest
	for _, note := range []string{"one", "two", "six"} {
		p.lookAtAll()
		if note == "one" {
			must(t, h.find("run-1").Relabel(func(l *record.Label) { l.Note = note }))
		} else { // in its place, and of the same length
			path := filepath.Join(h.store.Dir(), "run-1", "label.json")
			must(t, os.WriteFile(path, []byte(`{"note":"`+note+`"}`), 0o600))
		}
		for range mostSkipped + 2 {
			p.lookAtAll()
		}
		wantSame(t, "labelled "+note, h.store.Dir(), dir, nil)
	}
}
