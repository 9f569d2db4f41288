package run

import (
	"path/filepath"
	"time"

	"drolab/runner"
	"drolab/runner/publish"
	"drolab/tui/cli/console"
)

// exportLive opens an event file for each of the runs and returns what closes them.
// TensorBoard is pointed at the folder above: each run has one of its own there.
func exportLive(runs []*live, dir string) (end func()) {
	folder := filepath.Join(filepath.Dir(dir), "tensorboard")
	for _, l := range runs {
		var err error
		l.out, err = publish.NewEventWriter(filepath.Join(folder, l.meta.ID), &l.meta, time.Now())
		if err != nil {
			l.news = append(l.news, "no event files: "+console.OneLine(err.Error()))
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

// export writes one event. After a failure there are no more.
func (l *live) export(e runner.Event) {
	if l.out == nil {
		return
	}
	err := l.out.Put(e)
	if err == nil {
		err = l.out.Flush()
	}
	if err != nil {
		l.out.Close() // it has failed already
		l.out = nil
		l.news = append(l.news, "event files end here: "+console.OneLine(err.Error()))
	}
}
