package box

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/record"
	"drolab/runner/record/recordtest/eventtest"
	"drolab/runner/spec"
)

// madeVerbs are the Verbs of a box on which nothing trains: runs are made, and never go on.
type madeVerbs struct {
	h      *history
	before func() // is called before a verb is carried out
	after  func() // is called after it
	order  func(runner.Order) (int64, error)
	orders []runner.Order
	starts int
}

// Start implements runner.Verbs.
func (v *madeVerbs) Start(r runner.Request) (ids []string, err error) {
	v.before()
	defer v.after()
	v.starts++
	for i, id := range r.IDs {
		m := eventtest.Meta(r.Specs[i].Seed)
		m.ID, m.Preset, m.Parent, m.Spec = id, r.Preset, r.Parent, r.Specs[i]
		rec, err := v.h.store.Create(m, nil)
		if err != nil {
			return nil, err
		}
		v.h.live[id], v.h.metas[id] = rec, m
		must(v.h.t, rec.Append(&runner.StatusEvent{Status: runner.Running}))
	}
	return r.IDs, nil
}

// CarryOut implements runner.Verbs.
func (v *madeVerbs) CarryOut(o runner.Order) (int64, error) {
	v.before()
	defer v.after()
	v.orders = append(v.orders, o)
	if v.order == nil {
		return 0, nil
	}
	return v.order(o)
}

func newMadeVerbs(h *history) *madeVerbs {
	nothing := func() {}
	return &madeVerbs{h: h, before: nothing, after: nothing}
}

// request asks for runs of these seeds.
func request(seeds ...uint64) runner.Request {
	r := runner.Request{Preset: "shapes"}
	for _, seed := range seeds {
		s := spec.Defaults()
		s.Algorithms, s.Seeds, s.Seed = []dro.Algorithm{dro.SFK}, 1, seed
		r.Specs = append(r.Specs, s)
	}
	return r
}

// piped is a box whose far side is in this process.
type piped struct {
	side *FarSide
	mu   sync.Mutex
	far  net.Conn // of the conversation under way
	gone bool     // nobody answers any more
}

// dial implements Dial.
func (p *piped) dial(ctx context.Context) (Conn, error) {
	near, far := net.Pipe()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.far = far; p.gone {
		return nil, errors.New("no route to host")
	}
	go func() {
		p.side.Serve(ctx, far, far)
		far.Close()
	}()
	return near, nil
}

// cut ends the conversation.
func (p *piped) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.far.Close()
}

// cutForGood ends the conversation, and all later ones.
func (p *piped) cutForGood() {
	p.mu.Lock()
	p.gone = true
	p.mu.Unlock()
	p.cut()
}

// newPiped returns a box with the runs of a history, and a link that runs until the test ends.
func newPiped(t *testing.T, h *history, v runner.Verbs) (*piped, *Link) {
	p := &piped{side: &FarSide{RunsDir: h.store.Dir(), Now: time.Now, Verbs: v}}
	l := NewLink("gpu1", filepath.Join(t.TempDir(), "mirror"), p.dial)
	startLink(t, l)
	await(t, l, "at first", func(s State) bool { return s.Complete })
	return p, l
}

