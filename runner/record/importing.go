package record

import (
	"context"
	"errors"
	"time"

	"drolab/runner/disk"
)

// importLockName is the lock of whoever imports into the folder of runs.
const importLockName = ".import.lock"

// Importing waits until no other process imports into the folder, or ctx ends. Until release, what
// the caller finds of earlier imports stays as it is.
func (s *Store) Importing(ctx context.Context) (release func() error, err error) {
	root, err := s.root()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	const pause = 20 * time.Millisecond
	for {
		l, err := root.TryAcquire(importLockName)
		if err == nil {
			return l.Release, nil
		}
		if !errors.Is(err, disk.ErrHeld) && !errors.Is(err, disk.ErrLeased) {
			return nil, disk.Explain(err, root.Path)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}
