package record

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"drolab/runner"
	"drolab/runner/alert"
	"drolab/runner/disk"
	"drolab/runner/eventlog"
)

// Alerts reads the alerts of runs. It reads again only what a log has got since the last call. The
// zero Alerts reads all of them. It is for one goroutine at a time.
type Alerts struct {
	Since time.Time               // earlier alerts are left out
	Open  func(*Run) eventlog.Log // opens a log; nil: the file of the run
	logs  map[string]*alertsOfLog // by the folder of the run
}

// alertsOfLog is what is known of one log.
type alertsOfLog struct {
	log   eventlog.Log
	from  alert.Reader
	list  []alert.Alert
	ended bool  // the run was found interrupted
	size  int64 // of the log, when it was read last
}

// mostAlerts bounds the alerts that are kept of a run, whose log may come from anybody.
const mostAlerts = 1000

// Read returns the alerts of the runs, as alert.NewestFirst sorts them, and an error for each log
// that cannot be read.
func (a *Alerts) Read(runs []*Run) (list []alert.Alert, problems []error) {
	if a.logs == nil {
		a.logs = map[string]*alertsOfLog{}
	}
	for _, r := range runs {
		of, err := a.read(r)
		if err != nil {
			problems = append(problems, runError(r.Meta.ID, err))
			continue
		}
		for _, x := range of {
			if !x.Time.Before(a.Since) {
				list = append(list, x)
			}
		}
	}
	alert.NewestFirst(list, time.Now())
	return list, problems
}

// Unread returns the runs that a listing could not read, as its errors have them, for Alerts: these
// are what the logs say before a damaged line, and behind it. That a run was interrupted is not
// known of them.
func Unread(problems []error) (runs []*Run) {
	for _, err := range problems {
		var unread *UnreadError
		if !errors.As(err, &unread) {
			continue
		}
		meta := filepath.Join(unread.Dir, metaName)
		disk.InFolderOf(nil, meta, func(in *disk.Folder, _ string) error {
			m, err := readMeta(in)
			if err == nil {
				err = eventlog.CheckHead(in)
			}
			if err != nil {
				return err
			}
			r := &Run{Dir: unread.Dir, Meta: *m, passed: &eventlog.PassedOver{}}
			if r.mirrored, err = readMirrored(in); err == nil {
				runs = append(runs, r)
			}
			return err
		})
	}
	return runs
}

// read returns the alerts of a run.
func (a *Alerts) read(r *Run) ([]alert.Alert, error) {
	known := a.logs[r.Dir]
	size, written := int64(-1), time.Time{}
	if info, err := os.Lstat(filepath.Join(r.Dir, eventlog.LogName)); err == nil {
		size, written = info.Size(), info.ModTime()
	}
	interrupted := r.Status() == runner.Interrupted
	if r.mirrored != nil && !r.LogIsHere() {
		return r.alertOfVerdict(), nil
	}
	switch {
	case size >= 0 && r.mirrored == nil && written.Before(a.Since):
		return nil, nil // its events are older still
	case known == nil:
		known = &alertsOfLog{log: a.open(r)}
		a.logs[r.Dir] = known
	case size >= 0 && size == known.size && interrupted == known.ended:
		return known.list, nil
	}
	known.size = size
	if err := known.add(r, interrupted, written); err != nil {
		delete(a.logs, r.Dir) // it is read from its start the next time
		return nil, err
	}
	return known.list, nil
}

func (a *Alerts) open(r *Run) eventlog.Log {
	open := a.Open
	if open == nil {
		open = func(r *Run) eventlog.Log { return r.Tail() }
	}
	log := open(r)
	if l, ok := log.(interface{ Only(types ...string) }); ok {
		l.Only(alert.EventTypes()...)
	}
	return log
}

