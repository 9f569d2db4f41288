package queue

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// fullStore is a Store whose disk is full from a step on, until there is room.
type fullStore struct {
	*memoryStore
	step int64

	mu      sync.Mutex
	room    bool
	refused chan struct{} // gets a value for each refusal, up to its capacity
	paused  chan struct{} // gets a value when the log says that the run is paused
	newest  atomic.Int64  // step of the checkpoint written last
	saves   atomic.Int64  // number of checkpoints that were written
}

func newFullStore(step int64) *fullStore {
	return &fullStore{memoryStore: newMemoryStore(), step: step, refused: make(chan struct{}, 99),
		paused: make(chan struct{}, 9)}
}

type fullRecorder struct {
	runner.Recorder
	disk *fullStore
}

func (f *fullStore) Create(m *runner.Meta, from *runner.State) (runner.Recorder, error) {
	r, err := f.memoryStore.Create(m, from)
	return &fullRecorder{r, f}, err
}

func (f *fullStore) check(step int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.room || step < f.step {
		return nil
	}
	select {
	case f.refused <- struct{}{}:
	default:
	}
	return &runner.DiskError{What: "disk full", Err: errors.New("no space left on device")}
}

func (f *fullStore) makeRoom() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.room = true
}

func (r *fullRecorder) Append(e runner.Event) error {
	if err := r.disk.check(e.Header().Step); err != nil {
		return err
	}
	if s, ok := e.(*runner.StatusEvent); ok && s.Status == runner.Paused {
		defer func() { r.disk.paused <- struct{}{} }()
	}
	return r.Recorder.Append(e)
}

func (r *fullRecorder) Checkpoint(s *runner.State) (string, error) {
	if err := r.disk.check(s.Step); err != nil {
		return "", err
	}
	file, err := r.Recorder.Checkpoint(s)
	r.disk.newest.Store(s.Step)
	r.disk.saves.Add(1)
	return file, err
}

func TestFullDiskIsWaitedFor(t *testing.T) {
	settings := brief(dro.SFK)
	whole := runAll(t, 1, settings)[0]
	store := newFullStore(9)
	q := NewQueue(context.Background(), Settings{Store: store})
	ids, err := q.Start(runner.Request{Specs: []spec.Spec{settings}})
	if err != nil {
		t.Fatal(err)
	}
	<-store.refused
	<-store.refused // the log cannot record it either: by then the trouble is known
	if live := q.Live(); len(live) != 1 || !strings.Contains(live[0].Trouble, "disk full") {
		t.Errorf("live: %v, want the run's trouble", live)
	}
	if err := q.Resume(ids[0]); err != nil { // too early: it waits again
		t.Fatal(err)
	}
	<-store.refused
	<-store.refused
	store.makeRoom()
	if err := q.Resume(ids[0]); err != nil {
		t.Fatal(err)
	}
	if o := q.Wait(); o[0].Status != runner.Done {
		t.Fatalf("outcome %+v, want done", o[0])
	}
	tr := store.runs[ids[0]]
	if !slices.Equal(tr.lines(t, measured), whole.lines(t, measured)) {
		t.Error("a full disk changed the numbers, or lost some")
	}
}

func TestFullDiskIsTold(t *testing.T) {
	store := newFullStore(9)
	q := NewQueue(context.Background(), Settings{Store: store, retry: time.Millisecond})
	ids, err := q.Start(runner.Request{Specs: []spec.Spec{brief(dro.ERM)}})
	if err != nil {
		t.Fatal(err)
	}
	<-store.refused
	store.makeRoom() // for the warning, and nobody resumes the run
	<-store.paused
	if err := q.Resume(ids[0]); err != nil {
		t.Fatal(err)
	}
	q.Wait()
	tr := store.runs[ids[0]]
	states, warned := tr.statuses(), false
	for _, e := range tr.events {
		if w, ok := e.(*runner.WarningEvent); ok {
			warned = warned || strings.Contains(w.Message, "disk full")
		}
	}
	if !warned {
		t.Error("the log has no warning of the full disk")
	}
	want := []runner.Status{runner.Queued, runner.Running, runner.Paused, runner.Running,
		runner.Done}
	if !slices.Equal(states, want) {
		t.Errorf("the log has the states %v, want %v", states, want)
	}
}

