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

// Position is where a log stands at a checkpoint: its last line that is on disk,
// and the settings that were turned in the lines up to it.
type Position struct {
	Seq   int64
	Knobs []runner.KnobEvent
}

// Audit is what a look at every line of a log finds.
type Audit struct {
	Position       // at its end: every knob of the log
	Size     int64 // bytes, up to the newline of the last whole line
	Length   int64 // of the file
	Unended  int   // bytes behind size that are a whole line but for its newline
	sealed   bool  // by a program that seals its lines
	Damaged  []Damage
	lines    int
}

// Damage is a line that is none, or where some are missing.
type Damage struct {
	Line  int   // counted from 1
	after int64 // seq of the line before it
	What  string
}

// maxDamaged is how many damages are told of one by one.
const maxDamaged = 1000

// AuditLog reads a log from its start. One that is missing is empty.
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

// last looks at what stands behind the last newline: part of a line that a crash
// left or, where one byte was changed or is missing, all of it.
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
	if kind == "knob" {
		if e, err := runner.DecodeEvent(line); err == nil {
			if k, ok := e.(*runner.KnobEvent); ok {
				a.Knobs = append(a.Knobs, *k)
			}
		}
	}
}

func (a *Audit) damage(what string) {
	if len(a.Damaged) < maxDamaged {
		a.Damaged = append(a.Damaged, Damage{a.lines, a.Seq, what})
	}
}

// explained tells whether what is missing before this line was a damaged one.
func (a *Audit) explained() bool {
	n := len(a.Damaged)
	return n > 0 && a.Damaged[n-1].after == a.Seq
}

// leading returns the seq and the type of a line that is valid JSON, 0 and "" where
// it has none. They stand at the start of what this program writes.
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

// LostError says that a log may have held a setting that was turned, and does
// not any more: what goes on from there could come to other weights.
type LostError struct {
	file, what string
}

func (e *LostError) Error() string {
	return fmt.Sprintf("%s%s: a change of a setting may have been there. Restore the file "+
		"from a copy; or drolab doctor --mend keeps the rest and lets the run continue "+
		"without it",
		e.file, e.what)
}

// Since returns every knob that counts for what goes on behind a checkpoint. The
// error is a *lostError where the log behind the checkpoint is not whole: what is
// damaged before that, the checkpoint knows.
func (a *Audit) Since(file string, at *Position) ([]runner.KnobEvent, error) {
	from := Position{}
	if at != nil {
		from = *at
	}
	switch {
	case at == nil && !a.sealed: // of a program before: nothing tells
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
