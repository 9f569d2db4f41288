package record

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path/filepath"

	"drolab/runner"
)

// readKnobs returns every knob event of the log in dir. It reads the whole
// log, but decodes only lines that look like one.
func readKnobs(dir string) ([]runner.KnobEvent, error) {
	f, _, err := openRegular(filepath.Join(dir, logName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []runner.KnobEvent
	in := bufio.NewReaderSize(f, maxLine)
	for long := false; ; {
		line, err := in.ReadSlice('\n')
		switch {
		case err == bufio.ErrBufferFull: // longer than any event
			long = true
			continue
		case err == io.EOF: // what a torn line left is passed over
			return list, nil
		case err != nil:
			return nil, err
		}
		if !long {
			list = addKnob(list, line)
		}
		long = false
	}
}

func addKnob(list []runner.KnobEvent, line []byte) []runner.KnobEvent {
	if !bytes.Contains(line, []byte(`"type":"knob"`)) {
		return list
	}
	e, err := runner.DecodeEvent(line)
	if k, ok := e.(*runner.KnobEvent); ok && err == nil {
		return append(list, *k)
	}
	return list
}