// TestAloneRunsLookForRoom: a run that is alone goes on without a resume once there is room, even
// if the disk first has room for a few words but not for the pending write. The end is recorded
// once.
func TestAloneRunsLookForRoom(t *testing.T) {
	whole := runAll(t, 1, brief(dro.ERM))[0]
	store := newFullStore(9)
	q := NewQueue(context.Background(),
		Settings{Store: store, Alone: true, retry: time.Millisecond})
	ids, err := q.Start(runner.Request{Specs: []spec.Spec{brief(dro.ERM)}})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		<-store.refused
	}
	store.makeRoom()
	if o := q.Wait(); o[0].Status != runner.Done {
		t.Fatalf("outcome %+v, want done", o[0])
	}
	tr := store.runs[ids[0]]
	if !slices.Equal(tr.lines(t, measured), whole.lines(t, measured)) {
		t.Error("a full disk changed the numbers, or lost some")
	}
	if got := tr.statuses(); got[len(got)-1] != runner.Done {
		t.Errorf("states %v, want done at the end", got)
	}
}

// noSummaryStore is a Store that refuses each run's first summary for lack of room.
type noSummaryStore struct{ *memoryStore }

type noSummaryRecorder struct {
	runner.Recorder
	refused bool
}

func (n noSummaryStore) Create(m *runner.Meta, from *runner.State) (runner.Recorder, error) {
	r, err := n.memoryStore.Create(m, from)
	return &noSummaryRecorder{Recorder: r}, err
}

func (r *noSummaryRecorder) Finish(s *runner.Summary) error {
	if !r.refused {
		r.refused = true
		return &runner.DiskError{What: "disk full", Err: errors.New("no space left on device")}
	}
	return r.Recorder.Finish(s)
}

// TestDoneStaysDone: waiting for room for the summary leaves no trace in the log.
func TestDoneStaysDone(t *testing.T) {
	store := noSummaryStore{newMemoryStore()}
	q := NewQueue(context.Background(),
		Settings{Store: store, Alone: true, retry: time.Millisecond})
	ids, err := q.Start(runner.Request{Specs: []spec.Spec{brief(dro.ERM)}})
	if err != nil {
		t.Fatal(err)
	}
	q.Wait()
	tr := store.runs[ids[0]]
	want := []runner.Status{runner.Queued, runner.Running, runner.Done}
	if got := tr.statuses(); !slices.Equal(got, want) {
		t.Errorf("the log has the states %v, want %v", got, want)
	}
	if tr.summary == nil {
		t.Error("the run has no summary")
	}
}

// TestPauseWhileTheDiskIsWaitedFor: while the disk is full, a pause is obeyed once there is room,
// unless a resume took it back.
func TestPauseWhileTheDiskIsWaitedFor(t *testing.T) {
	for _, resumed := range []bool{false, true} {
		g := &train.Gate{Orders: make(chan train.Order), Retry: time.Millisecond, Alone: true}
		room := make(chan struct{})
		written := make(chan error)
		go func() {
			_, err := g.Write(func() error {
				select {
				case <-room:
					return nil
				default:
					return &runner.DiskError{What: "disk full",
						Err: errors.New("no space left on device")}
				}
			}, func(error) error { return nil })
			written <- err
		}()
		g.Orders <- train.Order{Order: runner.Order{Verb: runner.Pause}} // its taker waits for room
		if resumed {
			g.Orders <- train.Order{Order: runner.Order{Verb: runner.Resume}}
		}
		refused := make(chan train.Answer, 1)
		g.Orders <- train.Order{Order: runner.Order{Verb: runner.Checkpoint}, Done: refused}
		if a := <-refused; a.Err == nil || !strings.Contains(a.Err.Error(), "disk full") {
			t.Errorf("a checkpoint that cannot be written is answered %+v", a)
		}
		close(room)
		if err := <-written; err != nil {
			t.Fatal(err)
		}
		o, ok := g.Next()
		if ok == resumed {
			t.Errorf("resumed %v: an order is left: %v, want %v", resumed, ok, !resumed)
		}
		if ok && o.Verb != runner.Pause {
			t.Errorf("resumed %v: the order that is left is %v, want a pause", resumed, o)
		}
	}
}

