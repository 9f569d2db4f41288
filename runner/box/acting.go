package box

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"drolab/runner"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// What the far side does for the other side. Each ask has a goroutine of its own, so that the flow
// of the mirror does not wait for it. Before the answer the conversation sends what has become of
// the run, so that the mirror shows it when the answer comes.

// mostAsks is how many asks are carried out at a time.
const mostAsks = 16

// acted is an ask that was carried out.
type acted struct {
	ask    *ask
	answer *answer
}

// actors are the asks under way.
type actors struct {
	busy int
	done chan acted // has room for all
}

// beginAsk begins to carry out an ask. One that has not the right form is answered at once.
func (s *farConversation) beginAsk(ctx context.Context, text json.RawMessage) error {
	a := &ask{}
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	err := in.Decode(a)
	if err == nil {
		err = s.checkAsk(a)
	}
	if err == nil && s.actors.busy >= mostAsks {
		err = fmt.Errorf("the box %w", runner.ErrBusy)
	}
	if err != nil {
		return s.out.send(&frame{Answer: answerOf(a, 0, err)})
	}
	s.actors.busy++
	go s.act(ctx, a)
	return nil
}

// act carries out an ask, and says from time to time that it is still at it.
func (s *farConversation) act(ctx context.Context, a *ask) {
	done := make(chan *answer, 1)
	go func() { done <- s.carryOut(ctx, a) }()
	tick := time.NewTicker(laterEvery)
	defer tick.Stop()
	for {
		select {
		case got := <-done:
			s.actors.done <- acted{a, got}
			return
		case <-ctx.Done():
			return
		case <-tick.C:
			later := &answer{Seq: a.Seq, Later: true}
			if by, ok := s.Verbs.(interface{ Reading() *runner.Reading }); ok && a.takesLong() {
				later.Reading = by.Reading()
			}
			if s.out.send(&frame{Answer: later}) != nil {
				return // the conversation ends
			}
		}
	}
}

// endAsk sends what has become of the runs, and the answer. What is asked again in a new
// conversation may be answered before the other side has asked for the list of runs.
func (s *farConversation) endAsk(of acted) error {
	s.actors.busy--
	for _, id := range of.ask.runs() {
		if err := s.lookAt(id); err != nil {
			return err
		}
	}
	return s.out.send(&frame{Answer: of.answer})
}

// runs returns the names of the runs that are asked about.
func (a *ask) runs() []string {
	switch {
	case a.Start != nil:
		return a.Start.IDs
	case a.Order != nil:
		return []string{a.Order.Run}
	case a.Change != nil:
		return []string{a.Change.Run}
	case a.Settings != nil:
		return []string{a.Settings.Run}
	}
	return nil
}

// checkAsk returns an error unless an ask has the form that this side takes.
func (s *farConversation) checkAsk(a *ask) error {
	kinds := 0
	for _, is := range []bool{a.Start != nil, a.Order != nil, a.Change != nil, a.Settings != nil,
		a.Datasets, a.Foresee != nil} {
		if is {
			kinds++
		}
	}
	for _, id := range a.runs() {
		if !record.IsRunName(id) {
			return fmt.Errorf("%.200q: expected the name of a run", id)
		}
	}
	switch {
	case kinds != 1:
		return errors.New("expected one thing to do")
	case a.Datasets:
		return nil
	case a.Foresee != nil:
		return a.Foresee.check()
	case s.Verbs == nil:
		return errors.New("this side only reads")
	case a.Start != nil:
		return checkStart(a.Start)
	case a.Order != nil:
		return checkOrder(a.Order)
	case a.Change != nil:
		return a.Change.check()
	}
	return nil
}

func checkStart(r *runner.Request) error {
	const mostRuns = 1000
	names := slices.Sorted(slices.Values(r.IDs))
	switch {
	case len(r.Specs) == 0 || len(r.Specs) > mostRuns:
		return fmt.Errorf("start: %d runs: expected 1 to %d", len(r.Specs), mostRuns)
	case len(slices.Compact(names)) != len(r.Specs):
		return errors.New("start: expected a name for each run")
	case r.Claims != nil || r.DataDir != "" || r.Dir != "" || r.Threads != 0 || r.Program != nil:
		return errors.New("start: expected no paths, threads or claims of another machine")
	}
	for _, s := range r.Specs {
		if len(s.Algorithms) != 1 || s.Seeds != 1 {
			return errors.New("start: expected one algorithm and one seed in each spec")
		}
	}
	if r.Parent == "" {
		return nil
	}
	parent, _, err := runner.ParseParent(r.Parent)
	if err == nil && !record.IsRunName(parent) {
		err = fmt.Errorf("start: %.200q: expected RUN@STEP", r.Parent)
	}
	return err
}

