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

// Catalogue lists the runs of a folder, and remembers those that have ended, so that the next
// listing of ten thousand runs reads none of them. A run's own files take precedence: a remembered
// run is used only while the stamps of its files are those with which it was read. A run that may
// still be recorded is read each time, and so is a damaged one.
//
// A file in the user's cache also holds what it remembers (catalogfile.go). That file may be lost
// or damaged at any time. The methods of a Catalogue may be used from any goroutine.
type Catalogue struct {
	ReadOnly   bool // the cache is not written to
	dir, cache string
	news       int
	now        func() time.Time
	open       disk.Opener

	mu      sync.Mutex
	known   map[string]*listed // by name; nil before the first look
	sound   map[string]stamps  // of runs whose logs were verified
	unsaved int                // number of runs that differ from the file
}

// listed is a remembered run, with the stamps of the files that it was read from.
type listed struct {
	run    *Run
	stamps stamps
	place  passage // of its summary in the file; zero if no file has it
}

// stamps are those of the files that a listing reads of a run.
type stamps [4]disk.Stamp

// NewCatalogue returns the catalogue of the folder dir. The folder cache holds its file; "" keeps
// the catalogue in memory alone.
func NewCatalogue(dir, cache string) *Catalogue {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return &Catalogue{dir: dir, cache: cache, news: news, now: time.Now, open: disk.OpenDisk}
}

// news is the number of runs that have to change before the file is written anew. One more is
// needed for every news runs in the folder, since writing takes as long as reading a few runs.
const news = 64

// List returns every run, newest first, and the same problems as record.List.
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
		for i, e := range list { // hold one copy of each run, not two
			if k := c.known[names[i]]; e != nil && k != nil && k.stamps == e.stamps {
				list[i] = k
			}
		}
	}
	for i, e := range list {
		switch {
		case errs[i] != nil:
			problems = append(problems, ofRun(names[i], errs[i]))
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

// look returns a run as its files are now, or nil for a folder that is not a run.
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
	if e.run, err = readRun(dir, c.sound[name] == stamps); err == nil {
		e.run.configuration = e.run.Meta.Configuration()
	}
	return e, err
}

// stampsOf returns the stamps of the files that a listing reads of a run.
func stampsOf(dir string) (s stamps) {
	for i, name := range []string{metaName, summaryName, logName, labelName} {
		s[i] = disk.StampOf(dir + string(filepath.Separator) + name)
	}
	return s
}

// keep remembers the runs of a listing that are final, and forgets all others.
func (c *Catalogue) keep(list []*listed) {
	known := make(map[string]*listed, len(list))
	c.sound = map[string]stamps{}
	for _, e := range list {
		if e == nil || e.run == nil {
			continue
		}
		name := e.run.Meta.ID
		if e.run.status == runner.Interrupted {
			c.sound[name] = e.stamps
		}
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

// settles is the least age of a file's last write at which its stamp proves that the file is
// unchanged: the clocks of disks stand still for as long as two seconds.
const settles = 3 * time.Second

// stays reports whether a run stays the same for as long as its stamps do. An interrupted run does
// not: its status depends on its lock, which leaves no trace in the stamps.
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
