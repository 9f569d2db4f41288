package queue

import (
	"fmt"
	"sync"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// memoryStore is a Store in memory that keeps everything that a run leaves, for tests to look at.
type memoryStore struct {
	mu   sync.Mutex
	runs map[string]*trace
	pins []string // RUN@STEP

	unpinnable int64 // the step whose checkpoint cannot be pinned
	held       int   // those who hold the checkpoints of a run
	prunes     bool  // a checkpoint that nobody holds is gone once it was read
}

type trace struct {
	meta    *runner.Meta
	events  []runner.Event
	states  []*runner.State
	summary *runner.Summary
	fail    error // returned by every later Append
}

func newMemoryStore() *memoryStore { return &memoryStore{runs: map[string]*trace{}} }

func (m *memoryStore) Create(meta *runner.Meta, from *runner.State) (runner.Recorder, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	meta.ID = fmt.Sprintf("%s-%d-%d", meta.Spec.Algorithm(), meta.Spec.Seed, len(m.runs))
	t := &trace{meta: meta}
	m.runs[meta.ID] = t
	if from == nil {
		return t, nil
	}
	_, err := t.Checkpoint(from)
	return t, err
}

func (m *memoryStore) Reopen(id string) (runner.Recorder, *runner.Past, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.runs[id]
	p := &runner.Past{Meta: t.meta, Log: t.knobs()}
	if len(t.states) > 0 {
		last := *t.states[len(t.states)-1] // a run lets go of its state's tensors
		p.From = &last
	}
	return t, p, nil
}

func (m *memoryStore) Load(id string, step int64) (*runner.Past, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.runs[id]
	for _, s := range t.states {
		if s.Step == step {
			return &runner.Past{Meta: t.meta, From: s, Log: t.knobs()}, nil
		}
	}
	return nil, fmt.Errorf("run %s has no checkpoint of step %d", id, step)
}

func (m *memoryStore) Hold(string) (release func()) {
	hold := func(n int) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.held += n
	}
	hold(1)
	return func() { hold(-1) }
}

func (m *memoryStore) Pin(id string, step int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.prunes && m.held == 0 {
		return fmt.Errorf("run %s has no checkpoint of step %d", id, step)
	}
	if step == m.unpinnable {
		return fmt.Errorf("run %s: read-only file system", id)
	}
	m.pins = append(m.pins, fmt.Sprintf("%s@%d", id, step))
	return nil
}

func (m *memoryStore) Delete(id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.runs, id)
	return nil
}

func (t *trace) knobs() (list []runner.KnobEvent) {
	for _, e := range t.events {
		if k, ok := e.(*runner.KnobEvent); ok {
			list = append(list, *k)
		}
	}
	return list
}

func (t *trace) statuses() (list []runner.Status) {
	for _, e := range t.events {
		if s, ok := e.(*runner.StatusEvent); ok {
			list = append(list, s.Status)
		}
	}
	return list
}

func (t *trace) Append(e runner.Event) error {
	if t.fail != nil {
		return t.fail
	}
	e.Header().Seq = int64(len(t.events) + 1)
	t.events = append(t.events, e)
	return nil
}

func (t *trace) Checkpoint(s *runner.State) (string, error) {
	c := *s
	c.Detach()
	t.states = append(t.states, &c)
	return fmt.Sprint(len(t.states)), nil
}

func (t *trace) Finish(s *runner.Summary) error { t.summary = s; return nil }
func (t *trace) Close() error                   { return nil }

// lines returns the lines of a log for a comparison, without the values that depend on the clock.
func (t *trace) lines(tb testing.TB, keep func(runner.Event) bool) []string {
	var list []string
	for _, e := range t.events {
		if !keep(e) {
			continue
		}
		if s, ok := e.(*runner.StepEvent); ok {
			c := *s
			c.ImagesPerSecond = measure.Number{}
			e = &c
		}
		h := *e.Header()
		e.Header().Seq = 0
		line, err := runner.EncodeEvent(e)
		if err != nil {
			tb.Fatal(err)
		}
		e.Header().Seq = h.Seq
		list = append(list, string(line))
	}
	return list
}

func everything(runner.Event) bool { return true }

// quick returns a spec that trains in a moment.
func quick(a dro.Algorithm) spec.Spec {
	s := spec.Defaults()
	s.Algorithms = []dro.Algorithm{a}
	s.Dataset = "few shapes"
	s.Model, s.Samples, s.Batch, s.Epochs, s.LogEvery = "linear", 600, 32, 2, 3
	if m, _ := dro.Find(a); m != nil && m.ReadsKey("jtt_epochs") {
		s.SetOwn("jtt_epochs", dro.Fixed(1)) // of two
	}
	if refits(a) { // to held-out samples; few features make the fit quick
		s.ValFraction, s.Model, s.Hidden = .2, "mlp", []int{8}
	}
	return s
}

// brief returns a spec that trains even faster: 15 steps an epoch on a table.
func brief(a dro.Algorithm) spec.Spec {
	s := quick(a)
	s.Dataset, s.Samples, s.MinGroup = "csv:example", 0, 5
	return s
}
