package foreign

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// Options say how logs become runs.
type Options struct {
	Method string // the name of the method; empty: as the log says
	Preset string // of the runs to compare with
	Spec   spec.Spec
	// Stated says that the user has named the data, as those of the preset or by a setting.
	Stated bool
	Data   *measure.Parts // of the data, if they are on this machine
	// Checksum is that of the data.
	Checksum string
	Seed     *uint64 // nil: as the log says
	Map      []string
	Keep     []string
	Groups   []string
	Host     runner.Host
	// Progress, if it is not nil, is told how many bytes of a log are read.
	Progress func(done, total int64)
}

// digest identifies the options that decide what becomes of a log.
func (o *Options) digest() string {
	s := o.Spec
	text, err := json.Marshal([]any{o.Method, o.Preset, &s, o.Stated, o.Checksum, o.Seed, o.Map,
		o.Keep, o.Groups})
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))[:16]
}

// Outcome says what an import did.
type Outcome struct {
	Meta  *runner.Meta
	Known bool // the log was imported before, as it is now
	Grown bool // it was imported before, and has more now
	// Followed says that another process follows the log at this moment, so that nothing is left to
	// import.
	Followed bool
	Why      string // a following ended
}

var errNoNumbers = errors.New("there are no numbers in it")

// read reads a log as a whole.
func (f *Found) read(ctx context.Context, o *Options) (
	*Log, *gather, []runner.OriginalFile, error,
) {
	src, err := f.open()
	if err != nil {
		return nil, nil, nil, err
	}
	defer src.root.Close()
	defer src.close()
	g := newGather()
	total, err := src.size()
	if err != nil {
		return nil, nil, nil, err
	}
	l := &Log{purge: g.purge, asked: o.asks(), Notes: slices.Clone(f.notes)}
	n := 0
	l.take = func(p Point) error {
		if n++; n%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if o.Progress != nil {
				o.Progress(src.done(), total)
			}
		}
		return g.take(p)
	}
	err = f.kind.read(src, l)
	var files []runner.OriginalFile
	if err == nil {
		files, err = src.originals(ctx, f.dir)
	}
	if err == nil && g.count == 0 {
		err = errNoNumbers
	}
	if err != nil {
		g.close()
		return nil, nil, nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	return l, g, files, nil
}

// size returns the size of the log's files, as they are before they are read.
func (s *Source) size() (total int64, err error) {
	s.sizes = map[string]int64{}
	own := s.files()
	for _, name := range slices.Concat(own, s.beside) {
		info, err := s.root.Lstat(name)
		if err != nil {
			return 0, err
		}
		s.sizes[name] = info.Size()
		if slices.Contains(own, name) {
			total += info.Size()
		}
	}
	return total, nil
}

// done returns the number of bytes that were read.
func (s *Source) done() (n int64) {
	for _, f := range s.opened {
		n += f.off
	}
	return n
}

// originals returns path, size and hash of the files. What was written behind the size while they
// were read is not counted, so that the next import takes it up.
func (s *Source) originals(
	ctx context.Context, dir string,
) (list []runner.OriginalFile, err error) {
	for _, name := range slices.Concat(s.files(), s.beside) {
		f, err := s.open(name)
		if err != nil {
			return nil, err
		}
		sum := sha256.New()
		part := io.NewSectionReader(f.f, 0, s.sizes[name])
		n, err := io.Copy(sum, &stoppable{ctx, part})
		if err != nil {
			return nil, err
		}
		list = append(list, runner.OriginalFile{Path: filepath.Join(dir, name), Size: n,
			SHA256: hex.EncodeToString(sum.Sum(nil))})
	}
	return list, nil
}

// stoppable is a reader that ends with a context.
type stoppable struct {
	ctx  context.Context
	from io.Reader
}

func (s *stoppable) Read(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.from.Read(b)
}

