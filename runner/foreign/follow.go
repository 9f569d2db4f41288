package foreign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/record"
)

// Following says how a log is followed.
type Following struct {
	Idle    time.Duration // the log counts as ended after this time without more; 0: never
	Poll    time.Duration // between two looks at the files; 0: half a second
	Started func(m *runner.Meta)
	// Read, if it is not nil, is called where everything that is there has been read and written.
	Read func()
}

// errOther says that another run's log has the place of the one that was followed.
var errOther = errors.New("the log of another run has its place: import that one, too")

// follower writes the points of a log as they come.
type follower struct {
	found *Found
	store *record.Store
	o     *Options
	how   Following

	l   *Log
	g   *gather // until the run is made
	to  runner.Recorder
	w   *writer
	src *Source
	// failed says that the run could not be made.
	failed bool

	notes int // that are written
	seen  map[string]*sequence
	again bool // the log is read once more from its start, since it was replaced
}

// sequence is what was read of a name.
type sequence struct {
	first, last Point
	n           int64 // points that were taken
	now         int64 // points of this reading
}

// Follow makes a run of a log that another program is writing, and follows it until the log says
// its end, nothing comes for how.Idle, or ctx ends. Whole lines and records count alone. A file
// that is rewritten with what it had, as Lightning does for a new column, is read on behind that.
func (f *Found) Follow(
	ctx context.Context, store *record.Store, o *Options, how Following,
) (*Outcome, error) {
	r := &follower{found: f, store: store, o: o, how: how, g: newGather(),
		seen: map[string]*sequence{}}
	defer r.g.close()
	r.l = &Log{take: r.take, purge: r.purge, asked: o.asks(), Notes: slices.Clone(f.notes)}
	src, err := f.open()
	if err != nil {
		return nil, err
	}
	defer src.root.Close()
	defer src.close()
	r.src = src
	src.turned = func() { clear(r.seen) } // whether the file is replaced is told by its own points
	src.wait = &waiting{ctx: ctx, poll: cmp.Or(how.Poll, time.Second/2), idle: r.idle,
		now: time.Now, last: time.Now(), over: func(idle time.Duration) bool {
			return how.Idle > 0 && idle >= how.Idle
		}}
	if f.kind.folder && f.kind.Name == "tensorboard" && !f.alone {
		src.wait.more = r.eventFiles
	}
	err = r.read(ctx)
	if r.w == nil && r.g.count > 0 && !r.failed { // it has ended at once
		r.how.Read = nil
		err = cmp.Or(r.idle(), err)
	}
	if r.w == nil {
		switch {
		case r.failed:
		case ctx.Err() != nil:
			err = errors.New("interrupted: there are no numbers in it yet")
		case err == nil || errors.Is(err, errOver):
			err = errNoNumbers
		}
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	return r.end(ctx, err)
}

// read reads the log, and again from its start where it is replaced.
func (r *follower) read(ctx context.Context) error {
	for {
		err := r.found.kind.read(r.src, r.l)
		r.src.rotated = nil // they are read
		switch {
		case errors.Is(err, errReplaced):
			if r.found.kind.rotates {
				r.src.rotated = r.src.newer()
			}
		case errors.Is(err, fs.ErrNotExist): // it is being replaced
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(r.src.wait.poll):
			}
		default:
			return err
		}
		r.src.close()
		r.again = true
		r.l.timing.again()
		for _, s := range r.seen {
			s.now = 0
		}
	}
}

