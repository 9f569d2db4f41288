package eventlog

import (
	"fmt"
	"io"

	"drolab/runner"
	"drolab/runner/record/internal/disk"
	"drolab/runner/spec"
)

// endBudget is how far from its end a log is read to tell how a run stands, in
// bytes: some 300 step events.
const endBudget = 256 << 10

// End is a History that is read from the log's end. While its Status is empty it is not
// known.
type End struct {
	History
	Interrupted bool   // it ends without a word, and nobody holds the run
	path        string // of the log
	size        int64  // of the log when it was read
	passed      *PassedOver
}

// StatusOnly stops readEnd at the first event that tells the status.
func StatusOnly(*End) bool { return true }

// Complete stops it where all is known that a summary of the run needs.
func (e *End) Complete(m *runner.Meta) bool {
	return e.Eval != nil && e.Last != nil && (e.Selected != nil || m.Spec.Select == spec.SelectLast)
}

// SettledEnd returns the end of a run's log as it is while nobody writes it, or while
// somebody holds the run. A run writes its end before it lets go: a log that was read
// before, and a lock that was asked for after, would make an interrupted run of it. So the
// log must have, after that, the size that it was read with.
func SettledEnd(read func() (*End, error), held func() bool, size func() int64) (*End, error) {
	e, err := read()
	for err == nil && !e.Status.Ended() && !held() {
		if e.Interrupted = e.size == size(); e.Interrupted {
			break
		}
		e, err = read()
	}
	return e, err
}

// ReadEnd reads the log in a run's folder backward until enough says so or
// endBudget is spent. enough is asked once the status is known.
func ReadEnd(in *disk.Folder, passed *PassedOver, enough func(*End) bool) (*End, error) {
	return ReadBack(in, endBudget, passed, enough)
}

func ReadBack(
	in *disk.Folder, budget int64, passed *PassedOver, enough func(*End) bool,
) (*End, error) {
	f, size, err := in.Read(LogName)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	e := &End{path: in.Join(LogName), size: size, passed: passed}
	lines := newBackward(f, size, size-budget)
	rest, start, err := lines.line()
	switch {
	case err == io.EOF:
		passed.Add(fmt.Errorf("%s: no line ends in its last %d bytes", e.path, budget))
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

func (e *End) read(lines *backward, enough func(*End) bool) error {
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
func (e *End) take(line []byte, start int64, enough func(*End) bool) bool {
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
