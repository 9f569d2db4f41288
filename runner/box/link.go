package box

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"drolab/runner"
	"drolab/runner/disk"
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
	Elsewhere bool          // another process of this machine keeps the mirror up to date
	Complete  bool          // in this conversation, the mirror had all runs of the box
	Since     time.Time     // since when it is linked, or is not
	Heard     time.Time     // when the box last spoke, to a few seconds; zero: never
	Known     time.Time     // when any process last wrote what it says into the mirror; zero: never
	Hello     *Hello        // of the far side; nil: it has never said one
	Offset    time.Duration // of the box's clock from ours
	Word      string        // why there is no link; "" while it is made for the first time
	Next      time.Time     // when the next try is made
	Runs      int           // in the mirror
	Live      int           // of these
	Bytes     int64         // received, compressed
	Changes   int64         // of the list of runs and of the link, counted
	Problems  []string      // what the box or the mirror said of runs that are not shown; the first
}

// Link keeps the mirror of a box up to date. Its methods may be used from any goroutine.
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
	followed map[string]bool // runs whose logs the far side sends
	live     map[string]bool
	out      *sender       // nil: there is no conversation
	changed  chan struct{} // closed at the next change
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
		followed: map[string]bool{}, live: map[string]bool{}, changed: make(chan struct{})}
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

// Await waits until the state is as wanted, there is no link, or ctx is cancelled.
func (l *Link) Await(ctx context.Context, wanted func(State) bool) State {
	for {
		changed := l.Changed()
		s := l.State()
		if wanted(s) || s.Elsewhere || !s.Linked && s.Word != "" {
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
// of them, there is no link, or ctx is cancelled.
func (l *Link) Fetch(ctx context.Context, ids ...string) {
	l.Want(ids...)
	l.Await(ctx, func(State) bool { return !slices.ContainsFunc(ids, l.isBehind) })
}

// isBehind reports whether the mirror lacks a part of the log of a run that it has.
func (l *Link) isBehind(id string) bool {
	run, err := record.Find(l.dir, id)
	return err == nil && !run.LogIsHere()
}

// handOver is how long another process may be gone before this one writes the mirror.
const handOver = time.Second

// Run keeps the link until ctx is cancelled. While another process writes the mirror, it waits for
// its end.
func (l *Link) Run(ctx context.Context) {
	for ctx.Err() == nil {
		l.readKnown()
		m, err := record.OpenMirror(l.dir, l.box)
		if err == nil {
			l.setMirror(m)
			l.keepLinked(ctx)
			l.setMirror(nil)
			m.Close() // what it has not released, the end of the process releases
			return
		}
		l.setDown(err, l.now().Add(handOver))
		wait(ctx, handOver)
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

func (l *Link) setMirror(m *record.Mirror) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mirror, l.state.Elsewhere = m, false
	l.change()
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

// setDown takes in that there is no link.
func (l *Link) setDown(err error, next time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state.Linked || l.state.Since.IsZero() {
		l.state.Since = l.now()
	}
	l.state.Linked, l.state.Next = false, next
	l.state.Elsewhere = errors.Is(err, disk.ErrHeld)
	l.state.Changes++
	l.state.Word = "the link has ended"
	if err != nil {
		l.state.Word = err.Error()
	}
	l.out = nil
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
	said := closed()
	if l.wasSilent() {
		return fmt.Errorf("it has said nothing for %v", silence)
	}
	if said != nil && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)) {
		return said // it explains more than that the conversation has ended
	}
	return err
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
	out := newSender(conn)
	watching.Go(func() { l.watchSilence(ctx, out, drop) })
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
	}
	out := l.out
	var frames []*frame
	if out != nil { // else the next conversation asks
		frames = l.follow()
	}
	l.mu.Unlock() // sending may have to wait
	if out != nil {
		_ = out.send(frames...) // if it fails, the conversation ends
	}
}

// follow returns what asks for the logs that are wanted and not followed yet, and ends the others.
// The caller holds mu.
func (l *Link) follow() (frames []*frame) {
	for id := range l.followed {
		if !l.wanted[id] && !l.live[id] {
			delete(l.followed, id)
			frames = append(frames, &frame{Unwant: id})
		}
	}
	for _, set := range []map[string]bool{l.wanted, l.live} {
		for id := range set {
			if !l.followed[id] && l.mirror.Has(id) { // else it is asked for once it comes
				l.followed[id] = true
				frames = append(frames, &frame{Want: &place{id, l.mirror.Log(id)}})
			}
		}
	}
	return frames
}

// nearConversation is the state of a conversation on this machine.
type nearConversation struct {
	*Link
	out *sender

	coming string            // the run whose files come in
	files  map[string][]byte // of that run, so far
	size   int               // bytes in files
}

// maxParts bounds the files of a run while they come in.
const maxParts = 64 << 20

// take takes in one frame.
func (c *nearConversation) take(f *frame) error {
	switch {
	case f.Hello != nil:
		return c.greet(f.Hello)
	case f.Versions != nil:
		return c.compare(f.Versions)
	case f.File != nil:
		return c.addPart(f.File, f.body)
	case f.Run != "":
		return c.put(f.Run)
	case f.Lines != nil:
		return c.append(f.Lines, f.body)
	case f.Gone != "":
		c.forget(f.Gone)
		return c.mirror.Remove(f.Gone)
	case f.All:
		c.mu.Lock()
		defer c.mu.Unlock()
		c.state.Complete = true
	case f.Problem != "":
		c.addProblem(f.Problem)
	case f.Pong != nil:
		c.mu.Lock()
		defer c.mu.Unlock()
		c.state.Offset = f.Pong.Sub(c.now())
	}
	return nil
}

// greet takes in the hello of the far side, and asks for what is new there.
func (c *nearConversation) greet(h *Hello) error {
	switch {
	case h.Protocol != protocol:
		return fmt.Errorf("box %s: its drolab %s speaks protocol %d, and this one speaks %d: "+
			"install the same version there", c.box, h.Version, h.Protocol, protocol)
	case h.Format != runner.Format:
		return fmt.Errorf("box %s: its drolab %s writes format %d, and this one reads format %d: "+
			"install the same version there", c.box, h.Version, h.Format, runner.Format)
	}
	c.mu.Lock()
	c.state.Linked, c.state.Since, c.state.Word = true, c.now(), ""
	c.state.Complete, c.state.Next, c.state.Problems = false, time.Time{}, nil
	c.state.Hello, c.state.Offset = h, h.Clock.Sub(c.now())
	c.state.Changes++
	c.Link.out, c.followed, c.live = c.out, map[string]bool{}, map[string]bool{}
	for _, id := range c.mirror.Live() {
		c.live[id] = true
	}
	have := &frame{Have: hashBuckets(c.mirror.Versions())}
	frames := append([]*frame{have}, c.follow()...)
	c.mu.Unlock()
	return c.out.send(frames...)
}

// addProblem takes in what is wrong with a run. The other runs go on.
func (c *nearConversation) addProblem(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	const most = 10
	if len(c.state.Problems) < most && !slices.Contains(c.state.Problems, text) {
		c.state.Problems = append(slices.Clone(c.state.Problems), text)
	}
}

// compare removes the runs that the box has no more, and asks for the heads of those that the
// mirror lacks or has in another version.
func (c *nearConversation) compare(v *versions) error {
	var ask []string
	mine := c.mirror.Versions()
	for id, version := range v.Runs {
		if mine[id] != version {
			ask = append(ask, id)
		}
	}
	for id := range mine {
		_, there := v.Runs[id]
		if !there && slices.Contains(v.Buckets, bucketOf(id)) {
			c.forget(id)
			if err := c.mirror.Remove(id); err != nil {
				return err
			}
		}
	}
	return c.out.send(&frame{Heads: &heads{IDs: ask, More: v.More}})
}

// forget forgets a run that the box no longer has.
func (c *nearConversation) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.live, id)
	delete(c.followed, id)
	c.state.Changes++
}

