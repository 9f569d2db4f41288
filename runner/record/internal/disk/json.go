package disk

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"syscall"

	"drolab/runner"
)

// maxJSON bounds the JSON files, in bytes: a run.json or a checkpoint's state
// with ten thousand classes has about one million.
const maxJSON = 16 << 20

// WriteJSON makes or replaces a sealed file.
func (f *Folder) WriteJSON(name string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", f.Join(name), err)
	}
	b = fileSeal.Put(append(b, '\n'))
	return f.Write(name, writing(b))
}

// ReadJSON reads a file of at most maxJSON bytes into v.
func (f *Folder) ReadJSON(name string, v any) error {
	b, err := f.text(name, maxJSON)
	if err != nil {
		return err
	}
	if b, _, err = fileSeal.Check(b); err != nil {
		return fmt.Errorf("%s: %w; restore it from a copy or, if it was changed on purpose, "+
			"remove its last field (crc) and the comma before it", f.Join(name), err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%s: %w", f.Join(name), err)
	}
	return nil
}

// text returns the text of a file, which must not have more than most bytes.
func (f *Folder) text(name string, most int64) ([]byte, error) {
	o, size, err := f.Read(name)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	if size > most {
		return nil, fmt.Errorf("%s: %d bytes, want at most %d", f.Join(name), size, most)
	}
	return io.ReadAll(io.LimitReader(o, most))
}

// writing returns a function that writes text.
func writing(text []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}
}

// Explain adds the remedy to an error, where one is known. Where the same write may succeed later,
// the result is a *runner.DiskError.
func Explain(err error) error {
	switch {
	case diskFull(err):
		return &runner.DiskError{What: "disk full: free space and resume", Err: err}
	case diskFails(err):
		return &runner.DiskError{What: "disk fails: repair it and resume", Err: err}
	case errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE):
		return &runner.DiskError{Err: err,
			What: "too many files are open: stop some runs, or raise the limit and resume"}
	}
	return err
}