// TestVerbs: what is asked over a link is done on the box. When the answer comes, the mirror shows
// it.
func TestVerbs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHistory(t, 1)
		v := newMadeVerbs(h)
		_, l := newPiped(t, h, v)
		ids, err := l.Start(request(1, 2))
		must(t, err)
		if len(ids) != 2 || !slices.Equal(ids, slices.Sorted(slices.Values(
			record.Starting(h.store.Dir(), "")))) {
			t.Fatalf("started are %v, and the box has %v: want the same two",
				ids, record.Starting(h.store.Dir(), ""))
		}
		here := func(id string) *record.Run {
			t.Helper()
			r, err := record.Find(l.dir, filepath.Join(l.dir, id))
			must(t, err)
			return r
		}
		id := ids[0]
		if r := here(id); !r.Held() || r.Status() != runner.Running {
			t.Errorf("the started run is %s here, held %v: want it running", r.Status(), r.Held())
		}
		note := "the good one"
		must(t, l.Change(Change{Run: id, Label: &record.LabelEdit{Note: &note,
			Tags: []string{"paper"}}}))
		if got, want := here(id).Label().String(), "the good one; tags paper"; got != want {
			t.Errorf("the label is %q, want %q", got, want)
		}
		_, err = h.live[id].Checkpoint(eventtest.State(7))
		must(t, err)
		step := int64(7)
		of, err := l.Settings(id, step)
		must(t, err)
		if want := h.metas[id].Spec; of.Seed != want.Seed || of.Algorithm() != want.Algorithm() {
			t.Errorf("a fork would have the settings %+v, want %+v", of, want)
		}
		must(t, l.Change(Change{Run: id, Pin: &step}))
		if steps, err := here(id).Pinned(); err != nil || !slices.Equal(steps, []int64{7}) {
			t.Errorf("pinned are %v, %v: want 7", steps, err)
		}
		must(t, l.Change(Change{Run: id, Unpin: &step}))
		if steps, err := here(id).Pinned(); err != nil || len(steps) > 0 {
			t.Errorf("pinned are %v, %v: want none", steps, err)
		}
		if err := l.Change(Change{Run: id, Delete: true}); err == nil {
			t.Error("a live run is deleted, want an error")
		}
		h.end(id, runner.Done)
		must(t, l.Change(Change{Run: id, Delete: true}))
		if _, err := record.Find(l.dir, id); !errors.Is(err, fs.ErrNotExist) && err == nil {
			t.Error("the deleted run is still here")
		}

		v.order = func(o runner.Order) (int64, error) {
			if o.Verb == runner.Checkpoint {
				return 12, nil
			}
			return 0, fmt.Errorf("run %s %w", o.Run, runner.ErrBusy)
		}
		order := runner.Order{Verb: runner.Knob, Run: ids[1], Key: "lr", Value: "0.1"}
		if _, err := l.CarryOut(order); !errors.Is(err, runner.ErrBusy) {
			t.Errorf("the error of an order is %v, want that the run is busy", err)
		}
		saved, err := l.CarryOut(runner.Order{Verb: runner.Checkpoint, Run: ids[1]})
		if saved != 12 || err != nil {
			t.Errorf("saved is step %d, %v: want 12", saved, err)
		}
		if v.orders[0] != order {
			t.Errorf("the box got the order %+v, want %+v", v.orders[0], order)
		}
	})
}

// TestStartIsMadeOnce: the link is cut before a start, or after it and before the answer. Once it
// is back, the runs are there, each once.
func TestStartIsMadeOnce(t *testing.T) {
	for _, when := range []string{"before", "after"} {
		t.Run(when, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHistory(t, 1)
				v := newMadeVerbs(h)
				p, l := newPiped(t, h, v)
				cut := sync.OnceFunc(p.cut)
				begin := v.before
				v.after = cut
				if when == "before" {
					v.after = begin
					v.before = func() {
						if v.starts == 0 {
							cut()
							v.starts++
							panic("the far side ends before the start")
						}
					}
				}
				var ids []string
				var err error
				over := make(chan struct{})
				go func() {
					defer close(over)
					ids, err = l.Start(request(1, 2))
				}()
				synctest.Wait()
				if !l.AsksAgain() {
					t.Error("without a link nothing says that the start is asked for again")
				}
				<-over
				must(t, err)
				if l.AsksAgain() {
					t.Error("after the answer it is still said")
				}
				there := record.Starting(h.store.Dir(), "")
				if slices.Sort(ids); !slices.Equal(ids, there) {
					t.Errorf("the box has the runs %v, want %v", there, ids)
				}
			})
		})
	}
}

// stoppable is the connection of a far side that reads nothing while the test holds its place.
type stoppable struct {
	net.Conn
	place chan struct{} // has room for one
}

func (s stoppable) Read(b []byte) (int, error) {
	n, err := s.Conn.Read(b)
	s.place <- struct{}{}
	<-s.place
	return n, err
}

