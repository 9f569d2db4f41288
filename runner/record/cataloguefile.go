package record

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"time"

	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/disk"
	"drolab/runner/eventlog"
	"drolab/runner/internal/atomicfile"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// The file of a Catalogue holds the summaries of the runs as JSON, then the index, which is read as
// a whole and sealed. Each summary has its own checksum and is read on demand. Each writer replaces
// the whole file. Of several writers at once the last one's file stays, and the others have to read
// some runs again.
//
// Runs of a sweep share nearly all of run.json: the index holds each text once.

// catalogueIndex holds what a listing of runs needs.
type catalogueIndex struct {
	Specs  []string // specifications without their seeds, as JSON
	Others []string // the rest of each run.json
	Rows   []catalogueRow
}

type catalogueRow struct {
	ID          string
	Created     time.Time
	Seed        uint64
	Spec, Other int
	Status      runner.Status
	Steps       int64
	Epochs      float64
	Own         bool
	Label       Label
	Mirrored    []byte // mirrored.json without its summary; nil: a run of this machine
	Stamps      runStamps
	Place       summaryPlace
}

// sharedMeta is run.json without the fields that differ between the runs of a sweep.
type (
	plainMeta  runner.Meta
	sharedMeta struct {
		*plainMeta
		ID      *struct{} `json:"id,omitempty"`
		Created *struct{} `json:"created,omitempty"`
		Spec    *struct{} `json:"spec,omitempty"`
	}
)

// path returns the path of the file. It depends on this machine's view of the folder, since other
// machines may share the cache.
func (c *Catalogue) path() string {
	host, _ := os.Hostname()
	device, inode := disk.Identity(c.dir)
	name := fmt.Sprintf("%s %d %d %s", host, device, inode, c.dir)
	return filepath.Join(c.cache, fmt.Sprintf("%x", sha256.Sum256([]byte(name)))[:32])
}

// owner returns the owner of the file: the folder, and the program, since another one may read more
// from the same runs.
func (c *Catalogue) owner() disk.Owner { return disk.Owner{ID: c.dir, Made: madeBy()} }

// madeBy identifies this program.
var madeBy = sync.OnceValue(func() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	return fmt.Sprint(disk.StampOf(path))
})

// load returns the runs in the file, or none where the file cannot be used.
func (c *Catalogue) load() map[string]*knownRun {
	known := map[string]*knownRun{}
	if c.cache == "" {
		return known
	}
	f, x, of, err := readCatalogue(c.path())
	if err != nil {
		return known
	}
	specs, others, err := x.decode()
	if err != nil || of != c.owner() {
		f.Close()
		return known
	}
	from := &summaryFile{file: f, cached: map[*Run]*runner.Summary{}}
	c.use()
	configurations := map[[3]string]string{}
	runs, entries := make([]Run, len(x.Rows)), make([]knownRun, len(x.Rows))
	for i := range x.Rows {
		row, r, e := &x.Rows[i], &runs[i], &entries[i]
		r.Dir = filepath.Join(c.dir, row.ID)
		r.Meta = row.meta(specs, others)
		key := [3]string{r.Meta.Preset, r.Meta.Parent, x.Specs[row.Spec]}
		if configurations[key] == "" {
			configurations[key] = r.Meta.Configuration()
		}
		r.configuration = configurations[key]
		r.steps, r.epochs = row.Steps, row.Epochs
		r.status, r.own, r.label = row.Status, row.Own, row.Label
		if row.Mirrored != nil {
			r.mirrored = &mirroredRun{}
			if json.Unmarshal(row.Mirrored, r.mirrored) != nil {
				continue // this run is read again
			}
		}
		r.passed, r.entry = &eventlog.PassedOver{}, e
		*e = knownRun{run: r, stamps: row.Stamps, place: row.Place}
		e.place.from = from
		known[row.ID] = e
	}
	return known
}

// readCatalogue opens a file and reads its index.
func readCatalogue(path string) (f atomicfile.File, x *catalogueIndex, of disk.Owner, err error) {
	f, size, err := disk.OpenRegular(path)
	if err != nil {
		return nil, nil, of, err
	}
	x = &catalogueIndex{}
	text, s, err := disk.ReadLast(f, size)
	if err == nil {
		err = gob.NewDecoder(bytes.NewReader(text)).Decode(x)
	}
	if err != nil {
		f.Close()
		return nil, nil, of, err
	}
	return f, x, s.Owner, nil
}