// eventFiles lists the event files of the folder, in the order in which they are read.
func (r *follower) eventFiles() (names []string) {
	list, err := fs.ReadDir(r.src.root.FS(), ".")
	if err != nil {
		return nil
	}
	for _, e := range list {
		if !e.Type().IsRegular() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		head, err := headOf(r.src.root, e.Name())
		if err == nil && isEvents(head) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names
}

// take takes a point, unless it was taken before the log was replaced.
func (r *follower) take(p Point) error {
	name := fmt.Sprint(p.Name, " ", p.Group)
	s := r.seen[name]
	if s == nil {
		s = &sequence{first: p}
		r.seen[name] = s
	}
	if s.now++; r.again && s.now <= s.n {
		if s.now > 1 || same(p, s.first) {
			return nil
		}
		if p.Step <= s.last.Step {
			return errOther
		}
		*s = sequence{first: p, now: 1} // the log was rotated, and goes on
	}
	s.n++
	s.last = p
	if r.w != nil {
		return r.w.add(p)
	}
	if err := r.g.take(p); err != nil || len(r.g.spills) == 0 {
		return err
	}
	return r.start()
}

// same reports whether two points are one, NaN or not.
func same(a, b Point) bool {
	return a.Step == b.Step && (a.Value == b.Value || a.Value != a.Value && b.Value != b.Value)
}

// purge takes back the points from a step on, those of all names. What the rule of old event files
// takes back of single names stays: only a whole import leaves it out.
func (r *follower) purge(from int64, names []string) error {
	switch {
	case r.w == nil:
		return r.g.purge(from, names)
	case names != nil || r.again:
		return nil
	}
	return r.w.back(from)
}

// idle makes the run if there is something of it, and writes what is known.
func (r *follower) idle() error {
	if r.how.Read != nil {
		defer r.how.Read()
	}
	if r.w == nil && r.g.count > 0 {
		if err := r.start(); err != nil {
			return err
		}
	}
	if r.w == nil {
		return nil
	}
	for ; r.notes < len(r.l.Notes); r.notes++ {
		if err := r.w.warn(r.w.reached, r.l.Notes[r.notes]); err != nil {
			return err
		}
	}
	return r.w.flush()
}

// start makes the run with what was read so far. An earlier run of the log is replaced.
func (r *follower) start() (err error) {
	defer func() { r.failed = err != nil }()
	p, err := r.found.prepare(r.l, r.g, r.o, (&Seeds{}).next)
	if err != nil {
		return err
	}
	m := p.meta
	if _, err := r.src.size(); err != nil {
		return err
	}
	files, err := r.src.originals(r.src.wait.ctx, r.found.dir)
	if err != nil {
		return err
	}
	m.Imported.Files, m.Imported.Checksum = files, files[0].SHA256
	release, err := r.store.Importing(r.src.wait.ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	var w *writer
	fill := func(to runner.Recorder) error {
		w = newWriter(to, m, p.t)
		if err := w.begin(nil); err != nil {
			return err
		}
		if err := r.g.each(w.add); err != nil {
			return err
		}
		return w.flush()
	}
	old := known(r.store, m, r.g.furthest)
	switch {
	case old == nil:
		err = r.store.Add(m, fill)
	case !old.Status().Ended():
		return fmt.Errorf("run %s follows this log already: end the command that follows it first",
			old.Meta.ID)
	default:
		m.ID, m.Created = old.Meta.ID, old.Meta.Created
		err = r.store.Replace(m, fill)
	}
	if err != nil {
		return err
	}
	if r.to, _, err = r.store.Reopen(m.ID); err != nil {
		return err
	}
	r.w, w.to = w, r.to
	if r.how.Started != nil {
		r.how.Started(m)
	}
	return nil
}

// end writes how the run ended, and returns why.
func (r *follower) end(ctx context.Context, err error) (*Outcome, error) {
	status, why := runner.Done, cmp.Or(r.l.Cause, "the log has ended")
	switch {
	case ctx.Err() != nil:
		status, err = runner.Stopped, nil
		why = fmt.Sprintf("its log is not followed any more: %v", context.Cause(ctx))
	case errors.Is(err, errOver):
		err = nil
		why = cmp.Or(r.l.Cause, "nothing was written to the log any more")
	case err != nil:
		status, why = runner.Stopped, err.Error()
	}
	if status == runner.Done && r.l.Cause != "" {
		status = runner.Failed
	}
	cause := why
	if text := r.followed(); text != "" {
		cause += "; " + text
	}
	r.how.Read = nil
	failed := errors.Join(r.idle(), r.w.finish(status, clean(cause, 4*mostName)), r.to.Close())
	if errors.Is(err, errOther) {
		err = nil // the run says it
	}
	// Where the disk is full, what follows on the first failure fails like it.
	return &Outcome{Meta: r.w.meta, Why: why}, disk.Whole(cmp.Or(err, failed), r.store.Dir())
}

// followed says up to where the files were read, with their hashes.
func (r *follower) followed() string {
	if _, err := r.src.size(); err != nil && !errors.Is(err, os.ErrNotExist) {
		return ""
	}
	files, err := r.src.originals(context.Background(), r.found.dir)
	if err != nil {
		return ""
	}
	var words []string
	for _, f := range files {
		words = append(words, fmt.Sprintf("%d bytes of %s, sha256 %s", f.Size, f.Path, f.SHA256))
	}
	return "followed: " + strings.Join(words, ", ")
}
