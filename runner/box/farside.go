package box

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/eventlog"
	"drolab/runner/machine"
	"drolab/runner/record"
)

// LookEvery is the time between two looks of a far side at its runs.
const LookEvery = 250 * time.Millisecond

// FarSide is what runs on a box: it reads a folder of runs and sends what changes in it. By itself
// it writes nothing there but the catalogue in the user's cache. With Verbs it does what the user
// asks of the other side.
type FarSide struct {
	RunsDir string
	Cache   string           // of the catalogue; "" keeps none
	Hello   Hello            // what it says of the box; Protocol and RunsDir are filled in
	Ticks   <-chan time.Time // every LookEvery
	Now     func() time.Time
	Verbs   runner.Verbs         // nil: it only reads
	GPUs    func() []machine.GPU // as they are now; nil: none are known
	DataDir string               // of the datasets
	// Approved returns an error unless the user of the box has approved a program; nil: all are.
	Approved func(path string) error
}

// Serve converses until the input ends or ctx is cancelled.
func (f *FarSide) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	if _, err := fmt.Fprintln(out, Magic); err != nil {
		return err
	}
	s := newFarConversation(f, out)
	if err := s.sayHello(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	asked := make(chan *frame)
	go func() { cancel(receiveAll(ctx, newReceiver(in), asked)) }() // it ends with the input
	err := s.converse(ctx, asked)
	if errors.Is(context.Cause(ctx), io.EOF) {
		return nil
	}
	return err
}

