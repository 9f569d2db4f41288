package eventlog

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"slices"

	"drolab/runner"
	"drolab/runner/disk"
)

// Position is the position of the log at a checkpoint: the part of it that is on disk, and the
// settings that its lines changed.
type Position struct {
	disk.Extent
	Knobs []runner.KnobEvent
}

// Witness is a file of the run that goes with a part of the log.
type Witness struct {
	File string
	disk.Extent
}

// Audit is what a look at every line of a log finds. Its Position is that of the last whole line.
type Audit struct {
	Position
	Length    int64 // bytes of the file
	Unended   int   // bytes behind the last newline that are a whole line but for its newline
	Damaged   []Damage
	Foreign   error   // the log belongs to another run
	Unlike    []error // it is not the log that other files go with
	file      string  // for messages
	owner     disk.Owner
	lines     int
	warned    []string  // the first few: see Writer.Append
	begun     bool      // a line was seen
	hash      hash.Hash // of the lines up to Bytes, and of an unended one
	witnesses []Witness // behind Bytes, ascending
}

// Damage is a line that cannot be read, or before which lines are missing.
type Damage struct {
	Line  int   // counted from 1
	after int64 // seq of the line before it
	What  string
}

// maxDamaged bounds the number of damages that are listed, maxWarned that of the warnings that are
// known again: the log may come from anybody.
const maxDamaged, maxWarned = 1000, 100

// AuditLog reads and checks a log from its start, also against other files. A missing log counts as
// empty.
func AuditLog(in *disk.Folder, witnesses ...Witness) (*Audit, error) {
	a := NewAudit(in, witnesses...)
	f, length, err := in.Read(LogName)
	if errors.Is(err, fs.ErrNotExist) {
		a.end(nil)
		return a, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	a.Length = length
	lines := newForwardReader(io.NewSectionReader(f, 0, length), length, a.hash)
	if err := a.read(lines); err != nil {
		return nil, fmt.Errorf("reading %s: %w", a.file, err)
	}
	return a, nil
}

// NewAudit returns the audit of an empty log.
func NewAudit(in *disk.Folder, witnesses ...Witness) *Audit {
	witnesses = slices.SortedFunc(slices.Values(witnesses), func(a, b Witness) int {
		return cmp.Compare(a.Bytes, b.Bytes)
	})
	a := &Audit{file: in.Join(LogName), owner: in.Owner, hash: sha256.New(), witnesses: witnesses}
	a.SHA256 = sumOf(a.hash)
	return a
}

func (a *Audit) read(in *forwardReader) error {
	for {
		a.pass()
		line, err := in.line()
		switch {
		case errors.Is(err, io.EOF):
			a.end(line)
			return nil
		case err != nil:
			return err
		}
		a.Bytes = in.offset
		a.lines++
		if line == nil {
			a.damage(errLong.Error())
		} else {
			a.add(line[:len(line)-1])
		}
	}
}

// pass compares the lines so far with the witnesses of them.
func (a *Audit) pass() {
	for len(a.witnesses) > 0 && a.witnesses[0].Bytes <= a.Bytes {
		m := a.witnesses[0]
		a.witnesses = a.witnesses[1:]
		if m.Bytes < a.Bytes || m.SHA256 != sumOf(a.hash) {
			err := fmt.Errorf("differs from the log that %s goes with", m.File)
			a.Unlike = append(a.Unlike, err)
		}
	}
}

// end looks at the bytes behind the last newline, and at the witnesses of more lines. The bytes are
// part of a line that a crash left, or a whole line whose newline was changed or is missing.
func (a *Audit) end(rest []byte) {
	a.SHA256 = sumOf(a.hash)
	if a.Unended = unended(rest); a.Unended > 0 {
		a.hash.Write(rest[:a.Unended])
		a.add(rest[:a.Unended])
	}
	for _, m := range a.witnesses {
		a.Unlike = append(a.Unlike, fmt.Errorf("has lost lines: it ends with event %d, and %s was "+
			"written behind event %d", a.Seq, m.File, m.Seq))
	}
}

func sumOf(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// add takes in the next line.
func (a *Audit) add(line []byte) {
	if len(line) == 0 {
		return
	}
	first := !a.begun
	a.begun = true
	line, err := disk.UnsealLine(line)
	if err != nil {
		a.damage(err.Error())
		return
	}
	seq, kind := parseLeading(line)
	if first {
		a.Foreign = checkHead(line, a.owner)
	}
	switch {
	case seq > a.Seq+1 && !a.explained():
		a.damage(fmt.Sprintf("%d lines are missing before it", seq-a.Seq-1))
	case 0 < seq && seq <= a.Seq:
		a.damage(fmt.Sprintf("is event %d, which stands behind event %d", seq, a.Seq))
	}
	a.Seq = max(a.Seq, seq)
	if kind != "knob" && kind != "warning" {
		return
	}
	switch e, _ := runner.DecodeEvent(line); e := e.(type) {
	case *runner.KnobEvent:
		a.Knobs = append(a.Knobs, *e)
	case *runner.WarningEvent:
		if len(a.warned) < maxWarned {
			a.warned = append(a.warned, fmt.Sprint(e.Step, " ", e.Message))
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

// Err returns an error unless the log is whole, the run's own, and the one that the run's other
// files go with. A run that goes on from another log could arrive at other weights, and its figures
// may lack a part.
func (a *Audit) Err() error {
	var what string
	switch {
	case a.Foreign != nil:
		return fmt.Errorf("%s: %w", a.file, a.Foreign)
	case len(a.Damaged) > 0:
		what = fmt.Sprintf(", line %d %s", a.Damaged[0].Line, a.Damaged[0].What)
	case len(a.Unlike) > 0:
		what = " " + a.Unlike[0].Error()
	default:
		return nil
	}
	return fmt.Errorf("%s%s: restore the file from a copy; or drolab doctor --mend keeps the rest "+
		"and lets the run continue without what is lost", a.file, what)
}

// Since returns all knob events that matter for a run that goes on from a position.
func (a *Audit) Since(from Position) []runner.KnobEvent {
	var knobs []runner.KnobEvent
	knobs = append(knobs, from.Knobs...)
	for _, k := range a.Knobs {
		if k.Seq > from.Seq {
			knobs = append(knobs, k)
		}
	}
	return knobs
}