func checkOrder(o *runner.Order) error {
	switch o.Verb {
	case runner.Pause, runner.Resume, runner.Stop, runner.Checkpoint, runner.Knob:
	default:
		return fmt.Errorf("cannot be asked here: %.60q", o.Verb)
	}
	if o.Means != nil {
		return errors.New("expected no paths or threads of another machine")
	}
	return nil
}

func (c *Change) check() error {
	kinds := 0
	for _, is := range []bool{c.Delete, c.Label != nil, c.Pin != nil, c.Unpin != nil} {
		if is {
			kinds++
		}
	}
	if kinds != 1 {
		return fmt.Errorf("run %s: expected one change", c.Run)
	}
	return nil
}

func answerOf(a *ask, step int64, err error) *answer {
	got := &answer{Seq: a.Seq, Step: step}
	if err != nil {
		got.Error, got.Fault = err.Error(), runner.FaultOf(err)
	}
	return got
}

// carryOut does what is asked. A panic is an error, so that one ask cannot end the conversation.
func (s *farConversation) carryOut(ctx context.Context, a *ask) (got *answer) {
	defer func() {
		if p := recover(); p != nil {
			got = answerOf(a, 0, runner.ReportPanic(s.RunsDir, p))
		}
	}()
	switch {
	case a.Start != nil:
		return answerOf(a, 0, s.start(ctx, a))
	case a.Order != nil:
		step, err := s.Verbs.CarryOut(*a.Order)
		return answerOf(a, step, err)
	case a.Change != nil:
		return answerOf(a, 0, s.change(a.Change))
	case a.Datasets:
		got = answerOf(a, 0, nil)
		got.Datasets = s.datasets()
		return got
	case a.Foresee != nil:
		forecast, err := s.foresee(ctx, a.Foresee)
		got = answerOf(a, 0, err)
		got.Forecast = &forecast
		return got
	}
	of, err := s.settings(a.Settings)
	got = answerOf(a, 0, err)
	got.Spec = of
	return got
}

// start starts runs, unless they were started before the answer was lost.
func (s *farConversation) start(ctx context.Context, a *ask) (err error) {
	if _, err := record.Open(s.RunsDir); err != nil { // it makes the folder of the first run
		return err
	}
	const tries = 10 // each waits for seconds where the first start is still under way
	for range tries {
		if a.Again && s.isStarted(a.Start) {
			return nil
		}
		_, err = s.Verbs.Start(*a.Start)
		if !a.Again || !errors.Is(err, runner.ErrStarting) || ctx.Err() != nil {
			break
		}
	}
	if errors.Is(err, fs.ErrExist) && s.isStarted(a.Start) {
		return nil
	}
	return err
}

// isStarted reports whether all runs of a request are there.
func (s *farConversation) isStarted(r *runner.Request) bool {
	for i, id := range r.IDs {
		run, err := record.Find(s.RunsDir, filepath.Join(s.RunsDir, id))
		if err != nil {
			return false
		}
		m, want := &run.Meta, &r.Specs[i]
		if m.Preset != r.Preset || m.Parent != r.Parent || m.Spec.Seed != want.Seed ||
			m.Spec.Algorithm() != want.Algorithm() {
			return false
		}
	}
	return true
}

// settings returns the settings of a fork from a checkpoint.
func (s *farConversation) settings(at *checkpoint) (*spec.Spec, error) {
	run, err := record.Find(s.RunsDir, filepath.Join(s.RunsDir, at.Run))
	if err != nil {
		return nil, err
	}
	defer run.Hold()()
	past, err := run.Past(at.Step)
	if err != nil {
		return nil, err
	}
	of, err := past.Fork()
	return &of, err
}

// change changes the record of a run.
func (s *farConversation) change(c *Change) error {
	run, err := record.Find(s.RunsDir, filepath.Join(s.RunsDir, c.Run))
	switch {
	case err != nil:
		return err
	case c.Delete:
		return record.Delete(s.RunsDir, c.Run)
	case c.Label != nil:
		return run.Relabel(c.Label.Apply)
	case c.Pin != nil:
		return run.Pin(*c.Pin)
	}
	return run.Unpin(*c.Unpin)
}