// TestUnanswered: whatever is asked of a box whose far side is stopped, the link says for how long
// it has waited, until the answer comes.
func TestUnanswered(t *testing.T) {
	step := int64(7)
	for name, ask := range map[string]func(l *Link){
		"start":    func(l *Link) { l.Start(request(1)) },
		"order":    func(l *Link) { l.CarryOut(runner.Order{Verb: runner.Pause, Run: "run-1"}) },
		"change":   func(l *Link) { l.Change(Change{Run: "run-1", Pin: &step}) },
		"settings": func(l *Link) { l.Settings("run-1", step) },
		"datasets": func(l *Link) { l.Datasets() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHistory(t, 1)
				h.create()
				side := &FarSide{RunsDir: h.store.Dir(), Now: time.Now, Verbs: newMadeVerbs(h)}
				place := make(chan struct{}, 1)
				dir := filepath.Join(t.TempDir(), "mirror")
				l := NewLink("gpu1", dir, func(ctx context.Context) (Conn, error) {
					near, far := net.Pipe()
					go side.Serve(ctx, stoppable{far, place}, far)
					return near, nil
				})
				startLink(t, l)
				await(t, l, "at first", func(s State) bool { return s.Complete })
				place <- struct{}{}
				over := make(chan struct{})
				go func() {
					defer close(over)
					ask(l)
				}()
				for _, want := range []time.Duration{0, time.Second, 18 * time.Second} {
					time.Sleep(want - l.Unanswered())
					synctest.Wait()
					if got := l.Unanswered(); got != want {
						t.Errorf("after %v the box has not answered for %v", want, got)
					}
				}
				<-place
				<-over
				if got := l.Unanswered(); got != 0 {
					t.Errorf("after the answer %v is said, want 0", got)
				}
			})
		})
	}
}

// cutOnce is a connection that ends instead of the next write.
type cutOnce struct {
	Conn
	next *atomic.Bool
}

func (c cutOnce) Write(b []byte) (int, error) {
	if c.next.Swap(false) {
		c.Close()
		return 0, io.ErrClosedPipe
	}
	return c.Conn.Write(b)
}

// TestStartBeforeList: a start that is answered before the box was asked for its runs, as in a new
// conversation, has its runs in the mirror before the answer.
func TestStartBeforeList(t *testing.T) {
	h := newHistory(t, 1)
	dir := filepath.Join(t.TempDir(), "mirror")
	p := newPairBy(t, h.store.Dir(), openMirror(t, dir), newMadeVerbs(h))
	p.far.told = false
	r := request(1)
	r.IDs = []string{"run-1"}
	must(t, p.ask(&ask{Start: &r}))
	if _, err := record.Find(dir, "run-1"); err != nil {
		t.Errorf("the mirror has not the run: %v", err)
	}
}

// TestSettingsAreAskedAgain: the settings of a fork are only read, so they are asked for again once
// the link is back. What comes is the answer of the box.
func TestSettingsAreAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHistory(t, 1)
		h.create()
		p := &piped{side: &FarSide{RunsDir: h.store.Dir(), Now: time.Now,
			Verbs: newMadeVerbs(h)}}
		var next atomic.Bool
		dir := filepath.Join(t.TempDir(), "mirror")
		l := NewLink("gpu1", dir, func(ctx context.Context) (Conn, error) {
			conn, err := p.dial(ctx)
			return cutOnce{conn, &next}, err
		})
		startLink(t, l)
		await(t, l, "at first", func(s State) bool { return s.Complete })
		synctest.Wait()
		next.Store(true)
		_, err := l.Settings("run-1", 7)
		want := "box gpu1: run run-1 has no checkpoint of step 7: it has []"
		if next.Load() || err == nil || err.Error() != want {
			t.Errorf("cut %v: %v, want %q", !next.Load(), err, want)
		}
	})
}

// TestTakenNames: a start whose names are those of other runs is refused.
func TestTakenNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHistory(t, 1)
		h.create()
		_, l := newPiped(t, h, newMadeVerbs(h))
		r := request(99)
		r.IDs = []string{"run-1"}
		if _, err := l.Start(r); !errors.Is(err, fs.ErrExist) {
			t.Errorf("another run of a name that is taken: %v, want that it exists", err)
		}
	})
}

