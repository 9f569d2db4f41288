package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/machine"
)

// What the machine did during a run is in a file of its own. No figure of the run depends on it, so
// nothing waits for it, and a line that is torn or damaged is passed over. Each time that the file
// has grown by half a MiB, it takes half as many samples as before. So it is bounded, and has the
// whole of a long run.

const (
	machineName = "system.jsonl"
	machinePace = 19      // log2 of half a MiB
	mostMachine = 4 << 20 // bytes
)

// Observe implements runner.Observer. The file is open for no longer than a line takes. An error of
// the disk loses the line, and so does a line before that lacks its end after a crash.
func (r *recorder) Observe(s *machine.Sample) {
	f, size, err := r.in.OpenSized(machineName, os.O_RDWR|os.O_CREATE, disk.FileMode)
	if err != nil {
		return
	}
	defer f.Close()
	r.observed++
	line, err := json.Marshal(s)
	if err != nil || size >= mostMachine || r.observed%(1<<(size>>machinePace)) != 0 {
		return
	}
	end := []byte{'\n'}
	if f.ReadAt(end, size-1); end[0] != '\n' {
		line = nil
	}
	f.WriteAt(append(line, '\n'), size)
}

// Machine returns what the machine did during the run, from a place in its record on, and the place
// behind it. A run without such a record has no samples.
func (r *Run) Machine(from int64) (list []machine.Sample, next int64, err error) {
	text, at, err := r.readEnd(machineName, from, mostMachine)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	next = from
	for line := range bytes.Lines(text) {
		at += int64(len(line))
		var s machine.Sample
		if json.Unmarshal(line, &s) == nil {
			list, next = append(list, s), at
		}
	}
	return list, next, err
}

var _ runner.Observer = (*recorder)(nil)
