package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/queue"
	"drolab/runner/record"
)

// Settings are the settings of an engine.
type Settings struct {
	queue.Settings // of its queue; Run sets Store and Reports
	RunsDir        string
	// RuntimeDir is $XDG_RUNTIME_DIR, where the sockets are made. If it is empty or unusable, a
	// folder below /tmp is used.
	RuntimeDir string
	// Idle is how long after its last run the engine ends; 0 is 5 minutes.
	Idle time.Duration
	// Log receives a line for each request and each problem.
	Log io.Writer
	// Work, if not nil, is called again and again. It returns work that the engine does without
	// being asked, until the context of that work is cancelled; nil means that there is none now.
	// The engine does not end by itself before the work is over.
	Work func() func(context.Context, *queue.Queue)

	// look is the time between two looks around; 0 is 2 seconds, or a quarter of Idle if that is
	// less.
	look       time.Duration
	endTimeout time.Duration // limit for starts and requests that do not end; 0: replyTimeout
}

// errRunning says that the runs folder has its engine already.
var errRunning = errors.New("an engine is running already")

// engine is the state of the process. The Queue owns the runs.
type engine struct {
	settings Settings
	folder   runsFolder
	home     *os.File // the runs folder, held open so that its inode is not reused
	queue    *queue.Queue
	started  time.Time

	mu     sync.Mutex
	asking int       // connections to the control socket
	enders int       // connections among these that ask for a shutdown
	last   time.Time // when the engine was last in use
	ending bool      // whether nobody is served any more
	wanted bool      // whether a shutdown has asked for the end
	works  bool      // whether work of Settings.Work is under way
	wake   chan struct{}

	conns   sync.WaitGroup  // one for each connection
	over    context.Context // cancelled when every run has ended
	setOver context.CancelFunc
}

// Run runs an engine until ctx is cancelled, a client shuts it down, or it has been idle for long.
// Runs that are live then stop with a checkpoint. The error is errRunning if the folder already has
// an engine.
func Run(ctx context.Context, s Settings) error {
	s.Idle, s.Log = cmp.Or(s.Idle, 5*time.Minute), cmp.Or(s.Log, io.Discard)
	store, err := record.Open(s.RunsDir)
	if err != nil {
		return err
	}
	s.RunsDir, s.Store, s.Reports = store.Dir(), store, store.Dir()
	lock, err := disk.Acquire(filepath.Join(s.RunsDir, lockName))
	if errors.Is(err, disk.ErrHeld) {
		return fmt.Errorf("%w for %s%s", errRunning, s.RunsDir, describeHolder(s.RunsDir))
	}
	if err != nil {
		return err
	}
	defer lock.Release()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	e, err := newEngine(s, queue.NewQueue(ctx, s.Settings))
	if err != nil {
		return err
	}
	defer e.setOver()
	if e.home, err = os.Open(s.RunsDir); err != nil {
		return err
	}
	defer e.home.Close()
	d := &sockets{engine: e, lock: lock}
	if err := d.open(); err != nil {
		return err
	}
	e.logf("ready: pid %d, drolab %s, %s", os.Getpid(), s.Host.Version, d.address.Control)
	if lock.Local() {
		e.logf("the disk has no locks: a file under /tmp keeps this machine's engines apart; "+
			"do not train in %s from two machines at once", s.RunsDir)
	}
	e.serveUntilEnd(ctx, d)
	cancel()
	e.awaitRuns()
	e.setOver()
	d.close()
	e.logf("ended")
	return nil
}

// newEngine returns an engine that serves nobody yet.
func newEngine(s Settings, q *queue.Queue) (*engine, error) {
	folder, err := folderAt(s.RunsDir)
	if err != nil {
		return nil, err
	}
	e := &engine{settings: s, folder: folder, queue: q, started: time.Now(), last: time.Now(),
		wake: make(chan struct{}, 1)}
	e.over, e.setOver = context.WithCancel(context.Background())
	return e, nil
}

// awaitRuns waits until the runs have ended. It gives up on a start that does not end, which may
// hang on a disk that is gone.
func (e *engine) awaitRuns() {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		e.queue.Wait()
	}()
	tick := time.NewTicker(replyTimeout / 100)
	defer tick.Stop()
	for idle := time.Now(); time.Since(idle) < e.endTimeout(); {
		select {
		case <-ended:
			return
		case <-tick.C:
		}
		if len(e.queue.Live()) > 0 {
			idle = time.Now()
		}
	}
	e.logf("a start that does not end is left")
}

func (e *engine) endTimeout() time.Duration { return cmp.Or(e.settings.endTimeout, replyTimeout) }