// TestPathsOfHere: a start with a relative path, which is of this machine, is refused here.
func TestPathsOfHere(t *testing.T) {
	l := NewLink("gpu1", t.TempDir(), nil)
	for name, change := range map[string]func(s *spec.Spec){
		"csv:data.csv":     func(s *spec.Spec) { s.Dataset = "csv:data.csv" },
		"program:train.py": func(s *spec.Spec) { s.Model = "program:train.py" },
	} {
		r := request(1)
		change(&r.Specs[0])
		_, err := l.Start(r)
		want := fmt.Sprintf("box gpu1: %q has a path of this machine: "+
			"give an absolute path on the box", name)
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// TestLostAnswers: where the link is lost before the answer, the error says that a verb may have
// been carried out. Without a link it says that nothing was sent.
func TestLostAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHistory(t, 1)
		h.create()
		v := newMadeVerbs(h)
		p, l := newPiped(t, h, v)
		v.after = p.cutForGood
		stop := runner.Order{Verb: runner.Stop, Run: "run-1"}
		_, err := l.CarryOut(stop)
		want := "box gpu1: the link was lost before the answer came: stop of run run-1 may have " +
			"been done"
		if err == nil || err.Error() != want {
			t.Errorf("a lost answer: %v, want %q", err, want)
		}
		await(t, l, "cut", func(s State) bool { return !s.Linked })
		if word := l.State().Word; strings.Contains(word, "EOF") {
			t.Errorf("a link that was cut says %q, want words", word)
		}
		if record.MirrorHeard(l.dir).IsZero() {
			t.Error("a box whose list has come was never heard")
		}
		<-time.After(40 * time.Second)
		_, err = l.CarryOut(stop)
		want = "box gpu1: no link for 40 s: nothing was sent"
		if err == nil || err.Error() != want {
			t.Errorf("without a link: %v, want %q", err, want)
		}
	})
}

// TestEndlessAnswers: a box that says again and again that it is still at it ends no order, and a
// start goes on for as long as it says so.
func TestEndlessAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHistory(t, 1)
		h.create()
		v := newMadeVerbs(h)
		hangs := make(chan struct{})
		v.before = func() { <-hangs }
		_, l := newPiped(t, h, v)
		began := time.Now()
		_, err := l.CarryOut(runner.Order{Verb: runner.Pause, Run: "run-1"})
		if err == nil || !strings.Contains(err.Error(), "no answer came for 20s") {
			t.Errorf("an order that hangs: %v, want that no answer came", err)
		}
		if took := time.Since(began); took != answerTime {
			t.Errorf("an order that hangs took %v, want %v", took, answerTime)
		}
		time.AfterFunc(3*answerTime, func() { close(hangs) })
		if _, err := l.Start(request(1)); err != nil {
			t.Errorf("a start that takes a minute: %v, want no error", err)
		}
	})
}

// TestHostileAnswers: an answer that nobody waits for is passed over, and what an answer says is
// bounded and has no signs that a terminal obeys.
func TestHostileAnswers(t *testing.T) {
	l := NewLink("gpu1", t.TempDir(), nil)
	near := &nearConversation{Link: l, out: newSender(io.Discard)}
	l.out = near.out
	for _, a := range []*answer{{Seq: 7}, {Seq: -1, Later: true}, {Error: "x"}} {
		must(t, near.take(&frame{Answer: a}))
	}
	w, _, err := l.begin()
	must(t, err)
	bad := "\x1b]0;x\a\n" + strings.Repeat("y", 1<<16)
	later := &answer{Seq: w.seq, Later: true,
		Reading: &runner.Reading{What: bad, Done: -5, Of: -7, Left: -1}}
	for range 3 { // one waits, and the others change nothing
		must(t, near.take(&frame{Answer: later}))
	}
	if r := l.Reading(); !isTame(r.What) || r.Done < 0 || r.Of < 0 || r.Left < 0 {
		t.Errorf("the reading is %+v, want no negative number and one short line", r)
	}
	must(t, near.take(&frame{Answer: &answer{Seq: w.seq, Error: bad,
		Fault: &runner.Fault{Code: "setting", Key: bad, Value: bad, Want: bad}}}))
	must(t, near.take(&frame{Answer: &answer{Seq: w.seq, Error: "a second answer"}}))
	err = l.errorOf(<-w.final)
	var key *spec.KeyError
	if !errors.As(err, &key) || !isTame(err.Error()) || !isTame(key.Error()) {
		t.Errorf("the error is %.200q with %.200q, want short lines", err, key)
	}
}

// isTame reports whether a text is one line of a bounded length that a terminal shows as it is.
func isTame(text string) bool {
	return len(text) < 3000 && !strings.ContainsAny(text, "\x1b\a\n")
}