// add reads the rest of a log, which was last written at the given time; the zero time is not
// known.
func (l *alertsOfLog) add(r *Run, interrupted bool, written time.Time) error {
	box := ""
	if r.mirrored != nil {
		box, written = r.mirrored.Box, time.Time{}
	}
	keep := func(x alert.Alert) {
		l.list = append(l.list, x.In(r.Meta.ID, box))
		l.list = l.list[max(0, len(l.list)-mostAlerts):]
	}
	for {
		events, err := l.log.Read()
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if len(events) == 0 {
			break
		}
		for _, e := range events {
			if x, ok, _ := l.from.Add(e); ok {
				keep(x)
			}
		}
	}
	l.ended = interrupted
	if !interrupted {
		return nil
	}
	if written.IsZero() {
		written = r.lastSaved()
	}
	end := runner.Head{Time: written.UTC(), Step: r.steps}
	if x, ok := l.from.Interrupted(end); ok {
		keep(x)
	}
	return nil
}

// LogInterrupted writes into the log of a run that it was interrupted, unless the log has that, and
// returns the alert if it is to be told. Nobody else can write it: the process that trained the run
// is gone. Where somebody records the run by now, ok is false.
func (s *Store) LogInterrupted(id string) (a alert.Alert, ok bool, err error) {
	defer func() { err = runError(id, err) }()
	in, _, err := s.named(id)
	if err != nil {
		return a, false, err
	}
	defer in.Close()
	l, err := lockRun(in)
	if err != nil {
		if errors.Is(err, disk.ErrHeld) {
			err = nil
		}
		return a, false, err
	}
	defer l.Release()
	var from alert.Reader
	log := &eventlog.Tail{Path: in.Join(eventlog.LogName)}
	log.Only(alert.EventTypes()...)
	if _, err := eventlog.ReadHistory(log, func(e runner.Event) { from.Add(e) }); err != nil {
		return a, false, err
	}
	end, err := eventlog.ReadEnd(in, nil, eventlog.StatusOnly)
	if err != nil {
		return a, false, err
	}
	e := alert.New(runner.Head{Step: end.Step}, alert.Interrupted, end.Step)
	e.Time = s.now().UTC()
	if _, ok = from.Interrupted(e.Head); !ok {
		return a, false, nil
	}
	audit, err := verifyLog(in)
	if err != nil {
		return a, false, err
	}
	w, err := eventlog.NewWriter(in, audit, s.now)
	if err != nil {
		return a, false, err
	}
	if err = errors.Join(w.Append(e), w.Sync(), w.File.Close()); err != nil {
		return a, false, err
	}
	a, ok = alert.Of(e)
	return a.In(id, ""), ok, nil
}

// QuietSince reports whether nothing can have happened to a run since a time. Of a run of a box,
// its verdict and its newest checkpoint say that, as its log may not be here.
func (r *Run) QuietSince(t time.Time) bool {
	if r.packed != nil || r.mirrored == nil {
		info, err := os.Lstat(filepath.Join(r.Dir, eventlog.LogName))
		return err == nil && info.ModTime().Before(t)
	}
	const most = 24 * time.Hour // between the last checkpoint of a run and its end
	return r.mirrored.At.Before(t) || r.status.Ended() && r.lastSaved().Add(most).Before(t)
}

// alertOfVerdict returns the alert that the verdict on a mirrored run is, if it is one. The verdict
// does not say when the run ended, so the time is that of its last checkpoint.
func (r *Run) alertOfVerdict() []alert.Alert {
	h := runner.Head{Time: r.lastSaved().UTC(), Step: r.steps}
	var e runner.Event = runner.NewStatus(h, r.status, errors.New(r.Summary().Cause))
	if r.status == runner.Interrupted {
		e = alert.New(h, alert.Interrupted, h.Step)
	}
	a, ok := alert.Of(e)
	if !ok {
		return nil
	}
	return []alert.Alert{a.In(r.Meta.ID, r.mirrored.Box)}
}

// lastSaved returns the time of the newest checkpoint, or of the start of a run without one.
func (r *Run) lastSaved() time.Time {
	if s, ok, err := r.Saved(); ok && err == nil {
		return s.Time
	}
	return r.Meta.Created
}