// decode parses the JSON texts of an index.
func (x *catalogueIndex) decode() (specs []spec.Spec, others []runner.Meta, err error) {
	specs, others = make([]spec.Spec, len(x.Specs)), make([]runner.Meta, len(x.Others))
	wrong := make([]error, len(specs)+len(others))
	data.OnEveryCore(len(wrong), func(i int) {
		if k := i - len(specs); k >= 0 {
			m := &sharedMeta{plainMeta: (*plainMeta)(&others[k])}
			wrong[i] = json.Unmarshal([]byte(x.Others[k]), m)
		} else {
			wrong[i] = json.Unmarshal([]byte(x.Specs[i]), &specs[i])
		}
	})
	return specs, others, errors.Join(wrong...)
}

// meta returns the run.json of a row's run.
func (r *catalogueRow) meta(specs []spec.Spec, others []runner.Meta) runner.Meta {
	m := others[r.Other]
	m.ID, m.Created, m.Spec = r.ID, r.Created, specs[r.Spec]
	m.Spec.Seed = r.Seed
	return m
}

// save writes the remembered runs to the file, and then loads them from it.
func (c *Catalogue) save() error {
	if err := os.MkdirAll(c.cache, disk.FolderMode); err != nil {
		return err
	}
	err := disk.InFolderOf(c.open, c.path(), func(in *disk.Folder, name string) error {
		return in.Write(name, func(w io.Writer) error { return writeCatalogue(w, c) })
	})
	if err == nil {
		c.known = c.load()
		c.tidy()
	}
	return err
}

// unusedLimit is the time without use after which a file of the cache is removed. Its folder is
// gone, or will take seconds to read when it is listed again.
const unusedLimit = 60 * 24 * time.Hour

// use marks the file as used, at most once a day.
func (c *Catalogue) use() {
	path, now := c.path(), c.now()
	info, err := os.Lstat(path)
	if err == nil && !c.ReadOnly && now.Sub(info.ModTime()) > 24*time.Hour {
		os.Chtimes(path, now, now) // if this fails, tidy may remove the file, and it is made anew
	}
}

// tidy removes the files of the cache that nobody has used for unusedLimit.
func (c *Catalogue) tidy() {
	list, _ := os.ReadDir(c.cache)
	for _, e := range list {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && c.now().Sub(info.ModTime()) > unusedLimit {
			os.Remove(filepath.Join(c.cache, e.Name()))
		}
	}
}