// addPart adds a piece of a file of the run that is coming in.
func (c *nearConversation) addPart(p *filePart, piece []byte) error {
	if p.ID != c.coming || c.files == nil {
		c.coming, c.files, c.size = p.ID, map[string][]byte{}, 0
	}
	if c.size += len(piece) + len(p.Name); c.size > maxParts {
		return fmt.Errorf("box %s: run %.200q has more than %d bytes of files",
			c.box, p.ID, maxParts)
	}
	c.files[p.Name] = append(c.files[p.Name], piece...)
	return nil
}

// put puts a run into the mirror whose files are complete. A run that the mirror refuses is passed
// over.
func (c *nearConversation) put(id string) error {
	h := &record.Head{ID: id, Files: c.files}
	if id != c.coming {
		h.Files = nil
	}
	c.coming, c.files = "", nil
	err := json.Unmarshal(h.Files[verdictName], &h.Verdict)
	if err != nil {
		c.addProblem(fmt.Sprintf("run %.200q: its verdict: %v", id, err))
		return nil
	}
	delete(h.Files, verdictName)
	if err := c.mirror.Put(h); err != nil {
		return c.orProblem(err)
	}
	c.mu.Lock()
	c.state.Changes++
	lives := h.Verdict.Held || !h.Verdict.Summary.Status.Ended()
	if lives {
		c.live[id] = true
	} else if c.mirror.Log(id).Bytes >= h.Verdict.LogBytes {
		delete(c.live, id) // all of its log is here
	}
	frames := c.follow()
	c.mu.Unlock()
	return c.out.send(frames...)
}

// orProblem returns an error that concerns all runs, such as that of a full disk. Of any other the
// user is told.
func (c *nearConversation) orProblem(err error) error {
	var full *runner.DiskError
	if errors.As(err, &full) {
		return err
	}
	c.addProblem(err.Error())
	return nil
}

// append appends lines to a log. Where the box has sent them for another log than the mirror has,
// it is asked again.
func (c *nearConversation) append(p *place, lines []byte) error {
	_, err := c.mirror.Append(p.ID, p.LogState, lines)
	switch {
	case errors.Is(err, record.ErrOtherLog):
		return c.out.send(&frame{Want: &place{p.ID, c.mirror.Log(p.ID)}})
	case err != nil:
		return c.orProblem(err)
	}
	return nil
}
