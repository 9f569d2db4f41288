package box

import (
	"crypto/rand"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"drolab/runner/disk"
	"drolab/runner/record"
)

// A process that reads a mirror without writing it says in a file which logs it wants. The process
// that writes the mirror asks the box for them. The file counts while it is locked, so that a
// process that was killed wants nothing.

// wantsDir returns the folder of these files, beside the mirror.
func wantsDir(mirror string) string { return mirror + "-wants" }

// wantFile is the file of this process.
type wantFile struct {
	dir  string
	path string
	lock *disk.Lock // nil: there is no file
	has  []string
}

// write says which logs are wanted. Where that fails, the logs do not come, and nothing else.
func (w *wantFile) write(ids []string) {
	there := w.lock != nil && w.lock.InPlace(w.path)
	if len(ids) == 0 || there && slices.Equal(ids, w.has) {
		return
	}
	if !there { // the other process may have removed it before it was locked
		w.remove()
		if os.MkdirAll(w.dir, disk.FolderMode) != nil {
			return
		}
		w.path = filepath.Join(w.dir, rand.Text())
		w.lock, _ = disk.Acquire(w.path)
	}
	text, err := json.Marshal(ids)
	if err != nil || w.lock == nil {
		return
	}
	if _, err := w.lock.Write(text); err == nil {
		w.has = ids
	}
}

// remove ends what is wanted.
func (w *wantFile) remove() {
	if w.lock == nil {
		return
	}
	os.Remove(w.path)
	os.Remove(w.dir) // if it is empty
	w.lock.Release()
	w.lock, w.has = nil, nil
}

// readWants returns the runs whose logs other processes want, and removes the files of those that
// have ended.
func readWants(dir string) map[string]bool {
	wanted := map[string]bool{}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if !disk.Held(path) {
			os.Remove(path)
			os.Remove(dir) // if it is empty
			continue
		}
		var ids []string
		text, err := os.ReadFile(path)
		if err != nil || json.Unmarshal(text, &ids) != nil {
			continue // it is being written
		}
		for _, id := range ids {
			if record.IsRunName(id) {
				wanted[id] = true
			}
		}
	}
	return wanted
}