// prepared is a log that can be written as a run.
type prepared struct {
	meta *runner.Meta
	t    *targets
	rows []SettingRow
}

// prepare decides what becomes of a log.
func (f *Found) prepare(l *Log, g *gather, o *Options, taken func(*spec.Spec) uint64) (
	*prepared, error,
) {
	m := &runner.Meta{Preset: cmp.Or(o.Preset, "imported"), Created: time.Now().UTC(),
		Host: o.Host, StepsPerEpoch: l.PerEpoch, Steps: l.Planned, Parts: l.Parts}
	m.Spec = o.Spec.Judging(dro.Algorithm(cmp.Or(o.Method, methodOf(l, f))))
	rows, seeded := settle(l, f.kind, &m.Spec)
	if len(o.Groups) > 0 {
		if m.Groups != nil && len(m.Groups) != len(o.Groups) {
			return nil, fmt.Errorf("%s: --groups names %d groups, and the log has %d", f.Path,
				len(o.Groups), len(m.Groups))
		}
		m.Groups = o.Groups
	}
	notes := slices.Clone(l.Notes)
	m.Imported = &runner.Imported{File: filepath.Base(f.Path), Kind: f.kind.Name, Path: f.Path,
		Program: f.kind.Program, Name: l.Name, Options: o.digest(), First: g.first}
	switch {
	case o.Seed != nil:
		m.Spec.Seed = *o.Seed
	case !seeded:
		m.Spec.Seed = taken(&m.Spec)
		notes = append(notes, fmt.Sprintf("the log has no seed: it counts as seed %d",
			m.Spec.Seed))
	}
	if note := placeData(m, o, f); note != "" {
		notes = append(notes, note)
	}
	t, err := newTargets(f.kind, o.Map, o.Keep, len(m.Groups))
	if err != nil {
		return nil, err
	}
	if err := t.decideAll(g); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	m.Unsized = m.ClassCounts.Val == nil && slices.ContainsFunc(t.all(), ofValidation)
	if l.key != "" && !l.back {
		notes = append(notes, l.key+" is taken for the time")
	}
	if l.PerEpoch == 0 {
		notes = append(notes, "it does not say how many steps an epoch has")
	}
	if n := len(t.over); n > 0 {
		notes = append(notes, fmt.Sprintf("%d further logged values are in the original alone: "+
			"choose with --keep", n))
	}
	for _, row := range rows {
		if row.Becomes == "" {
			m.Imported.Settings = append(m.Imported.Settings, row.Key+" = "+row.Value)
		}
	}
	m.Imported.Absent = append([]string{"no network, dual variables or samples"}, notes...)
	return &prepared{meta: m, t: t, rows: rows}, nil
}

func ofValidation(t target) bool {
	m, ok := measure.FindMeasure(t.measure)
	return ok && m.OfValidation()
}

// placeData decides on which data the run is. It returns a note if no test compares it with runs
// on the data that the user has named, or if that is the user's word alone.
func placeData(m *runner.Meta, o *Options, f *Found) string {
	of := func(kind string, what any) string {
		text, _ := json.Marshal(what) // of texts and numbers
		return fmt.Sprintf("%s:%x", kind, sha256.Sum256(text))[:len(kind)+33]
	}
	log := of("log", f.Path)
	if m.Groups != nil {
		log = of("log", &m.Parts)
	}
	counts := &m.GroupCounts
	switch {
	case !o.Stated:
		m.Spec.Dataset, m.Checksum = "imported", log
		return ""
	case o.Data == nil:
		m.Checksum = of("stated", m.Spec.Dataset)
		return "that it is on " + m.Spec.Dataset + " is your word"
	case m.Groups == nil:
		m.Parts, m.Checksum = *o.Data, o.Checksum
		return "that it is on " + m.Spec.Dataset + " is your word: the log has no sizes"
	case !slices.Equal(counts.Test, o.Data.GroupCounts.Test):
		m.Checksum = log
		return fmt.Sprintf("no test is between it and runs on %s: the groups have %v test samples "+
			"in the log, and %v in the data", m.Spec.Dataset, counts.Test,
			o.Data.GroupCounts.Test)
	}
	m.Parts, m.Checksum = *o.Data, o.Checksum
	return "that it is on " + m.Spec.Dataset + " is your word: the sizes of the groups agree"
}