func writeCatalogue(w io.Writer, c *Catalogue) error {
	var x catalogueIndex
	var specs, others texts
	var at int64
	for _, e := range c.known {
		r := e.run
		row := catalogueRow{ID: r.Meta.ID, Created: r.Meta.Created, Seed: r.Meta.Spec.Seed,
			Status: r.status, Steps: r.steps, Epochs: r.epochs, Own: r.own, Label: r.label,
			Stamps: e.stamps}
		if r.mirrored != nil {
			short := *r.mirrored
			short.Summary = nil
			text, err := json.Marshal(&short)
			if err != nil {
				continue
			}
			row.Mirrored = text
		}
		summary, err := row.texts(r, &specs, &others)
		if err != nil {
			continue // this run is read at each listing
		}
		row.Place.At = at
		x.Rows = append(x.Rows, row)
		at += int64(len(summary))
		if _, err := w.Write(summary); err != nil {
			return err
		}
	}
	x.Specs, x.Others = specs.list, others.list
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(&x); err != nil {
		return err
	}
	text, err := disk.Seal{Owner: c.owner()}.Put(b.Bytes())
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// texts is a list of texts without repeats.
type texts struct {
	list   []string
	places map[string]int
}

func (t *texts) add(text string) int {
	if t.places == nil {
		t.places = map[string]int{}
	}
	place, ok := t.places[text]
	if !ok {
		place = len(t.list)
		t.places[text], t.list = place, append(t.list, text)
	}
	return place
}

// texts returns the text of a run's summary, and sets the row's references to the texts of its
// run.json. It returns an error where those texts would be read as another run: a file that was
// changed by hand may hold what no program of ours writes.
func (r *catalogueRow) texts(of *Run, specs, others *texts) (summary []byte, err error) {
	if e := of.entry; e != nil { // the run was itself read from such texts
		if summary, err = e.place.read(); err != nil {
			return nil, err
		}
		r.Place = e.place
	}
	s := of.Meta.Spec
	s.Seed = 0
	made, err := json.Marshal(&s)
	rest, wrong := json.Marshal(&sharedMeta{plainMeta: (*plainMeta)(&of.Meta)})
	if err = cmp.Or(err, wrong); err == nil && summary == nil {
		summary, err = r.check(of, made, rest)
	}
	if err != nil {
		return nil, err
	}
	r.Spec, r.Other = specs.add(string(made)), others.add(string(rest))
	return summary, nil
}

// check returns the text of a run's summary, having verified that the run's texts read as the run.
func (r *catalogueRow) check(of *Run, made, rest []byte) (summary []byte, err error) {
	x := catalogueIndex{Specs: []string{string(made)}, Others: []string{string(rest)}}
	specs, others, err := x.decode()
	if err != nil {
		return nil, err
	}
	again := Run{Dir: of.Dir, Meta: r.meta(specs, others), mirrored: of.mirrored}
	short := *of.Summary()
	short.ID, short.Dir, short.Parts, short.RiskRadii = "", "", measure.Parts{}, nil
	short.ClassInterval, short.GroupInterval = nil, nil
	summary, err = json.Marshal(&short)
	short.Measures, short.ByGroup = nil, nil
	fixed, wrong := json.Marshal(&short)
	if err = cmp.Or(err, wrong); err != nil {
		return nil, err
	}
	r.Place = summaryPlace{Len: uint32(len(summary)), Sum: crc32.Checksum(summary, disk.Castagnoli),
		Figures: uint32(len(fixed) - 1)}
	if !again.reads(summary, of) {
		return nil, fmt.Errorf("run %s: reads otherwise: %w", of.Meta.ID, disk.ErrSum)
	}
	return summary, nil
}

// reads reports whether a run with the text of its summary has the content of the run want.
func (r *Run) reads(text []byte, want *Run) bool {
	s, err := r.decodeSummary(text)
	if err != nil {
		return false
	}
	a, err := json.Marshal(s)
	b, also := json.Marshal(want.Summary())
	return errors.Join(err, also) == nil && bytes.Equal(a, b) &&
		reflect.DeepEqual(r.Meta, want.Meta)
}

// Examine checks that the file agrees with each run's own files. An entry of another program, or of
// files that have changed since, is not used and is no finding. With mend it removes a wrong file.
func (c *Catalogue) Examine(mend bool) []*Finding {
	what := c.wrong()
	if what == "" {
		return nil
	}
	f := &Finding{File: c.path(), What: what,
		Remedy: "nothing is lost, the next listing makes it anew; --mend removes it"}
	f.repair = func() error { return os.Remove(f.File) }
	if mend {
		f.mend()
	}
	return []*Finding{f}
}

// wrong returns what is wrong with the file, or "" if nothing is.
func (c *Catalogue) wrong() string {
	if c.cache == "" {
		return ""
	}
	f, _, _, err := readCatalogue(c.path())
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
	data.OnEveryCore(len(names), func(i int) {
		e := known[names[i]]
		differ[i] = e != nil && c.differs(e, filepath.Join(c.dir, names[i]))
	})
	if i := slices.Index(differ, true); i >= 0 {
		return "the catalogue of run " + names[i] + " disagrees with its files"
	}
	return ""
}

// differs reports whether the catalogue's entry of a run disagrees with the run's files. Files that
// have changed since the entry was made do not count.
func (c *Catalogue) differs(e *knownRun, dir string) bool {
	if c.stampsOf(dir) != e.stamps {
		return false
	}
	own, err := readRun(dir, true)
	if err != nil || c.stampsOf(dir) != e.stamps {
		return false // the run itself is damaged, or still running
	}
	summary, err := e.place.read()
	return err != nil || !e.run.reads(summary, own) || own.status != e.run.status ||
		!reflect.DeepEqual(own.label, e.run.label)
}