// describeHolder describes the engine that holds the lock, for an error message.
func describeHolder(runsDir string) string {
	i, ok := readLockInfo(runsDir)
	if !ok {
		return ""
	}
	return fmt.Sprintf(" (pid %d on %s, drolab %s)", i.PID, i.Host, i.Version)
}

// serveUntilEnd keeps the engine in service and returns when the engine is to end.
func (e *engine) serveUntilEnd(ctx context.Context, d *sockets) {
	e.work(ctx)
	often := max(time.Millisecond, min(2*time.Second, e.settings.Idle/4))
	tick := time.NewTicker(cmp.Or(e.settings.look, often))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			e.logf("asked to end by a signal")
			e.end()
			return
		case <-tick.C:
		case <-e.wake:
		}
		e.work(ctx)
		vanished := d.vanished()
		if e.finished(vanished) {
			return
		}
		if vanished {
			e.stopLost()
		}
		d.remakeSockets()
	}
}

// work starts the engine's own work, if there is some and none is under way. Settings.Work reads
// the disk, which may hang, so it is called without e.mu: clients do not wait for it.
func (e *engine) work(ctx context.Context) {
	e.mu.Lock()
	look := e.settings.Work
	if e.works || e.ending {
		look = nil
	}
	e.mu.Unlock()
	if look == nil {
		return
	}
	do := look()
	if do == nil {
		return
	}
	e.setWorking(true, false)
	go func() { e.setWorking(false, e.tryWork(func() { do(ctx, e.queue) })) }()
}

// setWorking records whether work is under way. Broken work is not looked for again, since it would
// break again.
func (e *engine) setWorking(works, broken bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.works = works
	if broken {
		e.settings.Work = nil
	}
}

// tryWork runs work and recovers from a panic in it, so that the runs go on. It reports whether
// work panicked.
func (e *engine) tryWork(work func()) (broken bool) {
	defer func() {
		if p := recover(); p != nil {
			broken = true
			e.logf("the work of the engine's own ends: %v",
				runner.ReportPanic(e.settings.RunsDir, p))
		}
	}()
	work()
	return false
}

// stopLost stops the runs if their folder was removed or moved, because this engine would look for
// them at a path where they no longer are.
func (e *engine) stopLost() {
	if !e.gone() {
		return
	}
	for _, r := range e.queue.Live() {
		err := e.queue.Stop(r.ID)
		e.logf("run %s stops, since its folder was removed or moved: %s", r.ID, outcomeText(err))
	}
}

// finished reports whether the engine is to end: a shutdown asked for it, or the engine has been
// idle for long, or it has no live run and the runs folder is gone. From then on nobody is served.
func (e *engine) finished(vanished bool) bool {
	live := len(e.queue.Live())
	e.mu.Lock()
	defer e.mu.Unlock()
	if live > 0 || e.asking > 0 || e.works {
		e.last = time.Now()
	}
	switch idle := live == 0 && e.asking == 0 && !e.works; {
	case e.wanted:
		e.logf("asked to end by a shutdown")
	case idle && vanished:
		e.logf("the runs folder is gone")
	case idle && time.Since(e.last) >= e.settings.Idle:
		e.logf("idle for %v", e.settings.Idle)
	default:
		return false
	}
	e.ending = true
	return true
}

func (e *engine) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ending = true
}

// begin counts a client in that is about to ask. If the runs folder is gone, it refuses the client,
// since the engine ends soon.
func (e *engine) begin() (end func(), ok bool) {
	if e.gone() {
		e.lookNow()
		return nil, false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ending {
		return nil, false
	}
	e.asking++
	return func() { e.count(&e.asking, -1) }, true
}

// lookNow makes the engine look around now.
func (e *engine) lookNow() {
	select {
	case e.wake <- struct{}{}:
	default: // it is about to look
	}
}

func (e *engine) logf(format string, args ...any) {
	fmt.Fprintf(e.settings.Log, "%s %s\n", time.Now().Format("2006-01-02 15:04:05"),
		fmt.Sprintf(format, args...))
}

func (e *engine) hello() hello {
	return hello{Protocol: protocol, Version: e.settings.Host.Version, PID: os.Getpid(),
		Folder: e.folder}
}

// describe writes a description of this engine into the lock file. A full disk may keep the file
// empty; clients then look for the sockets in their usual places.
func (e *engine) describe(lock *disk.Lock, a address) {
	machine, err := os.Hostname()
	if err != nil {
		machine = "this machine"
	}
	b, err := json.Marshal(lockInfo{a, os.Getpid(), machine, e.settings.Host.Version,
		e.started.UTC()})
	if err == nil {
		_, err = lock.Write(append(b, '\n'))
	}
	if err != nil {
		e.logf("writing the lock file: %v", err)
	}
}
