package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"

	"drolab/runner"
	"drolab/runner/machine"
	"drolab/runner/record/internal/disk"
)

// What the machine did during a run is in a file of its own. No figure of the run depends on it, so
// nothing waits for it, and a line that is torn, damaged or of another run is passed over. Each
// time that the file has grown by half a MiB, it takes half as many samples as before. So it is
// bounded, and has the whole of a long run.

const (
	machineName   = "system.jsonl"
	machinePace   = 19      // log2 of half a MiB
	mostMachine   = 4 << 20 // bytes
	mostLineThere = 64 << 10
)

// observed is a line of the file.
type observed struct {
	Of string `json:"of"` // the run's ID
	machine.Sample
}

// Observe implements runner.Observer. The file is open for no longer than a line takes. An error of
// the disk loses the line.
func (r *recorder) Observe(s *machine.Sample) {
	f, size, err := r.in.OpenSized(machineName, os.O_RDWR|os.O_CREATE, disk.FileMode)
	if err != nil {
		return
	}
	defer f.Close()
	r.observed++
	if size > mostMachine || r.observed%(1<<(size>>machinePace)) != 0 {
		return
	}
	line, err := json.Marshal(observed{r.in.Owner.ID, *s})
	if err != nil {
		return
	}
	line = append(disk.SealLine(line), '\n')
	// The line before lacks its end after a crash, or on a disk that was full.
	end := []byte{'\n'}
	if f.ReadAt(end, size-1); end[0] != '\n' {
		line = append([]byte{'\n'}, line...)
	}
	f.WriteAt(line, size)
}

// Machine returns what the machine did during the run, from a place in its record on, and the place
// behind it. A run without such a record has no samples.
func (r *Run) Machine(from int64) (list []machine.Sample, next int64, err error) {
	if r.packed != nil {
		return nil, 0, nil
	}
	in, err := disk.OpenFolder(r.open, r.Dir)
	if err != nil {
		return nil, from, err
	}
	defer in.Close()
	f, size, err := in.Read(machineName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, from, err
	}
	defer f.Close()
	if size < from { // it is another file
		from = 0
	}
	text, err := io.ReadAll(io.NewSectionReader(f, from, min(size, mostMachine+mostLineThere)-from))
	if err != nil {
		return nil, from, err
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	for line := range bytes.Lines(whole) {
		var s observed
		line, err := disk.UnsealLine(bytes.TrimRight(line, "\n"))
		if err == nil && json.Unmarshal(line, &s) == nil && s.Of == r.Meta.ID {
			list = append(list, s.Sample)
		}
	}
	return list, from + int64(len(whole)), nil
}

var _ runner.Observer = (*recorder)(nil)
