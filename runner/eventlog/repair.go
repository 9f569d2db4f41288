package eventlog

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"slices"
	"time"

	"drolab/runner"
	"drolab/runner/disk"
)

// RepairLog copies the whole lines of a log, and writes a warning in the place of each lost one.
// The copy begins with the owner's first line, and reaches at least as far as the witnesses do. The
// warnings name where the log is kept as it was. The result is what the witnesses go with now.
func RepairLog(
	w io.Writer, from io.Reader, of disk.Owner, witnesses []Witness, where string,
) (moved []Witness, err error) {
	r := &repairer{w: w, where: where, hash: sha256.New(), witnesses: slices.Clone(witnesses)}
	upto := int64(0)
	for i := range witnesses {
		upto = max(upto, witnesses[i].Seq)
	}
	err = r.write(HeadLine(of))
	if err == nil {
		err = r.copy(from, upto)
	}
	if err != nil {
		return nil, err
	}
	return r.witnesses, nil
}

type repairer struct {
	w         io.Writer
	where     string
	seq       int64 // of the last line
	step      int64
	hash      hash.Hash // of what was written
	bytes     int64
	witnesses []Witness
}

// write writes a line, and notes where the witnesses of the lines so far stand.
func (r *repairer) write(line []byte) error {
	r.hash.Write(line)
	r.bytes += int64(len(line))
	for i := range r.witnesses {
		if m := &r.witnesses[i].Extent; m.Seq == r.seq && m.SHA256 != sumOf(r.hash) {
			*m = disk.Extent{Seq: m.Seq, Bytes: r.bytes, SHA256: sumOf(r.hash),
				Was: cmp.Or(m.Was, m.SHA256)}
		}
	}
	_, err := r.w.Write(line)
	return err
}

func (r *repairer) copy(from io.Reader, upto int64) error {
	for in := newForwardReader(from, MaxLine, io.Discard); ; {
		line, err := in.line()
		switch {
		case errors.Is(err, io.EOF): // a torn line is cut, unless it is whole but for its newline
			err = nil
			if n := unended(line); n > 0 {
				err = r.line(append(line[:n:n], '\n'))
			}
			return errors.Join(err, r.fill(upto+1))
		case err == nil && line != nil:
			err = r.line(line)
		}
		if err != nil {
			return err
		}
	}
}

// line copies a line, after warnings for the lines that are missing before it.
func (r *repairer) line(line []byte) error {
	text := append([]byte(nil), line...) // decoding changes the line
	bare, err := disk.UnsealLine(line[:len(line)-1])
	if err != nil {
		return nil
	}
	seq, _ := parseLeading(bare)
	if seq <= r.seq { // the head is written already, and a warning in the place of this event
		return nil
	}
	if err := r.fill(seq); err != nil {
		return err
	}
	r.seq = seq
	if e, err := runner.DecodeEvent(bare); err == nil && e != nil {
		r.step = e.Header().Step
	}
	return r.write(text)
}

// fill writes warnings with the numbers below next that are still unused.
func (r *repairer) fill(next int64) error {
	for r.seq+1 < next {
		r.seq++
		w := &runner.WarningEvent{
			Head: runner.Head{Seq: r.seq, Time: time.Now().UTC(), Step: r.step},
			Message: "an event that stood here is lost: drolab doctor has the file as it was in " +
				r.where,
		}
		line, err := runner.EncodeEvent(w)
		if err == nil {
			err = r.write(append(disk.SealLine(line), '\n'))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