// awayStore is a Store whose first checkpoints find no folder.
type awayStore struct {
	*memoryStore
	attempts int // that find none
}

type awayRecorder struct {
	runner.Recorder
	store *awayStore
}

func (a *awayStore) Create(m *runner.Meta, from *runner.State) (runner.Recorder, error) {
	r, err := a.memoryStore.Create(m, from)
	return &awayRecorder{r, a}, err
}

func (r *awayRecorder) Checkpoint(s *runner.State) (string, error) {
	if r.store.attempts > 0 {
		r.store.attempts--
		return "", &runner.DiskError{What: "checkpoints is missing", Away: true,
			Err: errors.New("no such file or directory")}
	}
	return r.Recorder.Checkpoint(s)
}

// TestAwayForAMoment: a run whose folder of checkpoints is missing for a moment says so, and goes
// on by itself once the folder is back, to the same numbers.
func TestAwayForAMoment(t *testing.T) {
	settings := brief(dro.SFK)
	whole := runAll(t, 1, settings)[0]
	store := &awayStore{newMemoryStore(), 3}
	q := NewQueue(context.Background(), Settings{Store: store, retry: time.Millisecond})
	ids, err := q.Start(runner.Request{Specs: []spec.Spec{settings}})
	if err != nil {
		t.Fatal(err)
	}
	if o := q.Wait(); o[0].Status != runner.Done {
		t.Fatalf("outcome %+v, want done", o[0])
	}
	tr := store.runs[ids[0]]
	if got, want := tr.lines(t, measured), whole.lines(t, measured); !slices.Equal(got, want) {
		t.Errorf("the numbers are\n%s\nwant\n%s", got, want)
	}
	warnings := 0
	for _, e := range tr.events {
		if w, ok := e.(*runner.WarningEvent); ok && strings.Contains(w.Message, "is missing") {
			warnings++
		}
	}
	if warnings != 1 {
		t.Errorf("%d warnings, want 1", warnings)
	}
	got := slices.Compact(tr.statuses())
	if want := []runner.Status{runner.Queued, runner.Running, runner.Paused, runner.Running,
		runner.Done}; !slices.Equal(got, want) {
		t.Errorf("states %v, want %v", got, want)
	}
}

// TestAwayForLong: a folder that stays away is not tried for ever. A resume tries it once more, and
// a stop gives up.
func TestAwayForLong(t *testing.T) {
	g := &train.Gate{Orders: make(chan train.Order), Retry: time.Microsecond}
	missing := &runner.DiskError{What: "checkpoints is missing", Away: true,
		Err: errors.New("no such file or directory")}
	attempts, looks, quiet := make(chan int), make(chan int), make(chan int)
	ended := make(chan error)
	go func() {
		_, err := g.Write(func() error { attempts <- 1; return missing }, func(err error) error {
			select {
			case looks <- 1:
			case <-quiet:
			}
			return err // the log is away, too, so it is told at each look
		})
		ended <- err
	}()
	for made := 0; made < 1+15; { // the first attempt, and those that need no resume
		select {
		case <-attempts:
			made++
		case <-looks:
		}
	}
	for range 9 {
		select {
		case <-attempts:
			t.Fatal("a missing folder is tried for ever")
		case <-looks:
		}
	}
	close(quiet)
	g.Orders <- train.Order{Order: runner.Order{Verb: runner.Resume}}
	<-attempts
	g.Orders <- train.Order{Order: runner.Order{Verb: runner.Stop}}
	if err := <-ended; !errors.Is(err, missing) {
		t.Errorf("ended with %v, want %v", err, missing)
	}
}

// unendedStore is a Store that cannot write the end of a run: the given last status or, where
// status is empty, the summary.
type unendedStore struct {
	*memoryStore
	status runner.Status
}

type unendedRecorder struct {
	runner.Recorder
	status runner.Status
}

func (u unendedStore) Create(m *runner.Meta, from *runner.State) (runner.Recorder, error) {
	r, err := u.memoryStore.Create(m, from)
	return unendedRecorder{r, u.status}, err
}

func (r unendedRecorder) Append(e runner.Event) error {
	if s, ok := e.(*runner.StatusEvent); ok && s.Status == r.status {
		return errors.New("read-only file system")
	}
	return r.Recorder.Append(e)
}

