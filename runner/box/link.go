package box

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/eventlog"
	"drolab/runner/machine"
	"drolab/runner/record"
)

// Dial starts the far side on a box, and returns the conversation with it. Its Close ends both the
// conversation and what Dial has started; the error then is what the connection said last.
type Dial func(ctx context.Context) (Conn, error)

// Conn is a connection to a far side.
type Conn interface {
	io.ReadWriteCloser
}

// State is how a link stands.
type State struct {
	Linked    bool
	Elsewhere bool          // another process of this machine keeps the mirror: this one asks only
	Complete  bool          // in this conversation, the mirror had all runs of the box
	Since     time.Time     // since when it is linked, or is not
	Heard     time.Time     // when the box last spoke, to a few seconds; zero: never
	Known     time.Time     // when any process last wrote what it says into the mirror; zero: never
	Hello     *Hello        // of the far side; nil: it has never said one
	Offset    time.Duration // of the box's clock from ours
	Word      string        // why there is no link; "" while it is made for the first time
	// Unwritable says why this machine cannot write the mirror; "" where it can. What is asked of
	// the box does not need the mirror.
	Unwritable string
	Next       time.Time     // when the next try is made
	Runs       int           // in the mirror
	Live       int           // of these
	Bytes      int64         // received, compressed
	Changes    int64         // of the list of runs and of the link, counted
	Problems   []string      // what the box or the mirror said of runs that are not shown
	GPUs       []machine.GPU // as the box last said
	Asked      int           // runs that were asked for in this conversation
	Come       int           // of these
}

// Link keeps the mirror of a box up to date, and sends verbs there. Of several processes on one
// mirror one keeps it. Each has a link of its own. Its methods may be used from any goroutine.
type Link struct {
	box, dir string
	dial     Dial
	now      func() time.Time

	mu       sync.Mutex
	state    State
	heard    time.Time       // of a conversation: its start, or when something came
	silent   bool            // the conversation was ended because nothing came
	mirror   *record.Mirror  // nil: this process does not write it
	wanted   map[string]bool // runs whose logs were asked for by Want
	others   map[string]bool // runs whose logs other processes want
	followed map[string]bool // runs whose logs the far side sends
	refused  map[string]bool // runs whose logs are not asked for until they are wanted again
	live     map[string]bool
	out      *sender       // nil: there is no conversation
	changed  chan struct{} // closed at the next change
	requests requests
	over     chan struct{} // closed when Run has returned
}

// Linked is a box with its link.
type Linked struct {
	Name string
	Dir  string // of the mirror
	Link *Link
}

// NewLink returns the link of a box whose mirror is in the folder dir.
func NewLink(box, dir string, dial Dial) *Link {
	l := &Link{box: box, dir: dir, dial: dial, now: time.Now, wanted: map[string]bool{},
		refused: map[string]bool{}, followed: map[string]bool{}, live: map[string]bool{},
		changed: make(chan struct{}), over: make(chan struct{})}
	l.readKnown()
	return l
}

// State returns how the link stands.
func (l *Link) State() State {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.state
	s.Live = len(l.live)
	if l.mirror != nil {
		s.Runs = l.mirror.Count()
	}
	return s
}

// Changed returns a channel that is closed at the next change of the mirror or of the state.
// Whoever waits for a state takes the channel before it looks at the state.
func (l *Link) Changed() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed
}

// change tells of a change. The caller holds mu.
func (l *Link) change() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// Await waits until the state is as wanted, the mirror cannot become so, or ctx is cancelled.
func (l *Link) Await(ctx context.Context, wanted func(State) bool) State {
	for {
		changed := l.Changed()
		s := l.State()
		if wanted(s) || s.Elsewhere || s.Unwritable != "" || !s.Linked && s.Word != "" {
			return s
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return s
		}
	}
}

// Fetch asks for the logs of these runs, and waits until the mirror has all that the box had said
// of them or has no room, there is no link, or ctx is cancelled.
func (l *Link) Fetch(ctx context.Context, ids ...string) {
	l.Want(ids...)
	l.Await(ctx, func(State) bool { return !slices.ContainsFunc(ids, l.isBehind) })
	last, since := int64(-1), l.now() // of the logs here, which another process writes
	for l.State().Elsewhere && slices.ContainsFunc(ids, l.isBehind) && ctx.Err() == nil {
		if bytes := l.logBytes(ids); bytes != last {
			last, since = bytes, l.now()
		} else if l.now().Sub(since) > silence {
			return
		}
		wait(ctx, LookEvery)
	}
}

// logBytes returns the bytes of the logs that the mirror has of some runs.
func (l *Link) logBytes(ids []string) (bytes int64) {
	for _, id := range ids {
		if info, err := os.Lstat(filepath.Join(l.dir, id, eventlog.LogName)); err == nil {
			bytes += info.Size()
		}
	}
	return bytes
}

// isBehind reports whether the mirror lacks a part of the log of a run that it has and that is
// wanted.
func (l *Link) isBehind(id string) bool {
	l.mu.Lock()
	wanted := l.wanted[id]
	l.mu.Unlock()
	run, err := record.Find(l.dir, id)
	return wanted && err == nil && !run.LogIsHere()
}

