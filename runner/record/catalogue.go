package record

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/disk"
	"drolab/runner/eventlog"
	"drolab/runner/internal/atomicfile"
)

// Catalogue lists the runs of a folder, and remembers those that have ended, so that the next
// listing of ten thousand runs reads none of them. A run's own files take precedence: a remembered
// run is used only while the stamps of its files are those with which it was read. A run that may
// still be recorded is read each time, and so is a damaged one.
//
// A file in the user's cache also holds what it remembers (cataloguefile.go). That file may be
// lost or damaged at any time. The methods of a Catalogue may be used from any goroutine.
type Catalogue struct {
	ReadOnly bool // the cache is not written to
	// Progress, if it is not nil, is told how many of the runs that a listing has to read are read,
	// from 0 on; one call is made at a time. An error from it ends the listing, and what was read
	// until then is remembered.
	Progress func(done, of int) error

	dir, cache           string
	saveEvery, readBlock int
	keepAfter            time.Duration
	now                  func() time.Time
	open                 atomicfile.Opener // nil: the system's
	mirror               bool              // the folder is a mirror

	mu       sync.Mutex
	known    map[string]*knownRun // by name; nil before the first look
	verified map[string]runStamps // of runs whose logs were verified
	unsaved  int                  // number of runs that differ from the file
}

// knownRun is a remembered run, with the stamps of the files that it was read from.
type knownRun struct {
	run    *Run
	stamps runStamps
	place  summaryPlace // of its summary in the file; zero if no file has it
}

// runStamps are the stamps of the files that a listing reads of a run.
type runStamps [5]disk.Stamp

// NewCatalogue returns the catalogue of the folder dir. The folder cache holds its file; "" keeps
// the catalogue in memory alone.
func NewCatalogue(dir, cache string) *Catalogue {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return &Catalogue{dir: dir, cache: cache, saveEvery: saveEvery, readBlock: readBlock,
		keepAfter: keepAfter, now: time.Now}
}

// saveEvery is the number of runs that have to change before the file is written anew. One more is
// needed for every saveEvery runs in the folder, since writing takes as long as reading a few runs.
const saveEvery = 64

// List returns every run, newest first, and the same problems as record.List.
func (c *Catalogue) List() (runs []*Run, problems []error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	names, err := folders(c.dir)
	if err != nil {
		return nil, []error{err}
	}
	c.mirror = disk.MirrorOf(c.dir) != nil
	if c.known == nil {
		c.known = c.load()
	}
	list, errs, err := c.readAll(names)
	if err != nil {
		return nil, []error{err}
	}
	c.remember(list)
	if c.cache != "" && !c.ReadOnly && c.unsaved > c.saveEvery+len(list)/saveEvery &&
		c.save() == nil {
		c.unsaved = 0
		c.share(names, list)
	}
	for i, e := range list {
		switch {
		case errs[i] != nil:
			problems = append(problems, &UnreadError{filepath.Join(c.dir, names[i]), errs[i]})
		case e != nil:
			runs = append(runs, e.run)
			if err := e.run.PassedOver(); err != nil {
				problems = append(problems, err)
			}
		}
	}
	NewestFirst(runs)
	return runs, problems
}

// readBlock is the number of runs that a listing reads between two looks at the clock.
const readBlock = 64

// keepAfter is the time after which a listing saves what it has read, or keepShare times as long as
// the last save took, since each save writes the whole file. A save of 10 000 runs, which took 10 s
// to read, takes 5 s where they are new, and 1 s where the file has them.
const keepAfter, keepShare = 2 * time.Second, 2

// readAll returns the runs of the names. Those that are not remembered are read, block by block,
// and saved from time to time. So a listing which is interrupted in any way, on a busy machine,
// too, loses what it has read since the last save and no more.
func (c *Catalogue) readAll(names []string) (list []*knownRun, errs []error, err error) {
	list, errs = make([]*knownRun, len(names)), make([]error, len(names))
	data.OnEveryCore(len(names), func(i int) { list[i] = c.recall(names[i]) })
	var unread []int
	for i, e := range list {
		if e == nil {
			unread = append(unread, i)
		}
	}
	told := &progressCount{tell: c.Progress, of: len(unread)}
	kept, wait := c.now(), c.keepAfter
	for from := 0; from < len(unread) && told.add(0) == nil; from += c.readBlock {
		block := unread[from:min(from+c.readBlock, len(unread))]
		data.OnEveryCore(len(block), func(k int) {
			if told.add(0) == nil {
				list[block[k]], errs[block[k]] = c.read(names[block[k]])
				told.add(1)
			}
		})
		read := c.now()
		if told.err != nil || read.Sub(kept) >= wait {
			c.keep(names, list)
			kept = c.now()
			wait = max(c.keepAfter, keepShare*kept.Sub(read))
		}
	}
	return list, errs, told.err
}