func (r unendedRecorder) Finish(s *runner.Summary) error {
	if r.status == "" && s.Status == runner.Done {
		return errors.New("read-only file system")
	}
	return r.Recorder.Finish(s)
}

// TestOutcomeIsWhatIsWritten: a run is done only if its log and its summary say so.
func TestOutcomeIsWhatIsWritten(t *testing.T) {
	for _, status := range []runner.Status{"", runner.Done} {
		store := unendedStore{newMemoryStore(), status}
		q := NewQueue(context.Background(), Settings{Store: store})
		ids, err := q.Start(runner.Request{Specs: []spec.Spec{brief(dro.ERM)}})
		if err != nil {
			t.Fatal(err)
		}
		o := q.Wait()[0]
		if o.Status != runner.Failed {
			t.Errorf("without %q: the run is %s, want %s", status, o.Status, runner.Failed)
		}
		if o.Err == nil || !strings.Contains(o.Err.Error(), "read-only") {
			t.Errorf("without %q: its error is %v, want one with %q", status, o.Err, "read-only")
		}
		tr := store.runs[ids[0]]
		want := []runner.Status{runner.Queued, runner.Running, runner.Failed}
		if states := tr.statuses(); !slices.Equal(states, want) {
			t.Errorf("without %q: the log has the states %v, want %v", status, states, want)
		}
		if got := tr.summary.Status; got != runner.Failed {
			t.Errorf("without %q: the summary says %s, want %s", status, got, runner.Failed)
		}
	}
}

func TestStopGivesUpOnAFullDisk(t *testing.T) {
	for _, stop := range []string{"verb", "context"} {
		ctx, cancel := context.WithCancel(context.Background())
		store := newFullStore(9)
		q := NewQueue(ctx, Settings{Store: store})
		ids, err := q.Start(runner.Request{Specs: []spec.Spec{brief(dro.ERM)}})
		if err != nil {
			t.Fatal(err)
		}
		<-store.refused
		if stop == "context" {
			cancel()
		} else if err := q.Stop(ids[0]); err != nil {
			t.Fatal(err)
		}
		var disk *runner.DiskError
		o := q.Wait()[0]
		if o.Status != runner.Failed {
			t.Errorf("%s: the run is %s, want %s", stop, o.Status, runner.Failed)
		}
		if !errors.As(o.Err, &disk) {
			t.Errorf("%s: its error is %v, want the disk's", stop, o.Err)
		}
		cancel()
	}
}

// TestPausedRunsLeaveTheirSlot: with one slot, the second run trains while the
// first is paused, and a queued run can be stopped, paused and resumed.
func TestPausedRunsLeaveTheirSlot(t *testing.T) {
	ended := make(chan string, 9)
	store := &hookStore{memoryStore: newMemoryStore(), step: 3, ended: ended}
	q := NewQueue(context.Background(), Settings{Store: store, Parallel: 1})
	var ids []string
	ready := make(chan struct{})
	ends := make(chan Outcome, 4)
	var once sync.Once
	store.do = func(id string) {
		once.Do(func() {
			<-ready
			for _, err := range []error{q.Pause(ids[0]), q.Stop(ids[2]), q.Pause(ids[3]),
				q.Resume(ids[3])} {
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	ids, err := q.Start(runner.Request{Specs: []spec.Spec{brief(dro.ERM), brief(dro.PGD),
		brief(dro.SFK), brief(dro.PAN)}})
	if err != nil {
		t.Fatal(err)
	}
	close(ready)
	for range 3 { // all but the first end
		if id := <-ended; id == ids[0] {
			t.Fatalf("the paused run has ended")
		}
	}
	if states := store.runs[ids[0]].statuses(); states[len(states)-1] != runner.Paused {
		t.Fatalf("the first run is %v, want paused", states)
	}
	if err := q.Resume(ids[0]); err != nil {
		t.Fatal(err)
	}
	for _, o := range q.Wait() {
		ends <- o
	}
	close(ends)
	for o := range ends {
		want := runner.Done
		if o.ID == ids[2] {
			want = runner.Stopped
		}
		if o.Status != want {
			t.Errorf("run %s is %s, want %s", o.ID, o.Status, want)
		}
	}
}
