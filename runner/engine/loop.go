package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"drolab/dro"
	"drolab/presets"
	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/queue"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// LoopSettings are the settings of the process.
type LoopSettings struct {
	Queue      queue.Settings // for the run's queue; this package sets Store
	Store      *record.Store
	RuntimeDir string
	// Find resolves RUN, RUN@STEP and RUN@selected; step −1 is the newest.
	Find func(name string) (r *record.Run, step int64, err error)
}

// ServeLoop holds the run that a script asks for over two pipes, until the run or the script ends.
// The error says why the run failed; the script was told it, unless the script has gone.
func ServeLoop(ctx context.Context, in io.ReadCloser, out io.Writer, s LoopSettings) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer onParentEnd(func() {
		cancel() // a paused run hears nothing else
		in.Close()
	})()
	script, err := bridge.Accept(in, out)
	if err == nil {
		err = s.serve(ctx, script)
	}
	if errors.Is(err, train.ErrLeft) {
		return err
	}
	script.End(err)
	return err
}

// onParentEnd calls gone when the process that started this one has ended. The end of the pipe does
// not tell, because a worker that the process leaves may hold the pipe open.
func onParentEnd(gone func()) (stop func()) {
	parent, over := os.Getppid(), make(chan struct{})
	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for os.Getppid() == parent {
			select {
			case <-over:
				return
			case <-tick.C:
			}
		}
		gone()
	}()
	return func() { close(over) }
}

// serve holds the run until it ends.
func (s *LoopSettings) serve(ctx context.Context, script *bridge.Script) error {
	o := &script.Opening
	a, err := s.requestedRun(o)
	if err != nil {
		return err
	}
	d, err := o.Describe()
	if err != nil {
		return err
	}
	if a.resume == "" && d.StepsPerEpoch == 0 { // like a loader that drops nothing
		batch := max(1, a.request.Specs[0].Batch)
		d.StepsPerEpoch = (d.Data.Train.Len() + batch - 1) / batch
	}
	p := runner.Program{Path: o.Path, Arguments: o.Arguments, Interpreter: o.Interpreter,
		Device: d.Device, Packages: d.Packages, Processes: o.Processes}
	if p.SHA256, err = bridge.Checksum(o.Path); err != nil {
		p.SHA256 = "" // typed in, or in a notebook
	}
	s.Queue.Store, s.Queue.Parallel = s.Store, 1
	// Nobody need be there but the script, which waits as long as the disk is full.
	s.Queue.Alone, s.Queue.Waits = true, script.Waits
	// The run does not begin before it can be asked: whoever finds it finds it listening.
	listening := make(chan struct{})
	s.Queue.Script = &queue.ScriptRun{Description: d, Program: p,
		Open: func(place runner.Workplace, of *spec.Spec) (train.Leader, error) {
			<-listening
			return script.Open(place, of, d.Data)
		}}
	q := queue.NewQueue(ctx, s.Queue)
	id, err := a.start(q)
	if err != nil {
		return err
	}
	end, err := serveRun(filepath.Join(s.Store.Dir(), id), s.RuntimeDir, s.Queue.Host, q,
		io.Discard)
	if err != nil { // the run cannot be asked anything then, but trains
		end = func() {}
	}
	defer end()
	close(listening)
	for _, outcome := range q.Wait() {
		err = outcome.Err
	}
	return err
}

// runRequest is the run that a script wants: one to go on with, or a new one.
type runRequest struct {
	resume  string
	request runner.Request
}

func (a *runRequest) start(q *queue.Queue) (id string, err error) {
	if a.resume != "" {
		return a.resume, q.Resume(a.resume)
	}
	ids, err := q.Start(a.request)
	if err != nil {
		return "", err
	}
	return ids[0], nil
}

