package box

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	_ "drolab/dro/memtest"
	"drolab/runner"
	"drolab/runner/eventlog"
	"drolab/runner/record"
	"drolab/runner/record/recordtest/eventtest"
)

var must = eventtest.Must

// pair is a far side and a link in conversation, in one goroutine: nothing happens by itself.
type pair struct {
	t    *testing.T
	far  *farConversation
	near *nearConversation

	atFar, atNear     *receiver
	readFar, readNear int // frames that were read

	sent bytes.Buffer // all that the far side has sent, without the magic line
}

// newPair begins a conversation between a folder of runs and a mirror.
func newPair(t *testing.T, runsDir string, m *record.Mirror) *pair {
	t.Helper()
	return newPairBy(t, runsDir, m, nil)
}

// newPairBy is newPair with the Verbs of the box.
func newPairBy(t *testing.T, runsDir string, m *record.Mirror, madeBy runner.Verbs) *pair {
	t.Helper()
	p := &pair{t: t}
	var toFar, toNear bytes.Buffer
	link := NewLink("gpu1", "", nil)
	link.mirror = m
	p.near = &nearConversation{Link: link, out: newSender(&toFar)}
	side := &FarSide{RunsDir: runsDir, Now: time.Now, Verbs: madeBy}
	p.far = newFarConversation(side, io.MultiWriter(&toNear, &p.sent))
	p.atFar, p.atNear = newReceiver(&toFar), newReceiver(&toNear)
	must(t, p.far.sayHello())
	must(t, p.near.out.send(&frame{Hello: &Hello{Protocol: protocol, Format: runner.Format}}))
	p.settle()
	return p
}

// settle passes on all frames until both sides have nothing to send.
func (p *pair) settle() {
	p.t.Helper()
	for {
		switch {
		case p.readNear < p.far.out.n:
			p.readNear++
			f, err := p.atNear.next()
			must(p.t, err)
			must(p.t, p.near.take(f))
			if problem := p.near.state.Problems; len(problem) > 0 {
				p.t.Fatalf("the link has the problem %q, want none", problem)
			}
		case p.readFar < p.near.out.n:
			p.readFar++
			f, err := p.atFar.next()
			must(p.t, err)
			must(p.t, p.far.answer(p.t.Context(), f))
		case p.far.actors.busy > 0:
			must(p.t, p.far.endAsk(<-p.far.actors.done))
		default:
			work := p.far.work()
			if work == nil {
				return
			}
			must(p.t, work())
		}
	}
}

// ask asks for something over the link.
func (p *pair) ask(a *ask) error {
	p.t.Helper()
	w, out, err := p.near.begin()
	must(p.t, err)
	defer p.near.end(w)
	a.Seq = w.seq
	text, err := json.Marshal(a)
	must(p.t, err)
	must(p.t, out.send(&frame{Ask: text}))
	p.settle()
	return p.near.errorOf(<-w.final)
}

// look lets the far side look at its runs once, and passes on what it sends.
func (p *pair) look() {
	p.t.Helper()
	must(p.t, p.far.look())
	p.settle()
}

// lookAtAll lets the far side look once for new runs, and then as often as it needs to see every
// run at rest: each look takes at least one of them in turn.
func (p *pair) lookAtAll() {
	p.t.Helper()
	p.look()
	for range p.far.order {
		p.look()
	}
}

// history is a folder of runs that are made, go on, save, end, are resumed, labelled, pinned and
// deleted, in an order drawn at random.
type history struct {
	t      *testing.T
	random *rand.Rand
	store  *record.Store
	live   map[string]runner.Recorder
	metas  map[string]*runner.Meta
	steps  map[string]int64
}

func newHistory(t *testing.T, seed uint64) *history {
	t.Helper()
	store, err := record.Open(t.TempDir())
	must(t, err)
	h := &history{t: t, random: rand.New(rand.NewPCG(seed, 70)), store: store,
		live: map[string]runner.Recorder{}, metas: map[string]*runner.Meta{},
		steps: map[string]int64{}}
	t.Cleanup(func() {
		for _, r := range h.live {
			r.Close()
		}
	})
	return h
}

// pick returns the name of a run, or "" where there is none.
func (h *history) pick() string {
	names := record.Starting(h.store.Dir(), "")
	if len(names) == 0 {
		return ""
	}
	return names[h.random.IntN(len(names))]
}

// change changes something, and says what.
func (h *history) change() string {
	h.t.Helper()
	id := h.pick()
	r := h.live[id]
	switch n := h.random.IntN(12); {
	case id == "" || n == 0 && len(h.metas) < 8:
		return h.create()
	case r != nil && n < 5:
		h.steps[id]++
		must(h.t, r.Append(eventtest.Step(h.steps[id])))
		return fmt.Sprintf("step %d of run %s", h.steps[id], id)
	case r != nil && n < 7:
		_, err := r.Checkpoint(eventtest.State(h.steps[id]))
		must(h.t, err)
		return fmt.Sprintf("checkpoint %d of run %s", h.steps[id], id)
	case r != nil && n == 7:
		return h.end(id, runner.Done)
	case r != nil && n == 8:
		return h.end(id, runner.Stopped)
	case r != nil && n == 9:
		return h.kill(id)
	case r == nil && n < 4:
		return h.resume(id)
	case r == nil && n == 4:
		must(h.t, record.Delete(h.store.Dir(), id))
		return "run " + id + " was deleted"
	case r == nil && n == 5:
		return h.pin(id)
	}
	must(h.t, h.find(id).Relabel(func(l *record.Label) {
		l.Note = fmt.Sprint("note ", h.random.IntN(100))
	}))
	return "run " + id + " was labelled"
}

