package record

import (
	"errors"
	"io/fs"
	"path/filepath"

	"drolab/runner"
)

// readKnobs returns every knob event of the log in dir. It reads the whole
// log, but decodes only lines that look like one.
func readKnobs(dir string) (list []runner.KnobEvent, err error) {
	log := &Tail{path: filepath.Join(dir, logName), only: []byte(`"type":"knob"`)}
	for {
		events, err := log.Read()
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil
		case err != nil:
			return nil, err
		case len(events) == 0: // what a torn line left is passed over
			return list, nil
		}
		for _, e := range events {
			if k, ok := e.(*runner.KnobEvent); ok {
				list = append(list, *k)
			}
		}
	}
}
