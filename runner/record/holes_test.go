//go:build darwin || freebsd || linux

package record

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drolab/runner"
	"drolab/runner/eventlog"
)

// TestHoles makes each file of a run a terabyte long, without a byte on the disk. Every reader
// ends, and names the file if it needed it.
func TestHoles(t *testing.T) {
	t.Parallel()
	before := t.TempDir()
	s := &Store{dir: before, now: clock()}
	stopped9(t, s)
	id := findRun(s, original).Meta.ID
	must(t, findRun(s, original).Relabel(func(l *Label) { l.Note = "good" }))
	indexAll(t, filepath.Join(before, id))
	const size = 1 << 40
	for i, name := range filesOf(t, filepath.Join(before, id)) {
		if testing.Short() && i%4 > 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			must(t, os.CopyFS(dir, os.DirFS(before)))
			path := filepath.Join(dir, id, name)
			if err := os.Truncate(path, size); err != nil {
				t.Skipf("no sparse files here: %v", err)
			}
			said := everyReader(t, dir, id)
			list, _, err := Examine(dir, true)
			must(t, err)
			found := findings(list)
			if filepath.Base(name) == eventlog.LockName {
				return // nobody reads more than its first bytes
			}
			if !strings.Contains(found, filepath.Base(name)) {
				t.Errorf("the doctor does not name it: %s", found)
			}
			byLog := name == eventlog.IndexName // the log can replace it
			if !byLog && !strings.Contains(said, filepath.Base(name)) {
				t.Errorf("no reader names it: %s", said)
			}
		})
	}
}

// filesOf returns the paths of the regular files in a folder, relative to it.
func filesOf(t *testing.T, dir string) (names []string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			name, e := filepath.Rel(dir, path)
			names, err = append(names, name), e
		}
		return err
	}))
	return names
}

// everyReader reads a run in every way that there is, and returns all errors and messages.
func everyReader(t *testing.T, dir, id string) (said string) {
	t.Helper()
	note := func(err error) {
		if err != nil {
			said += err.Error() + "\n"
		}
	}
	_, problems := List(dir)
	note(errors.Join(problems...))
	r, err := Find(dir, id)
	if note(err); err != nil {
		return said
	}
	for _, log := range []eventlog.Log{r.Tail(), eventlog.InSmall(r.Tail(), false),
		eventlog.NewReplay(r.Tail())} {
		note(readToEnd(log))
	}
	_, err = r.Average()
	note(err)
	r.Standing()
	steps, err := r.Checkpoints()
	note(err)
	for _, step := range steps {
		_, err := r.Past(step)
		note(err)
	}
	note(r.PassedOver())
	s := &Store{dir: dir, now: clock()}
	rec, _, err := s.Reopen(id)
	if err == nil {
		err = rec.Close()
	} else if errors.Is(err, runner.ErrDone) {
		err = nil
	}
	note(err)
	return said
}