// handOver is how long another process may be gone before this one writes the mirror.
const handOver = time.Second

// Run keeps the link until ctx is cancelled. While another process writes the mirror, it only has a
// conversation for verbs.
func (l *Link) Run(ctx context.Context) {
	defer close(l.over)
	l.openMirror()
	var waiting sync.WaitGroup
	waiting.Go(func() { l.awaitMirror(ctx) })
	l.keepLinked(ctx)
	waiting.Wait()
	l.closeMirror()
}

// openMirror begins to write the mirror, unless another process writes it, or nobody can.
func (l *Link) openMirror() {
	l.readKnown()
	m, err := record.OpenMirror(l.dir, l.box)
	held := errors.Is(err, disk.ErrHeld)
	l.mu.Lock()
	l.mirror, l.state.Elsewhere, l.state.Unwritable = m, held, ""
	if err != nil && !held {
		l.state.Unwritable = l.sayUnwritable(err)
	}
	out, frames := l.out, l.beginMirroring()
	l.change()
	l.mu.Unlock()
	if out != nil {
		_ = out.send(frames...) // if it fails, the conversation ends
	}
}

// awaitMirror waits until this process writes the mirror. Meanwhile it tells the one that does so
// which logs are wanted here, and takes in that the mirror has changed.
func (l *Link) awaitMirror(ctx context.Context) {
	wants := &wantFile{dir: wantsDir(l.dir)}
	defer wants.remove()
	known := record.MirrorChanged(l.dir)
	for ctx.Err() == nil && l.writes() == nil {
		l.mu.Lock()
		ids, elsewhere := slices.Sorted(maps.Keys(l.wanted)), l.state.Elsewhere
		l.mu.Unlock()
		if elsewhere {
			wants.write(ids)
		}
		wait(ctx, handOver)
		if now := record.MirrorChanged(l.dir); !now.Equal(known) {
			known = now
			l.mu.Lock()
			l.state.Changes++
			l.change()
			l.mu.Unlock()
		}
		if ctx.Err() == nil {
			l.openMirror()
		}
	}
}

func (l *Link) closeMirror() {
	l.mu.Lock()
	m := l.mirror
	l.mirror = nil
	l.mu.Unlock()
	if m != nil {
		m.Close() // what it has not released, the end of the process releases
	}
}

// wait waits, or until ctx is cancelled.
func wait(ctx context.Context, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// Pauses before the next try, after tries that failed one after another.
const (
	firstPause = time.Second
	mostPause  = 30 * time.Second
)

// keepLinked has one conversation after another.
func (l *Link) keepLinked(ctx context.Context) {
	pause := firstPause
	for {
		began := l.now()
		err := l.converse(ctx)
		if ctx.Err() != nil {
			return
		}
		if l.now().Sub(began) > mostPause { // it had held
			pause = firstPause
		}
		l.setDown(err, l.now().Add(pause))
		wait(ctx, pause)
		pause = min(2*pause, mostPause)
	}
}

// sayUnwritable says that this machine cannot write the mirror, and what helps: what could not be
// written is fetched again by itself.
func (l *Link) sayUnwritable(err error) string {
	var full *runner.DiskError
	if errors.As(err, &full) {
		what := strings.TrimSuffix(full.What, " and resume") // a run that has lost its disk
		return fmt.Sprintf("this machine cannot write the mirror in %s: %s", l.dir, what)
	}
	return fmt.Sprintf("this machine cannot write the mirror: %v", err)
}

// setDown takes in that there is no link.
func (l *Link) setDown(err error, next time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state.Linked || l.state.Since.IsZero() {
		l.state.Since = l.now()
	}
	l.state.Linked, l.state.Next = false, next
	l.state.Changes++
	l.state.Word = "the link has ended"
	if err != nil {
		l.state.Word = err.Error()
	}
	l.change()
}

// Times of a conversation.
const (
	pingEvery = 5 * time.Second
	silence   = 30 * time.Second // after which the link counts as lost
)

// converse has one conversation, until it ends.
func (l *Link) converse(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	conn, err := l.dial(ctx)
	if err != nil {
		return err
	}
	closed := sync.OnceValue(conn.Close)
	stop := context.AfterFunc(ctx, func() { closed() })
	defer stop()
	err = l.talk(ctx, conn, func() { closed() })
	l.endConversation()
	said := closed()
	if l.wasSilent() {
		return fmt.Errorf("it has said nothing for %v", silence)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return cmp.Or(said, errEnded) // what was said explains more
	}
	return err
}

var errEnded = errors.New("the connection has ended")

// endConversation takes in that a conversation has ended.
func (l *Link) endConversation() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out = nil
	for seq, w := range l.requests.waiting {
		close(w.lost)
		delete(l.requests.waiting, seq)
	}
}

// wasSilent reports whether a conversation was ended because nothing came, once.
func (l *Link) wasSilent() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.silent
	l.silent = false
	return was
}

