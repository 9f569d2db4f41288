package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
)

// Examine checks that the file agrees with each run's own files. An entry of another program, or of
// files that have changed since, is not used and is no finding. With mend it removes a wrong file.
func (c *Catalogue) Examine(mend bool) []*Finding {
	what := c.wrong()
	if what == "" {
		return nil
	}
	f := &Finding{File: c.path(), What: what,
		Remedy: "nothing is lost, the next listing makes it anew; --mend removes it"}
	f.mend = func(*doctor) error { return os.Remove(f.File) }
	if mend {
		f.treat(nil)
	}
	return []*Finding{f}
}

// wrong returns what is wrong with the file, or "" if nothing is.
func (c *Catalogue) wrong() string {
	if c.cache == "" {
		return ""
	}
	f, _, _, err := readIndex(c.path())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ""
	case err != nil:
		return "the catalogue of the runs cannot be read: " + err.Error()
	}
	f.Close()
	known := c.load()
	names, _ := folders(c.dir)
	differ := make([]bool, len(names))
	onAllCores(len(names), func(i int) {
		e := known[names[i]]
		differ[i] = e != nil && e.differs(filepath.Join(c.dir, names[i]))
	})
	if i := slices.Index(differ, true); i >= 0 {
		return "the catalogue of run " + names[i] + " disagrees with its files"
	}
	return ""
}

// differs reports whether the catalogue's entry of a run disagrees with the run's files. Files that
// have changed since the entry was made do not count.
func (e *listed) differs(dir string) bool {
	if stampsOf(dir) != e.stamps {
		return false
	}
	own, err := readRun(dir, true)
	if err != nil || stampsOf(dir) != e.stamps {
		return false // the run itself is damaged, or still running
	}
	came, err := e.place.read()
	if err != nil {
		return true
	}
	sum, err := e.run.cameTo(came)
	if err != nil {
		return true
	}
	a, err := json.Marshal(sum)
	b, also := json.Marshal(own.Summary())
	return errors.Join(err, also) != nil || !bytes.Equal(a, b) || own.status != e.run.status ||
		!reflect.DeepEqual(own.label, e.run.label) || !reflect.DeepEqual(own.Meta, e.run.Meta)
}
