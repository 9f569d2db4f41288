package record

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"drolab/runner"
	"drolab/runner/record/internal/disk"
)

// Catalogue lists the runs of a folder, and remembers those that have ended, so that the
// next look at ten thousand of them reads none. It trusts no memory over the runs' own
// files: a run is known for as long as the stamps of its files are those with which it was
// read. One that may still be recorded is read each time, and so is a damaged one.
//
// What it remembers is in a file of the user's cache, too (catalogfile.go), which may be lost
// or damaged at any time. Its methods may be used from any goroutine.
type Catalogue struct {
	ReadOnly   bool // the cache is not written to
	dir, cache string
	news       int
	now        func() time.Time
	open       disk.Opener

	mu      sync.Mutex
	known   map[string]*listed // by name; nil before the first look
	unsaved int                // runs of which the file says something else
}

// listed is a run that is known, with the stamps of the files that it was read from.
type listed struct {
	run    *Run
	stamps [4]disk.Stamp
	place  passage // of its summary; in no file: of none
}

// NewCatalogue returns that of the folder dir, kept in the folder cache as well; "" keeps
// it in memory alone.
func NewCatalogue(dir, cache string) *Catalogue {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return &Catalogue{dir: dir, cache: cache, news: news, now: time.Now, open: disk.OpenDisk}
}

// news is how many runs have to be other ones before the file is written anew, and one for so
// many in the folder: that takes as long as reading a few of them.
const news = 64

// List returns every run, newest first, and the problems that record.List returns.
func (c *Catalogue) List() (runs []*Run, problems []error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	names, err := folders(c.dir)
	if err != nil {
		return nil, []error{err}
	}
	if c.known == nil {
		c.known = c.load()
	}
	list, errs := make([]*listed, len(names)), make([]error, len(names))
	onAllCores(len(names), func(i int) { list[i], errs[i] = c.look(names[i]) })
	c.keep(list)
	if c.cache != "" && !c.ReadOnly && c.unsaved > c.news+len(list)/news && c.save() == nil {
		c.unsaved = 0
		for i, e := range list { // they need not be held twice
			if k := c.known[names[i]]; e != nil && k != nil && k.stamps == e.stamps {
				list[i] = k
			}
		}
	}
	for i, e := range list {
		switch {
		case errs[i] != nil:
			problems = append(problems, fmt.Errorf("run %s: %w", names[i], errs[i]))
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

// Latest returns the newest run.
func (c *Catalogue) Latest() (*Run, error) {
	runs, problems := c.List()
	if len(runs) == 0 {
		return nil, fmt.Errorf("no run in %s: %w", c.dir,
			errors.Join(append(problems, fs.ErrNotExist)...))
	}
	return runs[0], nil
}

// look returns a run as its files are now; nil of a folder that is none.
func (c *Catalogue) look(name string) (*listed, error) {
	dir := filepath.Join(c.dir, name)
	stamps := stampsOf(dir)
	if k := c.known[name]; k != nil && k.stamps == stamps {
		return k, nil
	}
	if isSweep(dir) {
		return nil, nil
	}
	var err error
	e := &listed{stamps: stamps}
	if e.run, err = readRun(dir); err == nil {
		e.run.configuration = e.run.Meta.Configuration()
	}
	return e, err
}

// stampsOf are those of what a list reads of a run.
func stampsOf(dir string) (stamps [4]disk.Stamp) {
	for i, name := range []string{metaName, summaryName, logName, labelName} {
		stamps[i] = disk.StampOf(dir + string(filepath.Separator) + name)
	}
	return stamps
}

// keep remembers what can be of a look at the folder, and forgets the rest.
func (c *Catalogue) keep(list []*listed) {
	known := make(map[string]*listed, len(list))
	for _, e := range list {
		if e == nil || e.run == nil {
			continue
		}
		name := e.run.Meta.ID
		if c.known[name] != e {
			if !c.stays(e) {
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

// settles is how long ago a file was written last, at least, for its stamp to tell that it is
// the same: clocks of disks stand still for as long as two seconds.
const settles = 3 * time.Second

// stays tells whether a run is the same for as long as its stamps are. Of an interrupted one
// its lock decides, which leaves no trace.
func (c *Catalogue) stays(e *listed) bool {
	r := e.run
	old := func(s disk.Stamp) bool {
		return c.now().Sub(time.Unix(0, max(s.Written, s.Changed))) > settles
	}
	return r.status.Ended() && r.status != runner.Interrupted && r.PassedOver() == nil &&
		!slices.ContainsFunc(e.stamps[:], func(s disk.Stamp) bool { return !old(s) }) &&
		stampsOf(r.Dir) == e.stamps
}

// onAllCores calls do for each number below n, on all cores.
func onAllCores(n int, do func(i int)) {
	var all sync.WaitGroup
	workers := min(runtime.GOMAXPROCS(0), n)
	for w := range workers {
		all.Go(func() {
			for i := w * n / workers; i < (w+1)*n/workers; i++ {
				do(i)
			}
		})
	}
	all.Wait()
}