// TestAsksAreChecked: the box refuses what has not the right form, and carries out nothing.
func TestAsksAreChecked(t *testing.T) {
	h := newHistory(t, 1)
	h.create()
	start := func(change func(*runner.Request)) string {
		r := request(1)
		r.IDs = []string{"run-9"}
		change(&r)
		text, err := json.Marshal(&ask{Seq: 1, Start: &r})
		must(t, err)
		return string(text)
	}
	same := func(*runner.Request) {}
	for what, c := range map[string]struct{ text, want string }{
		"nothing": {`{"seq":1}`, "expected one thing to do"},
		"two things": {`{"seq":1,"order":{"verb":"stop","run":"run-1"},` + start(same)[9:],
			"expected one thing"},
		"an unknown field": {`{"seq":1,"exec":"sh"}`, "unknown field"},
		"no object":        {`[]`, "cannot unmarshal"},
		"a path":           {`{"seq":1,"order":{"verb":"stop","run":"../x"}}`, "the name of a run"},
		"another verb":     {`{"seq":1,"order":{"verb":"shutdown","run":"run-1"}}`, "cannot be asked"},
		"means": {`{"seq":1,"order":{"verb":"resume","run":"run-1","means":{"DataDir":"/"}}}`,
			"no paths or threads"},
		"a path to delete": {`{"seq":1,"change":{"run":"/etc","delete":true}}`, "the name of a run"},
		"no change":        {`{"seq":1,"change":{"run":"run-1"}}`, "expected one change"},
		"two changes":      {`{"seq":1,"change":{"run":"run-1","delete":true,"pin":1}}`, "one change"},
		"a data folder": {start(func(r *runner.Request) { r.DataDir = "/" }),
			"no paths, threads or claims"},
		"a program": {start(func(r *runner.Request) { r.Program = &runner.ProgramMeans{} }),
			"no paths, threads or claims"},
		"no names": {start(func(r *runner.Request) { r.IDs = nil }), "a name for each run"},
		"a path as a name": {start(func(r *runner.Request) { r.IDs[0] = "../run-9" }),
			"the name of a run"},
		"a path as parent": {start(func(r *runner.Request) { r.Parent = "../x@3" }),
			"expected RUN@STEP"},
	} {
		v := newMadeVerbs(h)
		v.before = func() { t.Errorf("%s is carried out, want an error", what) }
		var out bytes.Buffer
		s := newFarConversation(&FarSide{RunsDir: h.store.Dir(), Verbs: v}, &out)
		must(t, s.beginAsk(t.Context(), json.RawMessage(c.text)))
		f, err := newReceiver(&out).next()
		if err != nil {
			t.Errorf("%s: the answer: %v", what, err)
			continue
		}
		if f.Answer == nil || !strings.Contains(f.Answer.Error, c.want) {
			t.Errorf("%s: %+v, want an error with %q", what, f.Answer, c.want)
		}
	}
	if there := record.Starting(h.store.Dir(), ""); !slices.Equal(there, []string{"run-1"}) {
		t.Errorf("the box has the runs %v, want run-1 alone", there)
	}
}

// TestTwoProcesses: of two processes on one mirror the second asks over a link of its own, and gets
// the logs that it wants through the first.
func TestTwoProcesses(t *testing.T) {
	testsize.NotShort(t, "waits for seconds")
	t.Parallel()
	h := newHistory(t, 1)
	h.create()
	h.end("run-1", runner.Done)
	p := &piped{side: &FarSide{RunsDir: h.store.Dir(), Now: time.Now, Verbs: newMadeVerbs(h)}}
	dir := filepath.Join(t.TempDir(), "mirror")
	writer := startWriter(t, h.store.Dir(), dir)
	l := NewLink("gpu1", dir, p.dial)
	startLink(t, l)
	await(t, l, "beside the first", func(s State) bool { return s.Elsewhere && s.Linked })
	l.Fetch(t.Context(), "run-1")
	wantSame(t, "fetched by the other process", h.store.Dir(), dir, []string{"run-1"})
	note := "seen"
	must(t, l.Change(Change{Run: "run-1", Label: &record.LabelEdit{Note: &note}}))
	if got := h.find("run-1").Label().Note; got != note {
		t.Errorf("the note is %q, want %q", got, note)
	}
	must(t, writer.Process.Kill())
	await(t, l, "after the first", func(s State) bool { return !s.Elsewhere && s.Complete })
	wantSame(t, "written by the second", h.store.Dir(), dir, []string{"run-1"})
}
