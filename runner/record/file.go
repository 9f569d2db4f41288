package record

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"drolab/runner"
)

// Names inside a run directory.
const (
	metaName        = "run.json"
	logName         = "events.jsonl"
	summaryName     = "summary.json"
	lockName        = "lock"
	checkpointsName = "checkpoints"

	asidePrefix   = ".new-"     // of what is being written and has no name yet
	deletedPrefix = ".deleted-" // of what is being removed and has no name any more
)

// maxJSON bounds the JSON files, in bytes: a run.json or a checkpoint's state
// with ten thousand classes has about one million.
const maxJSON = 16 << 20

// writeAside writes a file so that its name never stands for less than the
// whole: aside, synced, renamed, and the folder synced. The folder has one
// writer, so the name aside can be fixed and a leftover is overwritten.
func writeAside(path string, write func(io.Writer) error) error {
	folder, name := filepath.Split(path)
	aside := folder + asidePrefix + name
	f, err := os.Create(aside)
	if err != nil {
		return explain(err)
	}
	w := bufio.NewWriterSize(f, 1<<18)
	err = write(w)
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(aside, path)
	}
	if err != nil {
		os.Remove(aside)
		return fmt.Errorf("writing %s: %w", path, explain(err))
	}
	return explain(syncDir(folder))
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
