package eventlog

import (
	"fmt"
	"io"
	"slices"

	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/spec"
)

// endBudget is the number of bytes at the end of a log that are read to tell how a run stands: some
// 300 step events.
const endBudget = 256 << 10

// End is a History that is read from the log's end. An empty Status is not known yet.
type End struct {
	History
	Interrupted bool        // the log does not say how the run ended, and nobody holds the run
	path        string      // of the log
	size        int64       // of the log when it was read
	next        int64       // seq of the event behind those to be read; 0: not known
	behind      int64       // offset of its line
	gaps        []*GapEvent // the last in the log first
	lost        bool        // the lines before that event are lost
}

// StatusOnly stops ReadEnd at the first event that tells the status.
func StatusOnly(*End) bool { return true }

// Complete reports whether all that a summary of the run needs is known.
func (e *End) Complete(m *runner.Meta) bool {
	return e.Eval != nil && e.Last != nil && (e.Selected != nil || m.Spec.Select == spec.SelectLast)
}

// SettledEnd returns the end of a run's log, read while nobody writes it or while somebody holds
// the run. A run writes its end before it releases its lock. If the log is read before that and the
// lock is tested after it, a run that has ended seems interrupted. So a run counts as interrupted
// only if the log still has the size with which it was read.
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

// ReadEnd reads the log in a run's folder backward until enough returns true or endBudget is spent.
// It calls enough once the status is known.
func ReadEnd(in *disk.Folder, passed *PassedOver, enough func(*End) bool) (*End, error) {
	return ReadBack(in, endBudget, passed, enough)
}

// ReadBack is ReadEnd with another budget. After an error the End is empty.
func ReadBack(
	in *disk.Folder, budget int64, passed *PassedOver, enough func(*End) bool,
) (*End, error) {
	f, size, err := in.Read(LogName)
	if err != nil {
		return &End{}, err
	}
	defer f.Close()
	e := &End{path: in.Join(LogName), size: size}
	lines := newBackwardReader(f, size, size-budget)
	line, start, err := lines.line()
	if err == io.EOF {
		passed.Add(fmt.Errorf("%s: no line ends in its last %d bytes", e.path, budget))
	}
	line = line[:unended(line)] // a torn line is passed over
	for err == nil && !e.addLine(line, start, enough) {
		line, start, err = lines.line()
		if err == nil && line == nil {
			e.gap(start, errLong)
		}
	}
	slices.Reverse(e.gaps)
	numberLines(f, e.gaps)
	for _, g := range e.gaps {
		passed.Add(g)
	}
	if err != nil && err != io.EOF {
		return &End{}, err
	}
	if e.Status == "" { // a new run, or only warnings within the budget
		e.Status = runner.Queued
		if size > budget {
			e.Status = runner.Running
		}
	}
	return e, nil
}

// addLine takes in a line, and reports whether enough is known.
func (e *End) addLine(line []byte, start int64, enough func(*End) bool) bool {
	if len(line) == 0 {
		return false
	}
	seq, rest := cutSeq(line)
	event, err := decodeLine(line)
	if err != nil {
		e.gap(start, err)
		return false
	}
	if rest != nil && seq+1 < e.next && !e.lost {
		e.gap(e.behind, missingLines(e.next-seq-1))
	}
	if rest != nil {
		e.next, e.behind, e.lost = seq, start, false
	}
	if event == nil {
		return false
	}
	e.Before(event)
	return e.Status != "" && enough(e)
}

// gap takes in that the line at start is lost, or that lines before it are.
func (e *End) gap(start int64, why error) {
	if e.lost { // it begins earlier
		g := e.gaps[len(e.gaps)-1]
		g.Start, g.Why = start, why
		return
	}
	e.lost = true
	g := &GapEvent{Path: e.path, Start: start, Why: why}
	e.gaps = append(e.gaps, g)
	e.Before(g)
}
