package run

import (
	"path/filepath"
	"time"

	"drolab/runner"
	"drolab/runner/publish"
	"drolab/tui/cell"
)

// exportLive opens an event file for each of the runs, and returns the function that closes the
// files. Each run has a folder of its own; TensorBoard is pointed at the folder above them.
func exportLive(runs []*followedRun, dir string) (end func()) {
	folder := filepath.Join(filepath.Dir(dir), "tensorboard")
	for _, l := range runs {
		var err error
		l.out, err = publish.NewEventWriter(filepath.Join(folder, l.meta.ID), &l.meta, time.Now())
		if err != nil {
			l.news = append(l.news, "no event files: "+cell.OneLine(err.Error()))
		}
	}
	return func() {
		for _, l := range runs {
			if l.out != nil {
				l.out.Close()
			}
		}
	}
}

// export writes one event. After a failure it writes no more.
func (l *followedRun) export(e runner.Event) {
	if l.out == nil {
		return
	}
	err := l.out.Write(e)
	if err == nil {
		err = l.out.Flush()
	}
	if err != nil {
		l.out.Close() // the earlier error is reported
		l.out = nil
		l.news = append(l.news, "no more event files: "+cell.OneLine(err.Error()))
	}
}
