package record

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"drolab/runner"
	"drolab/runner/internal/aside"
)

// Names inside a run directory.
const (
	metaName        = "run.json"
	logName         = "events.jsonl"
	summaryName     = "summary.json"
	lockName        = "lock"
	checkpointsName = "checkpoints"

	deletedPrefix = ".deleted-" // of what is being removed and has no name any more
)

// maxJSON bounds the JSON files, in bytes: a run.json or a checkpoint's state
// with ten thousand classes has about one million.
const maxJSON = 16 << 20

// writeAside makes or replaces a file of a run.
func writeAside(path string, write func(io.Writer) error) error {
	if err := aside.Write(path, write); err != nil {
		return fmt.Errorf("writing %s: %w", path, explain(err))
	}
	return nil
}

func writeJSON(path string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return writeAside(path, func(w io.Writer) error {
		_, err := w.Write(append(b, '\n'))
		return err
	})
}

// readJSON reads a file of at most maxJSON bytes into v.
func readJSON(path string, v any) error {
	f, size, err := openRegular(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if size > maxJSON {
		return fmt.Errorf("%s: %d bytes, want at most %d", path, size, maxJSON)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxJSON))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// openRegular opens a file for reading. Opening a pipe or a device, which a
// directory from elsewhere may hold, could wait forever.
func openRegular(path string) (f *os.File, size int64, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("%s: want a regular file", path)
	}
	if f, err = os.Open(path); err != nil {
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// explain adds the remedy where there is a known one, as a *runner.DiskError
// where the same write may succeed later.
func explain(err error) error {
	switch {
	case diskFull(err):
		return &runner.DiskError{What: "disk full: free space and resume", Err: err}
	case diskFails(err):
		return &runner.DiskError{What: "disk fails: see to it and resume", Err: err}
	}
	return err
}
