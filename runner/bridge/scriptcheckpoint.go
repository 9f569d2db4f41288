package bridge

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"drolab/runner"
	"drolab/runner/data/loader"
)

// placeKind is the kind of a loader's state where a script keeps the place among its samples.
const placeKind = "script"

// checkpoint gives the script a folder and makes a checkpoint of the files that the script puts
// there.
func (s *Script) checkpoint() error {
	s.saves++
	folder := filepath.Join(s.dir, fmt.Sprintf("save-%d", s.saves))
	if err := os.Mkdir(folder, 0o700); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	defer os.RemoveAll(folder) // Close removes what cannot be removed yet
	if err := s.answer(scriptAnswer{Folder: folder}); err != nil {
		return err
	}
	m, _, err := s.receive()
	switch {
	case err != nil:
		return err
	case m.Do == "discard":
		if err := os.RemoveAll(folder); err != nil {
			return fmt.Errorf("checkpoint: the discarded files cannot be removed: %w", err)
		}
		return s.answer(scriptAnswer{})
	case m.Do == "end":
		return s.end(m)
	case m.Do != "saved":
		return fmt.Errorf("run.%s comes within the block of run.checkpoint",
			runner.OneLine(m.Do, mostName))
	}
	s.saving = folder
	if err := s.run.Checkpoint(); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return s.answer(scriptAnswer{})
}

// Save implements train.Saver. The script may save for a stop, which is then no reason to give up
// its files; one more stop is. Nobody else takes these requests.
func (s *Script) Save(to *runner.State) error {
	to.Batches = loader.State{Kind: placeKind, Epoch: s.epoch}
	to.Draws = to.Batches
	stops := max(1, len(s.run.Gate.Stops))
	to.Opaque = savedFolder{s.saving, s.spec, func() bool { return len(s.run.Gate.Stops) > stops }}
	return nil
}

// Load implements train.Saver: it puts the script's files into a folder, where the script reads
// them.
func (s *Script) Load(from *runner.State) error {
	if from.Opaque == nil {
		return errors.New("it belongs to a network of drolab's own, not to a script")
	}
	if from.Batches.Kind != placeKind {
		return errors.New("the checkpoint does not belong to a script's run")
	}
	s.epoch = from.Batches.Epoch
	s.loaded = filepath.Join(s.dir, "load")
	if err := os.Mkdir(s.loaded, 0o700); err != nil {
		return err
	}
	return unpack(from.Opaque, s.loaded, s.spec)
}
