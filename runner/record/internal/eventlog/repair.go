package eventlog

import (
	"errors"
	"io"
	"time"

	"drolab/runner"
	"drolab/runner/record/internal/disk"
)

// RepairLog copies the whole lines of a log, and writes a warning in the place of each lost one.
// The copy reaches at least to the event number upto. The warnings name where the log is kept as it
// was.
func RepairLog(w io.Writer, from io.Reader, upto int64, where string) error {
	return (&repair{w: w, where: where}).copy(from, upto)
}

type repair struct {
	w     io.Writer
	where string
	seq   int64 // of the last line
	step  int64
}

func (r *repair) copy(from io.Reader, upto int64) error {
	for in := newForward(from); ; {
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
func (r *repair) line(line []byte) error {
	text := append([]byte(nil), line...) // decoding changes the line
	var one Audit
	one.add(line[:len(line)-1])
	if len(line) == 1 || len(one.Damaged) > 0 && one.Seq == 0 {
		return nil
	}
	if one.sealed {
		if err := r.fill(one.Seq); err != nil {
			return err
		}
	}
	if one.Seq > 0 {
		r.seq = one.Seq
	}
	if e, err := decodeLine(append([]byte(nil), text[:len(text)-1]...)); err == nil && e != nil {
		r.step = e.Header().Step
	}
	_, err := r.w.Write(text)
	return err
}

// fill writes warnings with the numbers below next that are still unused.
func (r *repair) fill(next int64) error {
	for ; r.seq+1 < next; r.seq++ {
		w := &runner.WarningEvent{
			Head: runner.Head{Seq: r.seq + 1, Time: time.Now().UTC(), Step: r.step},
			Message: "an event that stood here is lost: drolab doctor has the file as it was in " +
				r.where,
		}
		line, err := runner.EncodeEvent(w)
		if err == nil {
			_, err = r.w.Write(append(disk.LineSeal.Put(line), '\n'))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
