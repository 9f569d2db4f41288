package queue

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/data"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// sharedProgram is a program with its description of itself, for the runs that share it.
type sharedProgram struct {
	*bridge.Description
	record runner.Program
}

// program opens the data of a run that trains a program, as dataset does for other runs. The error
// may be about a program that this user has not started before.
func (q *Queue) program(s *spec.Spec, m runner.Means) (*sharedData, error) {
	p, start, err := q.settings.Programs.Start(s, m.Program)
	if err != nil {
		return nil, err
	}
	key := fmt.Sprintf("%s %s %s %q", s.Model, p.SHA256, p.Interpreter, start.Env)
	if d := q.share(key, nil, nil); d != nil {
		return d, nil
	}
	if err := start.Outside(); err != nil {
		return nil, err
	}
	defer os.RemoveAll(start.Scratch)
	start.Threads = m.Threads
	d, err := bridge.Describe(q.ctx, start)
	if err != nil {
		return nil, err
	}
	p.Device, p.Packages = d.Device, d.Packages
	return q.share(key, d.Data, &sharedProgram{d, p}), nil
}

var errNoWorkplace = errors.New("this store has no room for what a program leaves")

// leader returns what opens a job's script, or nil if the job has none.
func (q *Queue) leader(j *job) func() (train.Leader, error) {
	if !j.meta.Spec.IsScript() {
		return nil
	}
	return func() (train.Leader, error) {
		place, ok := j.record.(runner.Workplace)
		if !ok {
			return nil, errNoWorkplace
		}
		j.processes = []int{os.Getppid()}
		return q.settings.Script.Open(place, &j.meta.Spec)
	}
}

// network returns the builder of a job's network: of the program, if the model is one. The builder
// checks the program's file again, since a run may have waited for long.
func (q *Queue) network(j *job) train.NewNetwork {
	if j.data.program == nil {
		return q.settings.Network
	}
	return func(s *spec.Spec, d *data.Dataset, threads int) (train.Network, error) {
		place, ok := j.record.(runner.Workplace)
		if !ok {
			return nil, errNoWorkplace
		}
		_, start, err := q.settings.Programs.Start(s, j.means.Program)
		if err != nil {
			return nil, err
		}
		if start.Log, err = place.ProgramLog(); err != nil {
			return nil, err
		}
		if start.Scratch, err = place.Scratch(); err != nil {
			start.Log.Close()
			return nil, err
		}
		start.Purpose, start.Threads = bridge.Training, threads
		start.Stops, start.Done = j.gate.Stops, j.gate.Done
		n, err := bridge.NewNetwork(start, d)
		if err != nil {
			return nil, errors.Join(err, os.RemoveAll(start.Scratch))
		}
		j.processes = n.Processes()
		return n, nil
	}
}

// admits refuses a method that needs what a script decides, or a last layer that is not shown. It
// does so before the data are looked at: no other data would help.
func (d *sharedProgram) admits(s *spec.Spec) error {
	want := ""
	switch m, err := dro.Find(s.Algorithm()); {
	case err != nil:
		return err
	case m.Refits && s.IsScript():
		want = "a method that does not fit the last layer again: a script keeps its own, which " +
			"only a job can show, as self.head"
	case m.Refits && d.Features == 0:
		want = "a program that sets self.head to its last layer, or a method that does not fit it"
	case m.Subsamples && s.IsScript():
		want = "a method that takes the samples it is given: a script draws its own batches"
	}
	return refusedUnless(want, s)
}

// suits refuses a method that needs what the program cannot do.
func (d *sharedProgram) suits(t dro.Trainer, s *spec.Spec) error {
	_, restarts := t.(dro.Epochal)
	_, moves := t.(dro.Mover)
	_, picks := t.(dro.Picker)
	return refusedUnless(d.Lacks(restarts, moves, picks), s)
}

// refusedUnless returns the error of a method in the place of what a program wants; nil for "".
func refusedUnless(want string, s *spec.Spec) error {
	if want == "" {
		return nil
	}
	return &spec.KeyError{Key: "algorithms", Value: s.Algorithm(), Want: want}
}

// noteProgram logs that a run continues with another program than it began with.
func (j *job) noteProgram() error {
	then, now := j.meta.Program, j.data.program
	if then == nil || now == nil || then.SHA256 == now.record.SHA256 {
		return nil
	}
	return j.warn(fmt.Sprintf("resumed with another %s (sha256 %.12s) than it was started with "+
		"(%.12s): its numbers may differ", filepath.Base(then.Path), now.record.SHA256,
		cmp.Or(then.SHA256, "none")))
}

// ScriptRun is a script that drives the loop of a run, and has asked for the run itself.
type ScriptRun struct {
	*bridge.Description
	Program runner.Program // recorded in the run
	Open    func(runner.Workplace, *spec.Spec) (train.Leader, error)
}

// script opens the data of a run that a script drives. Only the script can start such a run.
func (q *Queue) script(of *runner.Meta) (*sharedData, error) {
	s := q.settings.Script
	if s == nil {
		return nil, errors.New(runner.ByScript(of.ID))
	}
	return q.share(spec.ScriptModel, s.Data, &sharedProgram{s.Description, s.Program}), nil
}