// receiveAll passes on the frames that come in, until the input ends.
func receiveAll(ctx context.Context, from *receiver, to chan<- *frame) error {
	for {
		f, err := from.next()
		if err != nil {
			return err
		}
		select {
		case to <- f:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// farConversation is the state of a conversation on the box. It belongs to one goroutine.
type farConversation struct {
	*FarSide
	out *sender

	told    bool      // the other side was told which runs there are
	listed  time.Time // when the folder had last changed at its last listing
	runs    map[string]*farRun
	order   []string // the names of the runs, those found last first
	resting int      // place in order of the next run at rest that is looked at
	looks   int      // counted

	problems map[string]string // that were sent, by runs

	heads    []string // of runs, asked for and not sent yet
	allAsked bool     // no more heads will be asked for
	logs     map[string]*farLog

	actors actors
}

// farRun is a run as it was looked at last.
type farRun struct {
	run     *record.Run
	held    bool
	version string     // of the head, which the other side has or will ask for
	log     disk.Stamp // of the log
	folders [2]disk.Stamp
	skipped int // looks since the version was last read
}

// foldersOf returns the stamps of a run's folder and of that of its checkpoints. A file that is
// made, renamed or removed changes them, and so does everything that drolab does to a run that has
// ended. They are the zero stamps where they prove nothing: on a system that has no such times, and
// soon after a change.
func foldersOf(r *record.Run, now time.Time) (s [2]disk.Stamp) {
	for i, dir := range []string{r.Dir, filepath.Join(r.Dir, record.CheckpointsName)} {
		s[i] = disk.StampOf(dir)
		young := now.Sub(time.Unix(0, max(s[i].Written, s[i].Changed))) < settleTime
		if i == 0 && s[i].Changed == 0 || young {
			return [2]disk.Stamp{}
		}
	}
	return s
}

// mostSkipped is how many looks at a run at rest may look at its folders only.
const mostSkipped = 15

// unchanged reports whether a run that has ended is as it was. Its folders say so for a while, and
// its version now and then.
func (r *farRun) unchanged(now time.Time) bool {
	if !r.run.Status().Ended() {
		return false
	}
	folders := foldersOf(r.run, now)
	proven := folders == r.folders && folders != [2]disk.Stamp{}
	logged := disk.StampOf(filepath.Join(r.run.Dir, eventlog.LogName)) != r.log
	if proven && !logged && r.skipped < mostSkipped {
		r.skipped++
		return true
	}
	if r.run.Version() != r.version {
		return false
	}
	r.folders, r.skipped = folders, 0
	return true
}

// farLog is a log that the other side wants.
type farLog struct {
	sent   record.LogState
	inode  uint64
	behind bool // the log has more than was sent
}

func newFarConversation(f *FarSide, out io.Writer) *farConversation {
	return &farConversation{FarSide: f, out: newSender(out), runs: map[string]*farRun{},
		logs: map[string]*farLog{}, problems: map[string]string{},
		actors: actors{done: make(chan acted, mostAsks)}}
}

func (s *farConversation) sayHello() error {
	hello := s.Hello
	hello.Protocol, hello.Format = protocol, runner.Format
	hello.RunsDir, hello.Clock = s.RunsDir, s.Now()
	return s.out.send(&frame{Hello: &hello})
}

// converse answers what comes in, and looks at the runs at every tick. Between these it sends heads
// and logs piece by piece, so that no answer waits for a long log.
func (s *farConversation) converse(ctx context.Context, asked <-chan *frame) error {
	at := make(chan struct{})
	close(at)
	for {
		var ready <-chan struct{} // nil: nothing is to be sent
		work := s.work()
		if work != nil {
			ready = at
		}
		var err error
		select {
		case <-ctx.Done():
			return ctx.Err()
		case f := <-asked:
			err = s.answer(ctx, f)
		case of := <-s.actors.done:
			err = s.endAsk(of)
		case <-s.Ticks:
			err = s.look()
		case <-ready: // each time with the same chance as what waits beside it
			err = work()
		}
		if err != nil {
			return err
		}
	}
}

// work returns what is to be sent next; nil: nothing. Heads go before logs.
func (s *farConversation) work() func() error {
	if len(s.heads) > 0 {
		return s.sendNextHead
	}
	for id, l := range s.logs {
		if l.behind {
			return func() error { return s.sendLines(id) }
		}
	}
	return nil
}

// sendNextHead sends the next head that was asked for, and says so after the last one.
func (s *farConversation) sendNextHead() error {
	id := s.heads[0]
	s.heads = s.heads[1:]
	if err := s.sendHead(id); err != nil {
		return err
	}
	return s.saySentAll()
}

// answer answers one frame.
func (s *farConversation) answer(ctx context.Context, f *frame) error {
	switch {
	case f.Hello != nil:
		if f.Hello.Protocol != protocol {
			return fmt.Errorf("the other side speaks protocol %d, and this one %d",
				f.Hello.Protocol, protocol)
		}
	case f.Have != nil:
		return s.compare(f.Have)
	case f.Heads != nil:
		return s.askHeads(f.Heads)
	case f.Want != nil:
		return s.want(f.Want)
	case f.Unwant != "":
		delete(s.logs, f.Unwant)
	case f.Ask != nil:
		return s.beginAsk(ctx, f.Ask)
	case f.Ping:
		now := &pong{Clock: s.Now()}
		if s.GPUs != nil {
			now.GPUs = s.GPUs()
		}
		return s.out.send(&frame{Pong: now})
	}
	return nil
}

// askHeads takes in that heads are asked for. They are sent in the order of the runs, whatever part
// of the versions they are of.
func (s *farConversation) askHeads(h *heads) error {
	asked := map[string]bool{}
	for _, id := range slices.Concat(s.heads, h.IDs) {
		asked[id] = true
	}
	s.heads = s.heads[:0]
	for _, id := range s.order {
		if asked[id] {
			s.heads = append(s.heads, id)
		}
	}
	s.allAsked = !h.More
	return s.saySentAll()
}

// saySentAll tells the other side once all heads that it asks for are sent.
func (s *farConversation) saySentAll() error {
	if !s.allAsked || len(s.heads) > 0 {
		return nil
	}
	s.allAsked = false
	return s.out.send(&frame{All: true})
}

// compare lists the runs, and sends the versions of those that the other side may not have.
func (s *farConversation) compare(hashes []string) error {
	if err := s.list(); err != nil {
		return err
	}
	all := make(map[string]string, len(s.runs))
	for id, r := range s.runs {
		all[id] = r.version
	}
	s.told = true
	parts := differing(all, hashes)
	frames := make([]*frame, 0, len(parts)+1)
	for i, part := range parts {
		part.More = i < len(parts)-1
		frames = append(frames, &frame{Versions: part})
	}
	if len(parts) == 0 {
		frames = append(frames, &frame{All: true})
	}
	return s.out.send(frames...)
}

// list lists all runs of the folder, and tells the other side which cannot be read.
func (s *farConversation) list() error {
	s.folderChanged()
	runs, problems := record.NewCatalogue(s.RunsDir, s.Cache).List()
	const most = 10
	for _, err := range problems[:min(most, len(problems))] {
		if err := s.out.send(&frame{Problem: err.Error()}); err != nil {
			return err
		}
	}
	s.runs, s.order = make(map[string]*farRun, len(runs)), s.order[:0]
	for _, r := range runs {
		s.runs[r.Meta.ID] = newFarRun(r)
		s.order = append(s.order, r.Meta.ID)
	}
	return nil
}

// settleTime is the least age of a folder's last change at which its time proves that nothing has
// changed since: the clocks of disks stand still for as long as two seconds.
const settleTime = 3 * time.Second

// folderChanged reports whether runs may have been made or removed since the last call.
func (s *farConversation) folderChanged() bool {
	info, err := os.Stat(s.RunsDir)
	if err != nil {
		return true
	}
	changed := info.ModTime()
	if changed.Equal(s.listed) {
		return false
	}
	if s.listed = changed; s.Now().Sub(changed) < settleTime {
		s.listed = time.Time{}
	}
	return true
}

func newFarRun(r *record.Run) *farRun {
	return &farRun{run: r, held: r.Held(), version: r.Version(),
		log: disk.StampOf(filepath.Join(r.Dir, eventlog.LogName))}
}

// A change of a run at rest, such as a new label, is seen within newestEvery ticks where it is one
// of the newest runs, and within restingParts ticks everywhere else.
const (
	mostNewest   = 200
	newestEvery  = 4
	restingParts = 80
)

// look looks for changes, and sends them: runs that were made or removed, every run that may go on,
// and some of the runs at rest.
func (s *farConversation) look() error {
	if !s.told {
		return nil
	}
	if s.folderChanged() {
		if err := s.lookForNew(); err != nil {
			return err
		}
	}
	n := len(s.order)
	if n == 0 {
		return nil
	}
	part := (n + restingParts - 1) / restingParts
	s.looks++
	resumable := 0
	for i, id := range slices.Clone(s.order) {
		r := s.runs[id]
		inTurn := (i-s.resting+n)%n < part || i < mostNewest && s.looks%newestEvery == 0
		if r.mayBeResumed() {
			resumable++
		}
		if !inTurn && (resumable > mostResumable && r.mayBeResumed() || r.atRest()) {
			continue
		}
		if err := s.lookAt(id); err != nil {
			return err
		}
	}
	s.resting = (s.resting + part) % n
	return nil
}

// mostResumable is how many of the newest runs that have ended undone are looked at with each tick.
const mostResumable = 200

// mayBeResumed reports whether a run has ended without being done.
func (r *farRun) mayBeResumed() bool {
	return !r.held && r.run.Status().Ended() && r.run.Status() != runner.Done
}

// atRest reports whether nothing suggests that a run goes on. A run is held for a moment after its
// end. One that was stopped or interrupted may be resumed: its log grows then.
func (r *farRun) atRest() bool {
	status := r.run.Status()
	if r.held || !status.Ended() {
		return false
	}
	return status == runner.Done ||
		disk.StampOf(filepath.Join(r.run.Dir, eventlog.LogName)) == r.log
}

// problem tells the other side what is wrong with a run, once.
func (s *farConversation) problem(id string, err error) error {
	text := err.Error()
	if s.problems[id] == text {
		return nil
	}
	s.problems[id] = text
	return s.out.send(&frame{Problem: fmt.Sprintf("run %s: %s", id, text)})
}

// lookForNew finds runs that were made and those that were removed.
func (s *farConversation) lookForNew() error {
	there := map[string]bool{}
	for _, name := range record.Starting(s.RunsDir, "") {
		there[name] = true
		if s.runs[name] == nil {
			if err := s.lookAt(name); err != nil {
				return err
			}
		}
	}
	for _, id := range slices.Clone(s.order) {
		if !there[id] {
			if err := s.forget(id); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *farConversation) forget(id string) error {
	delete(s.runs, id)
	delete(s.logs, id)
	delete(s.problems, id)
	s.order = slices.DeleteFunc(s.order, func(o string) bool { return o == id })
	return s.out.send(&frame{Gone: id})
}

// lookAt looks at one run, and sends its head and its log as far as they have changed. The head of
// a run that is held goes before its log, and the head of any other run behind it: so the other
// side never takes a run for interrupted that lives or has ended.
func (s *farConversation) lookAt(id string) error {
	known := s.runs[id]
	if known != nil && known.unchanged(s.Now()) {
		return nil
	}
	r, err := record.Find(s.RunsDir, filepath.Join(s.RunsDir, id))
	switch {
	case errors.Is(err, fs.ErrNotExist) && known != nil:
		return s.forget(id)
	case err != nil && known == nil: // no run, or one that cannot be read
		return nil
	case err != nil:
		return s.problem(id, err)
	}
	now := newFarRun(r)
	changed := known == nil || known.version != now.version
	if s.runs[id] = now; known == nil {
		s.order = slices.Insert(s.order, 0, id)
	}
	if changed && now.held {
		if err := s.sendHead(id); err != nil {
			return err
		}
		changed = false
	}
	if err := s.sendLines(id); err != nil {
		return err
	}
	if changed {
		return s.sendHead(id)
	}
	return nil
}

// sendHead sends the files of a run and what this side says of it.
func (s *farConversation) sendHead(id string) error {
	known := s.runs[id]
	if known == nil {
		return nil // it was removed meanwhile
	}
	h, err := known.run.Head()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return s.problem(id, err)
	}
	h.Verdict.Version = known.version
	verdict, err := json.Marshal(&h.Verdict)
	if err != nil {
		return err
	}
	var frames []*frame
	add := func(name string, text []byte) {
		for part := range slices.Chunk(text, filePiece) {
			frames = append(frames, &frame{File: &filePart{id, name}, body: part})
		}
	}
	for name, text := range h.Files {
		add(name, text)
	}
	add(verdictName, verdict)
	return s.out.send(append(frames, &frame{Run: id})...)
}

// want begins to send a log from a place on. Where the other side has another log, it gets this one
// from its start.
func (s *farConversation) want(p *place) error {
	if s.runs[p.ID] == nil {
		return nil // it was removed meanwhile
	}
	s.logs[p.ID] = &farLog{sent: p.LogState}
	return s.sendLines(p.ID)
}

// sendLines sends the next whole lines of a log that is wanted, as many as a frame takes.
func (s *farConversation) sendLines(id string) error {
	l := s.logs[id]
	if l == nil {
		return nil
	}
	l.behind = false
	path := filepath.Join(s.RunsDir, id, eventlog.LogName)
	f, size, err := disk.OpenRegular(path)
	if err != nil {
		return nil // the run is being removed, or has no log yet
	}
	defer f.Close()
	anew := false
	if inode := disk.StampOf(path).Inode; inode != l.inode || size < l.sent.Bytes {
		l.inode = inode
		if have, err := record.SumPrefix(f, min(l.sent.Bytes, size)); err != nil || have != l.sent {
			l.sent, anew = record.LogState{}, true
		}
	}
	part := make([]byte, min(size-l.sent.Bytes, maxBody))
	if _, err := f.ReadAt(part, l.sent.Bytes); err != nil && err != io.EOF {
		return s.problem(id, err)
	}
	end := bytes.LastIndexByte(part, '\n') + 1
	if end == 0 && len(part) == maxBody {
		delete(s.logs, id)
		return s.problem(id, fmt.Errorf("the line at byte %d of its log is longer than any event",
			l.sent.Bytes))
	}
	if end == 0 && !anew {
		return nil
	}
	lines := &frame{Lines: &place{id, l.sent}, body: part[:end]}
	l.sent = l.sent.With(part[:end])
	l.behind = end > 0 && l.sent.Bytes < size
	return s.out.send(lines)
}
