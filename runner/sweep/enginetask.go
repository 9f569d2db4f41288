package sweep

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
)

// Here says how this machine trains the runs of a sweep: how many at once, and on how many threads
// each.
type Here struct {
	Parallel int    `json:"parallel"`
	Threads  int    `json:"threads"`
	DataDir  string `json:"data_dir"`
	// Mark tells one start from another after a stop.
	Mark string `json:"mark,omitempty"`
}

// hereName is a file in a sweep's own folder. It exists as long as an engine is to work on the
// sweep.
const hereName = "here.json"

// Request asks the engine of the sweep's folder to work on the sweep. If another start asked before
// and the sweep was not stopped since, Want returns what that start asked for. The engine goes on
// as it was told, and the next engine goes by h.
func (f *Folder) Request(h Here) (there *Here, err error) {
	return there, f.WithLock(func() error {
		old, err := f.wanted()
		switch {
		case err == nil:
			there, h.Mark = old, old.Mark
			if *old == h {
				return nil
			}
		case errors.Is(err, fs.ErrNotExist):
			h.Mark = rand.Text()
		default:
			return err
		}
		return f.files.Write(f.ownPath(hereName), &h)
	})
}

// Stop notes that no engine is to work on the sweep.
func (f *Folder) Stop() error {
	return f.WithLock(func() error { return f.files.Remove(f.ownPath(hereName)) })
}

// Finish notes that an engine has done what h asked for. The request stays if there is more to do:
// the list has grown meanwhile, or the sweep was stopped and started again.
func (f *Folder) Finish(h *Here) error {
	return f.WithLock(func() error {
		if NewProgress(f).Grown() || !f.StillWants(h) {
			return nil
		}
		return f.files.Remove(f.ownPath(hereName))
	})
}

// StillWants reports whether the sweep is still to be worked on, as h asks.
func (f *Folder) StillWants(h *Here) bool {
	now, err := f.wanted()
	return err == nil && now.Mark == h.Mark
}

func (f *Folder) wanted() (*Here, error) {
	var h Here
	err := f.files.Read(f.ownPath(hereName), &h)
	return &h, err
}

// Wanted returns the sweep in a runs folder that an engine is to work on, nil if there is none.
func Wanted(dir string) (*Folder, *Here) {
	h, err := (&Folder{Dir: dir}).wanted()
	if err != nil {
		return nil, nil
	}
	f, err := Open(dir)
	if err != nil {
		return nil, nil
	}
	return f, h
}

// String says how many runs train at once, and on how many processors each.
func (h Here) String() string {
	return fmt.Sprintf("%d at once, on %d of its processors each", h.Parallel, h.Threads)
}