// requestedRun reads which run a script wants.
func (s *LoopSettings) requestedRun(o *bridge.Opening) (a runRequest, err error) {
	switch {
	case o.Resume != "" && o.From != "":
		return a, errors.New("give resume to continue a run, or from_ to fork one, but not both")
	case o.Resume != "":
		return s.resumedRun(o)
	case o.From != "":
		return s.forkedRun(o)
	}
	of := spec.Defaults()
	of.LRDropEpoch = 0 // the script has its own schedule, unless it asks for drolab's
	if n := o.Samples[runner.SplitTrain]; n > 0 {
		of.Batch = min(of.Batch, n)
	}
	if err := of.Assign("model", []byte(`"`+spec.ScriptModel+`"`)); err != nil {
		return a, err
	}
	if err := assign(&of, o); err != nil {
		return a, err
	}
	a.request = runner.Request{Preset: cmp.Or(o.Name, "script"), Specs: []spec.Spec{of}}
	return a, nil
}

// checkSetting refuses settings that a script's run does not have.
func checkSetting(key string) error {
	if slices.Contains([]string{"algorithms", "seeds", "model", "dataset", "sampler"}, key) {
		return fmt.Errorf("settings: %s: a script's run has one method and one seed, and the "+
			"script's own network, data and batches", key)
	}
	if key == "patience" {
		return errors.New("settings: patience: a script ends its own loop: ask run.best() after " +
			"run.evaluate")
	}
	return nil
}

// assign gives s the settings that a script names.
func assign(s *spec.Spec, o *bridge.Opening) error {
	const asIn = `method: expected the name of one method, as in method="sfk"`
	if text, stated := o.Settings["method"]; stated {
		var name string
		if json.Unmarshal(text, &name) != nil {
			return errors.New(asIn)
		}
		m, err := spec.FindMethod("method", name)
		if err != nil {
			return err
		}
		s.Algorithms = []dro.Algorithm{m.Name}
	}
	named := func(key string) bool { return key == "method" }
	keys := slices.DeleteFunc(slices.Sorted(maps.Keys(o.Settings)), named)
	for _, key := range keys {
		if err := checkSetting(key); err != nil {
			return err
		}
		if err := presets.Assign(s, key, o.Settings[key]); err != nil {
			return err
		}
	}
	if len(s.Algorithms) != 1 {
		return errors.New(asIn)
	}
	return s.Unread(keys)
}

// resumedRun returns the run to go on with. Its settings must be as they were.
func (s *LoopSettings) resumedRun(o *bridge.Opening) (a runRequest, err error) {
	r, _, err := s.Find(o.Resume)
	if err != nil {
		return a, fmt.Errorf("resume: %w", err)
	}
	if !r.Meta.Spec.IsScript() {
		return a, fmt.Errorf("resume: the loop of run %s is drolab's: drolab resume %s", r.Meta.ID,
			r.Meta.ID)
	}
	now := r.Meta.Spec
	if err := assign(&now, o); err != nil {
		return a, err
	}
	for _, t := range spec.AllSettings() {
		if was, is := t.Text(&r.Meta.Spec), t.Text(&now); was != is {
			return a, fmt.Errorf("run %s continues with %s = %s, as at its start, not %s: to "+
				"change that, fork it with from_=%q", r.Meta.ID, t.Key, was, is, r.Meta.ID)
		}
	}
	o.Known(&r.Meta)
	return runRequest{resume: r.Meta.ID}, nil
}

// forkedRun returns a new run that goes on from a checkpoint of another run.
func (s *LoopSettings) forkedRun(o *bridge.Opening) (a runRequest, err error) {
	r, step, err := s.Find(o.From)
	if err != nil {
		return a, fmt.Errorf("from_: %w", err)
	}
	if !r.Meta.Spec.IsScript() {
		return a, fmt.Errorf("from_: the loop of run %s is drolab's: fork it on the page Runs, "+
			"with F", r.Meta.ID)
	}
	past, err := r.Past(step)
	if err != nil {
		return a, fmt.Errorf("from_: %w", err)
	}
	if past.From == nil {
		return a, fmt.Errorf("from_: run %s has no checkpoint", r.Meta.ID)
	}
	of, err := past.Fork()
	if err != nil {
		return a, err
	}
	if err := assign(&of, o); err != nil {
		return a, err
	}
	o.Known(&r.Meta)
	a.request = runner.Request{Preset: r.Meta.Preset, Specs: []spec.Spec{of},
		Parent: fmt.Sprintf("%s@%d", r.Meta.ID, past.From.Step)}
	return a, nil
}