// talk has a conversation over a connection that drop closes.
func (l *Link) talk(ctx context.Context, conn Conn, drop func()) error {
	l.received(0)
	var watching sync.WaitGroup
	defer watching.Wait()
	ctx, over := context.WithCancel(ctx)
	defer over()
	defer drop() // a conversation that has ended sends no more
	waiting := newOutbox()
	out := newSender(waiting)
	watching.Go(func() { waiting.run(ctx, conn) })
	watching.Go(func() { l.watchSilence(ctx, out, drop) })
	watching.Go(func() { l.watchWants(ctx) })
	buffered := bufio.NewReader(&countingReader{r: conn, add: l.received})
	if banner, err := skipBanner(buffered); err != nil {
		if banner = strings.TrimSpace(banner); banner != "" {
			return fmt.Errorf("no drolab answers: %.200s", banner)
		}
		return fmt.Errorf("no drolab answers: %w", err)
	}
	hello := &Hello{Protocol: protocol, Format: runner.Format, Clock: l.now()}
	_ = out.send(&frame{Hello: hello}) // if it fails, what is read says more
	in := newReceiver(buffered)
	c := &nearConversation{Link: l, out: out}
	for {
		f, err := in.next()
		if err != nil {
			return err
		}
		if err := c.take(f); err != nil {
			return err
		}
		l.mu.Lock()
		l.change()
		l.mu.Unlock()
	}
}

// watchSilence sends pings, and drops a connection on which nothing comes.
func (l *Link) watchSilence(ctx context.Context, out *sender, drop func()) {
	t := time.NewTicker(pingEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		l.mu.Lock()
		silent := l.now().Sub(l.heard)
		l.mu.Unlock()
		if silent > silence {
			l.mu.Lock()
			l.silent = true
			l.mu.Unlock()
		}
		if silent > silence || out.send(&frame{Ping: true}) != nil {
			drop()
			return
		}
	}
}

// watchWants takes in which logs other processes want.
func (l *Link) watchWants(ctx context.Context) {
	for ctx.Err() == nil {
		if others := readWants(wantsDir(l.dir)); l.writes() != nil {
			l.mu.Lock()
			l.others = others
			l.mu.Unlock()
			l.sendWants()
		}
		wait(ctx, handOver)
	}
}

// writes returns the mirror; nil while another process writes it.
func (l *Link) writes() *record.Mirror {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mirror
}

// received counts bytes that came in; 0 begins to count for a conversation.
func (l *Link) received(n int) {
	l.mu.Lock()
	l.heard = l.now()
	var tell *record.Mirror
	if n > 0 {
		l.state.Bytes += int64(n)
		if l.heard.Sub(l.state.Heard) > pingEvery {
			l.state.Heard = l.heard
			if l.state.upToDate() {
				tell = l.mirror
			}
		}
		if l.state.upToDate() {
			l.state.Known = l.heard
		}
	}
	l.mu.Unlock()
	if tell != nil {
		tell.Heard()
	}
}

type countingReader struct {
	r   io.Reader
	add func(n int)
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if n > 0 {
		c.add(n)
	}
	return n, err
}

// Want asks for the logs of these runs, and for what they get from then on. The logs of live runs
// come anyway.
func (l *Link) Want(ids ...string) {
	l.mu.Lock()
	for _, id := range ids {
		l.wanted[id] = true
		delete(l.refused, id)
	}
	l.mu.Unlock()
	l.sendWants()
}

// sendWants asks for the logs that are wanted. Without a conversation or a mirror, what begins it
// asks.
func (l *Link) sendWants() {
	l.mu.Lock()
	out := l.out
	var frames []*frame
	if out != nil {
		frames = l.follow()
	}
	l.mu.Unlock() // sending may have to wait
	if out != nil {
		_ = out.send(frames...) // if it fails, the conversation ends
	}
}

// beginMirroring returns what asks for all that is new on the box. The caller holds mu.
func (l *Link) beginMirroring() []*frame {
	if l.mirror == nil || l.out == nil {
		return nil
	}
	l.state.Unwritable = ""
	l.followed, l.live = map[string]bool{}, map[string]bool{}
	l.refused = map[string]bool{}
	for _, id := range l.mirror.Live() {
		l.live[id] = true
	}
	have := &frame{Have: hashBuckets(l.mirror.Versions())}
	return append([]*frame{have}, l.follow()...)
}

// follow returns what asks for the logs that are wanted and not followed yet, and ends the others.
// The caller holds mu.
func (l *Link) follow() (frames []*frame) {
	if l.mirror == nil || l.state.Unwritable != "" {
		return nil
	}
	for id := range l.followed {
		if !l.wanted[id] && !l.others[id] && !l.live[id] {
			delete(l.followed, id)
			frames = append(frames, &frame{Unwant: id})
		}
	}
	for _, set := range []map[string]bool{l.wanted, l.others, l.live} {
		for id := range set {
			if l.followed[id] || l.refused[id] || !l.mirror.Has(id) {
				continue // a run that is not there is asked for once it comes
			}
			l.followed[id] = true
			frames = append(frames, &frame{Want: &place{id, l.mirror.Log(id)}})
		}
	}
	return frames
}