// ask changes something over the link, and says what.
func (h *history) ask(p *pair) string {
	h.t.Helper()
	id := h.pick()
	switch n := h.random.IntN(4); {
	case id == "" || n == 0 && len(h.metas) < 8:
		r := request(uint64(len(h.metas) + 1))
		r.IDs = []string{fmt.Sprintf("run-%d", len(h.metas)+1)}
		must(h.t, p.ask(&ask{Start: &r}))
		return "run " + r.IDs[0] + " was started over the link"
	case n == 1 && h.live[id] == nil:
		must(h.t, p.ask(&ask{Change: &Change{Run: id, Delete: true}}))
		return "run " + id + " was deleted over the link"
	case n == 2:
		archived := h.random.IntN(2) == 0
		edit := &record.LabelEdit{Archived: &archived, Tags: []string{"paper"}}
		must(h.t, p.ask(&ask{Change: &Change{Run: id, Label: edit}}))
		return "run " + id + " was labelled over the link"
	}
	steps, err := h.find(id).Checkpoints()
	must(h.t, err)
	if len(steps) == 0 {
		return "run " + id + " has no checkpoint to pin over the link"
	}
	must(h.t, p.ask(&ask{Change: &Change{Run: id, Pin: &steps[0]}}))
	return "a checkpoint of run " + id + " was pinned over the link"
}

func (h *history) find(id string) *record.Run {
	h.t.Helper()
	run, err := record.Find(h.store.Dir(), id)
	must(h.t, err)
	return run
}

func (h *history) create() string {
	h.t.Helper()
	m := eventtest.Meta(uint64(len(h.metas) + 1))
	m.ID = fmt.Sprintf("run-%d", len(h.metas)+1)
	r, err := h.store.Create(m, nil)
	must(h.t, err)
	h.live[m.ID], h.metas[m.ID] = r, m
	must(h.t, r.Append(&runner.StatusEvent{Status: runner.Running}))
	return "run " + m.ID + " was made"
}

func (h *history) end(id string, status runner.Status) string {
	h.t.Helper()
	r, step := h.live[id], h.steps[id]
	must(h.t, r.Append(&runner.StatusEvent{Head: runner.Head{Step: step}, Status: status}))
	must(h.t, r.Finish(runner.Summarize(h.metas[id], status, step, nil, nil)))
	must(h.t, r.Close())
	delete(h.live, id)
	return fmt.Sprintf("run %s was %s", id, status)
}

// kill ends the process that records a run, in the middle of a line.
func (h *history) kill(id string) string {
	h.t.Helper()
	f, err := os.OpenFile(filepath.Join(h.store.Dir(), id, eventlog.LogName),
		os.O_WRONLY|os.O_APPEND, 0)
	must(h.t, err)
	_, err = f.WriteString(`{"seq":99,"type":"st`)
	must(h.t, errors.Join(err, f.Close(), h.live[id].Close()))
	delete(h.live, id)
	return "run " + id + " was killed"
}

func (h *history) resume(id string) string {
	h.t.Helper()
	r, past, err := h.store.Reopen(id)
	if errors.Is(err, runner.ErrDone) {
		return "run " + id + " is done"
	}
	must(h.t, err)
	h.live[id], h.steps[id] = r, 0
	if past.From != nil {
		h.steps[id] = past.From.Step
	}
	must(h.t, r.Append(&runner.ResumeEvent{Head: runner.Head{Step: h.steps[id]}}))
	must(h.t, r.Append(&runner.StatusEvent{Status: runner.Running}))
	return "run " + id + " was resumed"
}

func (h *history) pin(id string) string {
	h.t.Helper()
	run := h.find(id)
	steps, err := run.Checkpoints()
	must(h.t, err)
	if len(steps) == 0 {
		return "run " + id + " has no checkpoint to pin"
	}
	must(h.t, run.Pin(steps[0]))
	return fmt.Sprintf("checkpoint %d of run %s was pinned", steps[0], id)
}

// listed is what a listing says of a run, without its folder.
type listed struct {
	ID, Status, Label, Summary, Damage string

	Steps               int64
	Held                bool
	Checkpoints, Pinned []int64
}

// list lists the runs of a folder.
func list(t *testing.T, dir string) (all []listed) {
	t.Helper()
	runs, _ := record.List(dir)
	for _, r := range runs {
		s := *r.Summary()
		s.Dir, s.Box = "", ""
		text, err := s.MarshalJSON()
		must(t, err)
		steps, err := r.Checkpoints()
		must(t, err)
		pinned, err := r.Pinned()
		must(t, err)
		all = append(all, listed{
			ID:          r.Meta.ID,
			Status:      string(r.Status()),
			Label:       r.Label().String(),
			Summary:     string(text),
			Steps:       r.Steps(),
			Held:        r.Held(),
			Checkpoints: slices.Concat([]int64{}, steps), // never nil
			Pinned:      slices.Concat([]int64{}, pinned),
		})
	}
	return all
}

// logs returns the whole lines of the logs in a folder of runs.
func logs(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, id := range record.Starting(dir, "") {
		text, err := os.ReadFile(filepath.Join(dir, id, eventlog.LogName))
		must(t, err)
		all[id] = string(text[:bytes.LastIndexByte(text, '\n')+1])
	}
	return all
}
