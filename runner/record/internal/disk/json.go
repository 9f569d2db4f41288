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
func (f *Folder) WriteJSON(name string, v any) error { return f.WriteSealed(name, v, nil) }

// WriteSealed is WriteJSON for a file that goes with this much of the log.
func (f *Folder) WriteSealed(name string, v any, log *Extent) error {
	b, err := Seal{Owner: f.Owner, Log: log}.JSON(v)
	if err != nil {
		return fmt.Errorf("writing %s: %w", f.Join(name), err)
	}
	return f.WriteText(name, b)
}

// WriteText makes or replaces a file with this text.
func (f *Folder) WriteText(name string, text []byte) error { return f.Write(name, writing(text)) }

// JSON returns a value as the text of a sealed file.
func (s Seal) JSON(v any) ([]byte, error) {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return nil, err
	}
	return s.PutJSON(b)
}

// ReadJSON reads a sealed file of at most maxJSON bytes into v.
func (f *Folder) ReadJSON(name string, v any) error {
	_, err := f.ReadSealed(name, v)
	return err
}

// ReadSealed is ReadJSON, and returns the seal.
func (f *Folder) ReadSealed(name string, v any) (s Seal, err error) {
	text, err := f.Text(name)
	if err != nil {
		return s, err
	}
	body, s, err := Unseal(text)
	if err == nil && f.ID != "" {
		err = f.Check(s.Owner)
	}
	if errors.Is(err, ErrSum) || errors.Is(err, ErrBare) {
		err = fmt.Errorf("%w; restore it from a copy", err)
	}
	if err == nil {
		err = json.Unmarshal(append(body, '}'), v)
	}
	if err != nil {
		return s, fmt.Errorf("%s: %w", f.Join(name), err)
	}
	return s, nil
}

// Seal returns the seal of a file.
func (f *Folder) Seal(name string) (Seal, error) {
	var rest struct{}
	return f.ReadSealed(name, &rest)
}

// Text returns the text of a file of at most maxJSON bytes, with its seal.
func (f *Folder) Text(name string) ([]byte, error) { return f.text(name, maxJSON) }

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
