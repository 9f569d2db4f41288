package record

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

// position is where a log stands at a checkpoint: its last line that is on disk,
// and the settings that were turned in the lines up to it.
type position struct {
	seq   int64
	knobs []runner.KnobEvent
}

// audit is what a look at every line of a log finds.
type audit struct {
	position       // at its end: every knob of the log
	size     int64 // bytes, up to the newline of the last whole line
	length   int64 // of the file
	unended  int   // bytes behind size that are a whole line but for its newline
	sealed   bool  // by a program that seals its lines
	damaged  []damage
	lines    int
}

// damage is a line that is none, or where some are missing.
type damage struct {
	line  int   // counted from 1
	after int64 // seq of the line before it
	what  string
}

// maxDamaged is how many damages are told of one by one.
const maxDamaged = 1000

// auditLog reads a log from its start. One that is missing is empty.
func auditLog(in *disk.Folder) (*audit, error) {
	a := &audit{}
	f, length, err := in.Read(logName)
	if errors.Is(err, fs.ErrNotExist) {
		return a, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	a.length = length
	if err := a.read(io.NewSectionReader(f, 0, length)); err != nil {
		return nil, fmt.Errorf("reading %s: %w", in.Join(logName), err)
	}
	return a, nil
}

func (a *audit) read(r io.Reader) error {
	for in := newForward(r); ; {
		line, err := in.line()
		switch {
		case errors.Is(err, io.EOF):
			a.last(line)
			return nil
		case err != nil:
			return err
		}
		a.size = in.offset
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
func (a *audit) last(rest []byte) {
	if a.unended = unended(rest); a.unended > 0 {
		a.add(rest[:a.unended])
	}
}

// add takes in the next line.
func (a *audit) add(line []byte) {
	if len(line) == 0 {
		return
	}
	line, sealed, err := disk.LineSeal.Check(line)
	if err == nil && !sealed && !json.Valid(line) {
		err = errors.New("is no event")
	}
	if err != nil {
		a.damage(err.Error())
		return
	}
	seq, kind := leading(line)
	if sealed && seq > a.seq+1 && !a.explained() {
		a.damage(fmt.Sprintf("%d lines are missing before it", seq-a.seq-1))
	}
	a.sealed = a.sealed || sealed
	if seq > 0 {
		a.seq = seq
	}
	if kind == "knob" {
		if e, err := runner.DecodeEvent(line); err == nil {
			if k, ok := e.(*runner.KnobEvent); ok {
				a.knobs = append(a.knobs, *k)
			}
		}
	}
}

func (a *audit) damage(what string) {
	if len(a.damaged) < maxDamaged {
		a.damaged = append(a.damaged, damage{a.lines, a.seq, what})
	}
}

// explained tells whether what is missing before this line was a damaged one.
func (a *audit) explained() bool {
	n := len(a.damaged)
	return n > 0 && a.damaged[n-1].after == a.seq
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

// lostError says that a log may have held a setting that was turned, and does
// not any more: what goes on from there could come to other weights.
type lostError struct {
	file, what string
}

func (e *lostError) Error() string {
	return fmt.Sprintf("%s%s: a change of a setting may have stood there. Put back the file from a copy, or "+
		"drolab doctor --mend keeps what is left and lets the run go on without it", e.file, e.what)
}

// since returns every knob that counts for what goes on behind a checkpoint. The
// error is a *lostError where the log behind the checkpoint is not whole: what is
// damaged before that, the checkpoint knows.
func (a *audit) since(file string, at *position) ([]runner.KnobEvent, error) {
	from := position{}
	if at != nil {
		from = *at
	}
	switch {
	case at == nil && !a.sealed: // of a program before: nothing tells
		return a.knobs, nil
	case a.seq < from.seq:
		return nil, &lostError{file, fmt.Sprintf(
			" ends with event %d, and the checkpoint was saved behind event %d", a.seq, from.seq)}
	}
	for _, d := range a.damaged {
		if d.after >= from.seq {
			return nil, &lostError{file, fmt.Sprintf(", line %d %s", d.line, d.what)}
		}
	}
	list := from.knobs
	for _, k := range a.knobs {
		if k.Seq > from.seq {
			list = append(list, k)
		}
	}
	return list, nil
}