// progressCount counts the runs that are read, and reports them to a function.
type progressCount struct {
	mu       sync.Mutex
	tell     func(done, of int) error // nil: nobody is told
	done, of int
	told     bool
	err      error // of tell: the listing ends
}

// add counts n more runs, on any goroutine. It returns an error if the listing is to end.
func (t *progressCount) add(n int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done += n
	if (n > 0 || !t.told) && t.tell != nil && t.err == nil {
		t.told, t.err = true, t.tell(t.done, t.of)
	}
	return t.err
}

// keep saves what a listing has read so far, beside what is remembered of the others.
func (c *Catalogue) keep(names []string, list []*knownRun) {
	so := slices.Clone(list)
	for i, e := range so {
		if e == nil {
			so[i] = c.known[names[i]]
		}
	}
	verified := c.verified
	c.remember(so)
	maps.Copy(c.verified, verified) // of runs that are not read yet
	if c.cache != "" && !c.ReadOnly && c.unsaved > 0 && c.save() == nil {
		c.unsaved = 0
		c.share(names, list)
	}
}

// share replaces the runs of a listing by the copies that were loaded from the file.
func (c *Catalogue) share(names []string, list []*knownRun) {
	for i, e := range list {
		if k := c.known[names[i]]; e != nil && k != nil && k.stamps == e.stamps {
			list[i] = k
		}
	}
}

// Latest returns the newest run.
func (c *Catalogue) Latest() (*Run, error) {
	runs, problems := c.List()
	if len(runs) == 0 {
		if len(problems) == 0 {
			return nil, fmt.Errorf("no run in %s yet: start some with drolab run shapes", c.dir)
		}
		return nil, errors.Join(problems...)
	}
	return runs[0], nil
}

// recall returns a run that is remembered as its files are now, or nil. A run in which a reader has
// found damage is read again: other bytes may be there by now.
func (c *Catalogue) recall(name string) *knownRun {
	k := c.known[name]
	if k == nil || k.stamps != c.stampsOf(filepath.Join(c.dir, name)) || !k.run.passed.None() {
		return nil
	}
	return k
}

// read returns a run as its files are now, or nil for a folder that is not a run.
func (c *Catalogue) read(name string) (*knownRun, error) {
	dir := filepath.Join(c.dir, name)
	stamps := c.stampsOf(dir)
	if IsSweep(dir) {
		return nil, nil
	}
	var err error
	e := &knownRun{stamps: stamps}
	if e.run, err = readRun(dir, c.verified[name] == stamps); err == nil {
		e.run.configuration = e.run.Meta.Configuration()
	}
	return e, err
}

// stampsOf returns the stamps of the files that a listing reads of a run. Only a mirror has all of
// them.
func (c *Catalogue) stampsOf(dir string) (s runStamps) {
	names := []string{metaName, summaryName, eventlog.LogName, labelName, mirroredName}
	if !c.mirror {
		names = names[:len(names)-1]
	}
	for i, name := range names {
		s[i] = disk.StampOf(dir + string(filepath.Separator) + name)
	}
	return s
}

// remember remembers the runs of a listing that are final, and forgets all others.
func (c *Catalogue) remember(list []*knownRun) {
	known := make(map[string]*knownRun, len(list))
	c.verified = map[string]runStamps{}
	for _, e := range list {
		if e == nil || e.run == nil {
			continue
		}
		name := e.run.Meta.ID
		if e.run.status == runner.Interrupted {
			c.verified[name] = e.stamps
		}
		if c.known[name] != e {
			if !c.isFinal(e) {
				continue
			}
			c.unsaved++
		}
		known[name] = e
	}
	for name := range c.known {
		if known[name] == nil {
			c.unsaved++
		}
	}
	c.known = known
}

// settleTime is the least age of a file's last write at which its stamp proves that the file is
// unchanged: the clocks of disks stand still for as long as two seconds.
const settleTime = 3 * time.Second

// isFinal reports whether a run stays the same for as long as its stamps do. An interrupted run
// does not: its status depends on its lock, which leaves no trace in the stamps.
func (c *Catalogue) isFinal(e *knownRun) bool {
	r := e.run
	old := func(s disk.Stamp) bool {
		return c.now().Sub(time.Unix(0, max(s.Written, s.Changed))) > settleTime
	}
	return r.status.Ended() && r.status != runner.Interrupted && r.PassedOver() == nil &&
		!slices.ContainsFunc(e.stamps[:], func(s disk.Stamp) bool { return !old(s) }) &&
		c.stampsOf(r.Dir) == e.stamps
}
