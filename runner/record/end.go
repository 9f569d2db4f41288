package record

import (
	"fmt"
	"io"

	"drolab/runner"
	"drolab/runner/record/internal/disk"
)

// endBudget is how far from its end a log is read to tell how a run stands, in
// bytes: some 300 step events.
const endBudget = 256 << 10

// end is a History that is read from the log's end. While its Status is empty it is not
// known.
type end struct {
	History
	interrupted bool   // it ends without a word, and nobody holds the run
	path        string // of the log
	passed      *passedOver
}

// statusOnly stops readEnd at the first event that tells the status.
func statusOnly(*end) bool { return true }

// complete stops it where all is known that a summary of the run needs.
func (e *end) complete(m *runner.Meta) bool {
	return e.Eval != nil && e.Last != nil && (e.Selected != nil || m.Spec.Select == runner.SelectLast)
}

// settledEnd returns the end of a run's log as it is while nobody writes it, or while
// somebody holds the run. A run writes its end before it lets go: a log that was read
// before, and a lock that was asked for after, would make an interrupted run of it.
func settledEnd(read func() (*end, error), held func() bool) (*end, error) {
	e, err := read()
	for err == nil && !e.Status.Ended() && !held() {
		last := e
		if e, err = read(); err == nil && e.Status == last.Status && e.Step == last.Step {
			e.interrupted = true
			break
		}
	}
	return e, err
}

// readEnd reads the log in a run's folder backward until enough says so or
// endBudget is spent. enough is asked once the status is known.
func readEnd(in *disk.Folder, passed *passedOver, enough func(*end) bool) (*end, error) {
	return readBack(in, endBudget, passed, enough)
}

func readBack(in *disk.Folder, budget int64, passed *passedOver, enough func(*end) bool) (*end, error) {
	f, size, err := in.Read(logName)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	e := &end{path: in.Join(logName), passed: passed}
	lines := newBackward(f, size, size-budget)
	rest, start, err := lines.line()
	switch {
	case err == io.EOF:
		passed.add(fmt.Errorf("%s: no line ends in its last %d bytes", e.path, budget))
	case err == nil && !e.take(rest[:unended(rest)], start, enough): // a torn line is passed over
		err = e.read(lines, enough)
	}
	if err != nil && err != io.EOF {
		return nil, err
	}
	if e.Status == "" { // a new run, or one that wrote nothing but warnings for long
		e.Status = runner.Queued
		if size > budget {
			e.Status = runner.Running
		}
	}
	return e, nil
}

// Standing returns how the run stands, from the end of its log, and where that does
// not reach back to it, from its summary. It costs the same for every length of log.
func (r *Run) Standing() Standing {
	in, err := disk.OpenFolder(r.open, r.Dir)
	if err != nil {
		return Standing{Status: r.status, Step: r.summary.Steps}
	}
	defer in.Close()
	e, err := readEnd(in, r.passed, func(e *end) bool { return e.complete(&r.Meta) })
	if err != nil {
		e = &end{}
	}
	s := e.Standing
	s.Status, s.Cause = r.status, r.summary.Cause
	s.Step = max(s.Step, r.summary.Steps)
	if s.Eval == nil && len(r.summary.ByGroup) > 0 {
		s.Eval = &runner.EvalEvent{Head: runner.Head{Step: r.summary.Steps}, Epoch: r.summary.Epochs,
			Values: r.summary.Measures, ByGroup: r.summary.ByGroup}
	}
	return s
}

func (e *end) read(lines *backward, enough func(*end) bool) error {
	for {
		line, start, err := lines.line()
		if err != nil {
			return err
		}
		if line == nil {
			e.passed.addLine(e.path, start, errLong)
		}
		if e.take(line, start, enough) {
			return nil
		}
	}
}

// take takes in a line, and tells whether enough is known.
func (e *end) take(line []byte, start int64, enough func(*end) bool) bool {
	if len(line) == 0 {
		return false
	}
	event, err := decodeLine(line)
	if err != nil {
		e.passed.addLine(e.path, start, err)
	}
	if event == nil {
		return false
	}
	e.Before(event)
	return e.Status != "" && enough(e)
}
