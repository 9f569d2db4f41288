package eventlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"

	"drolab/runner"
	"drolab/runner/record/internal/disk"
)

// Position is the position of the log at a checkpoint: the number of its last line that is on disk,
// and the settings that the lines up to it changed.
type Position struct {
	Seq   int64
	Knobs []runner.KnobEvent
}

// Audit is what a look at every line of a log finds.
type Audit struct {
	Position       // at the end: all knob events of the log
	Size     int64 // bytes, up to the newline of the last whole line
	Length   int64 // bytes of the file
	Unended  int   // bytes behind Size that are a whole line but for its newline
	sealed   bool  // written by a program that seals its lines
	Damaged  []Damage
	lines    int
	warned   []runner.WarningEvent // the first few: see EventLog.Append
}

// Damage is a line that cannot be read, or before which lines are missing.
type Damage struct {
	Line  int   // counted from 1
	after int64 // seq of the line before it
	What  string
}

// maxDamaged bounds the number of damages that are listed.
const maxDamaged = 1000

// AuditLog reads and checks a log from its start. A missing log counts as empty.
func AuditLog(in *disk.Folder) (*Audit, error) {
	a := &Audit{}
	f, length, err := in.Read(LogName)
	if errors.Is(err, fs.ErrNotExist) {
		return a, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	a.Length = length
	if err := a.read(io.NewSectionReader(f, 0, length)); err != nil {
		return nil, fmt.Errorf("reading %s: %w", in.Join(LogName), err)
	}
	return a, nil
}

func (a *Audit) read(r io.Reader) error {
	for in := newForward(r); ; {
		line, err := in.line()
		switch {
		case errors.Is(err, io.EOF):
			a.last(line)
			return nil
		case err != nil:
			return err
		}
		a.Size = in.offset
		a.lines++
		if line == nil {
			a.damage(errLong.Error())
		} else {
			a.add(line[:len(line)-1])
		}
	}
}

// last looks at the bytes behind the last newline. They are part of a line that a crash left, or a
// whole line whose newline was changed or is missing.
func (a *Audit) last(rest []byte) {
	if a.Unended = unended(rest); a.Unended > 0 {
		a.add(rest[:a.Unended])
	}
}

// add takes in the next line.
func (a *Audit) add(line []byte) {
	if len(line) == 0 {
		return
	}
	line, sealed, err := disk.LineSeal.Check(line)
	if err == nil && !sealed && !json.Valid(line) {
		err = errors.New("is not an event")
	}
	if err != nil {
		a.damage(err.Error())
		return
	}
	seq, kind := leading(line)
	if sealed && seq > a.Seq+1 && !a.explained() {
		a.damage(fmt.Sprintf("%d lines are missing before it", seq-a.Seq-1))
	}
	a.sealed = a.sealed || sealed
	if seq > 0 {
		a.Seq = seq
	}
	if kind != "knob" && kind != "warning" {
		return
	}
	switch e, _ := runner.DecodeEvent(line); e := e.(type) {
	case *runner.KnobEvent:
		a.Knobs = append(a.Knobs, *e)
	case *runner.WarningEvent:
		const most, longest = 1000, 4096 // the log may come from anybody
		if len(a.warned) < most && len(e.Message) <= longest {
			a.warned = append(a.warned, bare(e))
		}
	}
}

func (a *Audit) damage(what string) {
	if len(a.Damaged) < maxDamaged {
		a.Damaged = append(a.Damaged, Damage{a.lines, a.Seq, what})
	}
}

// explained reports whether a damaged line accounts for the lines that are missing before this one.
func (a *Audit) explained() bool {
	n := len(a.Damaged)
	return n > 0 && a.Damaged[n-1].after == a.Seq
}

// leading returns the seq and the type of a line that is valid JSON, or 0 and "" where it has none.
// Both stand at the start of the lines that this program writes.
func leading(line []byte) (seq int64, kind string) {
	if rest, ok := bytes.CutPrefix(line, []byte(`{"seq":`)); ok {
		number, rest, _ := bytes.Cut(rest, []byte(`,"type":"`))
		if seq, err := strconv.ParseInt(string(number), 10, 64); err == nil {
			kind, _, _ := bytes.Cut(rest, []byte{'"'})
			return seq, string(kind)
		}
	}
	var h runner.Head
	if json.Unmarshal(line, &h) != nil {
		return 0, ""
	}
	return h.Seq, h.Type
}

// LostError is the error of a log that may have lost the change of a setting: a run that goes on
// from there could arrive at other weights.
type LostError struct {
	file, what string
}

func (e *LostError) Error() string {
	return fmt.Sprintf("%s%s: a change of a setting may have been there. Restore the file "+
		"from a copy; or drolab doctor --mend keeps the rest and lets the run continue "+
		"without it",
		e.file, e.what)
}

// Since returns all knob events that matter for a run that goes on from a checkpoint. The error is
// a *LostError where the log behind the checkpoint is not whole. Damage before the checkpoint does
// not matter, since the checkpoint holds the knob events up to it.
func (a *Audit) Since(file string, at *Position) ([]runner.KnobEvent, error) {
	from := Position{}
	if at != nil {
		from = *at
	}
	switch {
	case at == nil && !a.sealed: // an older program wrote it: nothing shows a loss
		return a.Knobs, nil
	case a.Seq < from.Seq:
		return nil, &LostError{file, fmt.Sprintf(
			" ends with event %d, and the checkpoint was saved behind event %d", a.Seq, from.Seq)}
	}
	for _, d := range a.Damaged {
		if d.after >= from.Seq {
			return nil, &LostError{file, fmt.Sprintf(", line %d %s", d.Line, d.What)}
		}
	}
	list := from.Knobs
	for _, k := range a.Knobs {
		if k.Seq > from.Seq {
			list = append(list, k)
		}
	}
	return list, nil
}
