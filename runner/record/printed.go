package record

import (
	"io"
	"os"

	"drolab/runner/record/internal/disk"
)

// Printed returns the end of what the run's program printed: the last most bytes of it, or less.
// whole says that the text is all of the output. The error is an fs.ErrNotExist where no output is
// kept.
func (r *Run) Printed(most int64) (text []byte, whole bool, err error) {
	if r.packed != nil {
		return nil, false, os.ErrNotExist
	}
	in, err := disk.OpenFolder(r.open, r.Dir)
	if err != nil {
		return nil, false, err
	}
	defer in.Close()
	f, size, err := in.Read(programLogName)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	from := max(0, size-most)
	text, err = io.ReadAll(io.NewSectionReader(f, from, size-from))
	return text, from == 0, err
}