// Import makes a run of a log, whole or not at all. A log that was imported before is the same run:
// if it has grown, or if it is to be read in another way, the run is replaced under its name, and
// keeps its label.
func (f *Found) Import(ctx context.Context, store *record.Store, o *Options, s *Seeds) (
	done *Outcome, err error,
) {
	l, g, files, err := f.read(ctx, o)
	if err != nil {
		return nil, err
	}
	defer g.close()
	p, err := f.prepare(l, g, o, s.next)
	if err != nil {
		return nil, err
	}
	m := p.meta
	m.Imported.Files = files
	m.Imported.Checksum = files[0].SHA256
	release, err := store.Importing(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	old := known(store, m, g.furthest)
	if old != nil && !old.Status().Ended() {
		return &Outcome{Meta: &old.Meta, Known: true, Followed: true}, nil
	}
	if old != nil {
		before := old.Meta.Imported
		whole := old.Status() == runner.Done || old.Status() == runner.Failed
		if whole && before.Options == m.Imported.Options &&
			slices.Equal(hashes(before), hashes(m.Imported)) {
			return &Outcome{Meta: &old.Meta, Known: true}, nil
		}
		m.ID, m.Created = old.Meta.ID, old.Meta.Created
	}
	status := runner.Done
	if l.Cause != "" {
		status = runner.Failed
	}
	fill := func(to runner.Recorder) error {
		w := newWriter(to, m, p.t)
		if err := w.begin(l.Notes); err != nil {
			return err
		}
		n := 0
		err := g.each(func(p Point) error {
			if n++; n%4096 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if l.back {
				p.Elapsed = measure.Number{}
			}
			return w.add(p)
		})
		return cmp.Or(err, w.finish(status, l.Cause))
	}
	if m.Steps == 0 {
		m.Steps = g.furthest
	}
	if old == nil {
		err = store.Add(m, fill)
	} else {
		err = store.Replace(m, fill)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	return &Outcome{Meta: m, Grown: old != nil}, nil
}

func hashes(i *runner.Imported) (list []string) {
	for _, f := range i.Files {
		list = append(list, f.SHA256)
	}
	return list
}

// known returns the run that a log, which goes up to the step furthest, was imported as, or nil. It
// is the run at the same path that begins in the same way, or it has the same files. If it followed
// its log over a rotation it has more than these: then they are another log.
func known(store *record.Store, m *runner.Meta, furthest int64) *record.Run {
	all, _ := record.List(store.Dir())
	var runs []*record.Run // of logs of this kind
	for _, r := range all {
		if i := r.Meta.Imported; i != nil && i.Kind == m.Imported.Kind {
			runs = append(runs, r)
		}
	}
	for _, r := range runs {
		if i := r.Meta.Imported; i.Path == m.Imported.Path && i.First == m.Imported.First {
			return r
		}
	}
	for _, r := range runs {
		if slices.Equal(hashes(r.Meta.Imported), hashes(m.Imported)) &&
			r.Summary().Steps <= furthest {
			return r
		}
	}
	return nil
}

// Seeds numbers the runs of one import whose logs have no seed.
type Seeds struct{ taken map[string]uint64 }

// next returns the next seed of runs with these settings.
func (s *Seeds) next(of *spec.Spec) uint64 {
	one := *of
	one.Seed = 0
	text, err := json.Marshal(&one)
	if err != nil {
		return 1
	}
	if s.taken == nil {
		s.taken = map[string]uint64{}
	}
	s.taken[string(text)]++
	return s.taken[string(text)]
}
