package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/eventlog"
	"drolab/runner/internal/atomicfile"
)

// Mirror writes the mirror of a box. It holds the lock of each run that somebody records on the
// box, so that every reader here finds the run held. What comes from the box is hostile: a Mirror
// writes only files with names that it knows, in folders with names of runs, within bounds.
//
// Nothing is synced: a mirror that a power cut has damaged is fetched again. A run whose files
// do not belong together is removed when the Mirror is opened, and then is missing.
//
// One process at a time has the Mirror of a folder. Its methods may be used from any goroutine.
type Mirror struct {
	box string
	now func() time.Time

	mu   sync.Mutex
	root *disk.Folder
	lock *disk.Lock
	runs map[string]*mirrorEntry

	heads, logs         int64 // bytes of the heads and logs of all runs
	mostHeads, mostLogs int64
}

// mirrorEntry is what a Mirror knows of a run in it.
type mirrorEntry struct {
	version string
	live    bool       // it has not ended
	held    *disk.Lock // of the run; nil: nobody records it on its box
	log     LogState
	fetched time.Time // when the log last grew
	head    int64     // bytes of the files of its head
}

// LogState is how much of a log a mirror has: its first bytes, and their checksum (CRC-32C).
type LogState struct {
	Bytes int64  `json:"bytes"`
	Sum   uint32 `json:"sum"`
}

// With returns the state with more lines behind.
func (s LogState) With(lines []byte) LogState {
	return LogState{s.Bytes + int64(len(lines)), crc32.Update(s.Sum, disk.Castagnoli, lines)}
}

// mirrorLockName is the lock of the process that writes a mirror.
const mirrorLockName = "mirror.lock"

// Bounds of what a box may send.
const (
	maxMirrorID  = 200      // bytes
	MostMirrored = 100_000  // runs
	maxHeadFile  = 16 << 20 // bytes
	maxMirrorLog = 4 << 30  // bytes
)

// How much a mirror keeps, in bytes. Where the logs would take more, those of runs that have ended
// are dropped, the one that was fetched first before the others. Heads are never dropped.
const (
	mostMirroredLogs  = 2 << 30
	mostMirroredHeads = 1 << 30
)

// OpenMirror opens the mirror of a box in the folder dir, which it makes if it is missing. The
// error is a disk.ErrHeld where another process writes the mirror.
func OpenMirror(dir, box string) (*Mirror, error) {
	m, err := openMirror(dir, box)
	if err != nil {
		return nil, fmt.Errorf("mirror of box %s: %w", box, explainOnce(err, dir))
	}
	return m, nil
}

func openMirror(dir, box string) (*Mirror, error) {
	if err := os.MkdirAll(dir, disk.FolderMode); err != nil {
		return nil, err
	}
	if err := disk.OwnFolder(dir); err != nil {
		return nil, err
	}
	if above, err := os.Lstat(filepath.Dir(dir)); err != nil || !above.IsDir() {
		return nil, fmt.Errorf("%s: expected a folder, not a link", filepath.Dir(dir))
	}
	root, err := disk.OpenMirror(nil, dir)
	if err != nil {
		return nil, err
	}
	m := &Mirror{box: box, now: time.Now, root: root, runs: map[string]*mirrorEntry{},
		mostHeads: mostMirroredHeads, mostLogs: mostMirroredLogs}
	if m.lock, err = root.Acquire(mirrorLockName); err == nil {
		err = m.mark()
	}
	if err == nil {
		err = m.readRuns()
	}
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// mark marks the folder as a mirror. It refuses the mirror of another box, and a folder that has
// files and is no mirror.
func (m *Mirror) mark() error {
	var there disk.MirrorMark
	err := m.root.ReadJSON(disk.MirrorName, &there)
	switch {
	case err == nil && there.Box != m.box:
		return disk.MirrorOf(m.root.Path)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	entries, err := m.root.List()
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != mirrorLockName {
			return fmt.Errorf("%s has files already: give an empty folder", m.root.Path)
		}
	}
	return m.root.WriteSealed(disk.MirrorName, &disk.MirrorMark{Box: m.box}, nil)
}

// readRuns reads what the mirror has, and removes what cannot be used.
func (m *Mirror) readRuns() error {
	entries, err := m.root.List()
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		if !e.IsDir() {
			if name != disk.MirrorName && name != mirrorLockName { // a link, or what a crash left
				if err := m.root.Remove(name); err != nil {
					return err
				}
			}
			continue
		}
		entry, err := m.readEntry(name)
		if err != nil {
			if err := m.root.RemoveAll(name); err != nil {
				return err
			}
			continue
		}
		m.runs[name] = entry
		m.heads += entry.head
		m.logs += entry.log.Bytes
	}
	return nil
}

// readEntry returns an error for a folder that is to be fetched again.
func (m *Mirror) readEntry(name string) (*mirrorEntry, error) {
	if !IsRunName(name) {
		return nil, errNoRunName
	}
	in, err := m.root.Within(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if _, err := readMeta(in); err != nil {
		return nil, err
	}
	known, err := readMirrored(in)
	if err != nil {
		return nil, err
	}
	if known == nil || known.Box != m.box {
		return nil, fmt.Errorf("%s: is not of box %s", in.Path, m.box)
	}
	entry := &mirrorEntry{version: known.Version, live: !known.Summary.Status.Ended()}
	entry.head = headSize(in)
	if info, err := os.Lstat(in.Join(eventlog.LogName)); err == nil {
		entry.fetched = info.ModTime()
	}
	if entry.log, err = sumLog(in); err == nil && known.Held {
		entry.held, err = in.Acquire(eventlog.LockName)
	}
	return entry, err
}

// headSize returns the bytes of the files of a head.
func headSize(in *disk.Folder) int64 {
	size := sizeOf(in, mirroredName)
	for _, name := range headFiles {
		size += sizeOf(in, name)
	}
	return size
}

// sumLog returns how much of a log is there, and cuts what stands behind its last whole line.
func sumLog(in *disk.Folder) (s LogState, err error) {
	f, size, err := in.OpenSized(eventlog.LogName, os.O_RDWR, 0)
	if err != nil {
		return s, err
	}
	defer f.Close()
	if s.Bytes, err = lastLineEnd(f, size); err != nil {
		return s, err
	}
	if s.Bytes < size {
		if err := f.Truncate(s.Bytes); err != nil {
			return s, err
		}
	}
	return SumPrefix(f, s.Bytes)
}

// SumPrefix returns the LogState of the first bytes of a log.
func SumPrefix(f io.ReaderAt, bytes int64) (LogState, error) {
	sum := crc32.New(disk.Castagnoli)
	n, err := io.Copy(sum, io.NewSectionReader(f, 0, bytes))
	return LogState{Bytes: n, Sum: sum.Sum32()}, err
}

// errNoRunName is worded as part of a sentence.
var errNoRunName = errors.New("is not the name of a run")

// Versions returns the version of each run that the mirror has.
func (m *Mirror) Versions() map[string]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	versions := make(map[string]string, len(m.runs))
	for id, e := range m.runs {
		versions[id] = e.version
	}
	return versions
}

// Count returns the number of runs that the mirror has.
func (m *Mirror) Count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.runs)
}

// Live returns the runs that have not ended, as their box has said last.
func (m *Mirror) Live() (ids []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, e := range m.runs {
		if e.live {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Has reports whether the mirror has a run.
func (m *Mirror) Has(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.runs[id] != nil
}

// Log returns how much of a run's log the mirror has.
func (m *Mirror) Log(id string) LogState {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.runs[id]; e != nil {
		return e.log
	}
	return LogState{}
}

// Put takes in the Head of a run: of a new run, or of one that the mirror has in another version.
// Where run.json differs, the run is another one of the same name, and takes the place of the old.
func (m *Mirror) Put(h *Head) error {
	if err := m.put(h); err != nil {
		return fmt.Errorf("box %s: run %.*q: %w", m.box, maxMirrorID, h.ID,
			explainOnce(err, m.root.Path))
	}
	return nil
}

// explainOnce explains what of the writing of a mirror nobody has explained yet.
func explainOnce(err error, at string) error {
	var explained *runner.DiskError
	if errors.As(err, &explained) {
		return err
	}
	return disk.Explain(err, at)
}

func (m *Mirror) put(h *Head) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	owner, err := h.check()
	if err != nil {
		return err
	}
	e := m.runs[h.ID]
	if e == nil && len(m.runs) >= MostMirrored {
		return fmt.Errorf("is one more than %d runs", MostMirrored)
	}
	size := h.size()
	if before := m.headOf(h.ID); size > before && m.heads-before+size > m.mostHeads {
		return fmt.Errorf("%w: what is known of the runs takes %d bytes", ErrNoRoom, m.heads)
	}
	if e != nil && !m.sameRun(h) {
		if err := m.remove(h.ID); err != nil {
			return err
		}
		e = nil
	}
	if e == nil {
		if e, err = m.add(h, owner); err != nil {
			return err
		}
		m.runs[h.ID] = e
		m.heads += e.head
		return nil
	}
	in, err := m.root.Within(h.ID)
	if err != nil {
		return err
	}
	defer in.Close()
	in.Owner = owner
	if h.Verdict.Held && e.held == nil { // before the verdict says so
		if e.held, err = in.Acquire(eventlog.LockName); err != nil {
			return err
		}
	}
	if err := m.writeHead(in, h); err != nil {
		return err
	}
	now := m.now() // for MirrorChanged: new runs and removed ones change the folder anyway
	_ = os.Chtimes(m.root.Path, now, now)
	m.heads -= e.head
	e.head = headSize(in)
	m.heads += e.head
	e.version, e.live = h.Verdict.Version, !h.Verdict.Summary.Status.Ended()
	if !h.Verdict.Held && e.held != nil {
		err = e.held.Release()
		e.held = nil
	}
	return err
}

// ErrNoRoom says that a mirror has reached the most that it keeps.
var ErrNoRoom = errors.New("the mirror has no room")

// size returns about how many bytes the head takes in a mirror.
func (h *Head) size() (bytes int64) {
	for _, text := range h.Files {
		bytes += int64(len(text))
	}
	verdict, _ := json.Marshal(&h.Verdict) // what cannot be marshalled is refused later
	return bytes + int64(len(verdict))
}

// headOf returns the bytes of a run's head; 0 for a run that the mirror lacks.
func (m *Mirror) headOf(id string) int64 {
	if e := m.runs[id]; e != nil {
		return e.head
	}
	return 0
}

// statuses are the states in which a run may be, as its box says.
var statuses = []runner.Status{runner.Queued, runner.Running, runner.Paused, runner.Done,
	runner.Stopped, runner.Failed, runner.Interrupted}

// check returns an error, worded as part of a sentence, unless the head can be a run's.
func (h *Head) check() (disk.Owner, error) {
	if !IsRunName(h.ID) {
		return disk.Owner{}, errNoRunName
	}
	for name, text := range h.Files {
		if !slices.Contains(headFiles, name) {
			return disk.Owner{}, fmt.Errorf("has a file %.40q, which no mirror takes", name)
		}
		if len(text) > maxHeadFile {
			return disk.Owner{}, fmt.Errorf("has a %s of %d bytes: expected at most %d",
				name, len(text), maxHeadFile)
		}
	}
	meta, of, err := decodeMeta(bytes.Clone(h.Files[metaName]))
	switch {
	case err != nil:
		return of, err
	case meta.ID != h.ID:
		return of, fmt.Errorf("has the run.json of run %.*q", maxMirrorID, meta.ID)
	case h.Verdict.Summary == nil:
		return of, errors.New("has no summary")
	case !slices.Contains(statuses, h.Verdict.Summary.Status):
		return of, fmt.Errorf("has the status %.40q", h.Verdict.Summary.Status)
	}
	return of, nil
}

// sameRun reports whether the mirror's run of this name has the head's run.json.
func (m *Mirror) sameRun(h *Head) bool {
	in, err := m.root.Within(h.ID)
	if err != nil {
		return false
	}
	defer in.Close()
	text, err := in.Text(metaName)
	return err == nil && bytes.Equal(text, h.Files[metaName])
}

// add makes the folder of a run aside, and renames it once it is complete and, for a run that is
// recorded on its box, locked.
func (m *Mirror) add(h *Head, owner disk.Owner) (*mirrorEntry, error) {
	half := atomicfile.Prefix + h.ID
	if err := m.root.RemoveAll(half); err != nil { // left by a crash
		return nil, err
	}
	if err := m.root.Mkdir(half, disk.FolderMode); err != nil {
		return nil, err
	}
	e, err := m.fill(half, h, owner)
	if err == nil && e.held != nil {
		e.held, err = m.root.RenameLocked(e.held, eventlog.LockName, half, h.ID)
	} else if err == nil {
		err = m.root.Rename(half, h.ID)
	}
	if err != nil {
		return nil, errors.Join(err, e.held.Release(), m.root.RemoveAll(half))
	}
	return e, nil
}

// fill writes the files of a new run into the folder half.
func (m *Mirror) fill(half string, h *Head, owner disk.Owner) (*mirrorEntry, error) {
	e := &mirrorEntry{version: h.Verdict.Version, live: !h.Verdict.Summary.Status.Ended()}
	in, err := m.root.Within(half)
	if err != nil {
		return e, err
	}
	defer in.Close()
	in.Owner = owner
	if err := replace(in, eventlog.LogName, nil); err != nil {
		return e, err
	}
	if h.Verdict.Held {
		if e.held, err = in.Acquire(eventlog.LockName); err != nil {
			return e, err
		}
	}
	err = m.writeHead(in, h)
	e.head = headSize(in)
	return e, err
}

// writeHead writes the files of a head, the verdict last, and removes those that it has no more.
func (m *Mirror) writeHead(in *disk.Folder, h *Head) error {
	for _, name := range headFiles {
		text, has := h.Files[name]
		var err error
		if has {
			err = replace(in, name, text)
		} else if err = in.Remove(name); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		if err != nil {
			return err
		}
	}
	verdict := mirroredRun{Box: m.box, At: m.now().UTC(), Verdict: h.Verdict}
	text, err := disk.Seal{Owner: in.Owner}.JSON(&verdict)
	if err != nil {
		return err
	}
	return replace(in, mirroredName, text)
}

// replace makes or replaces a file at once, unless it has this text. It does not sync it.
func replace(in *disk.Folder, name string, text []byte) error {
	if old, err := in.Text(name); err == nil && bytes.Equal(old, text) {
		return nil
	}
	aside := atomicfile.Prefix + name
	f, err := in.Open(aside, os.O_WRONLY|os.O_CREATE, disk.FileMode)
	if err != nil {
		return err
	}
	err = f.Truncate(0)
	if err == nil {
		_, err = f.Write(text)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = in.Rename(aside, name)
	}
	return disk.Explain(err, in.Path)
}

// ErrOtherLog is the error of Append where the mirror has another log than the box: it has to be
// fetched from its start.
var ErrOtherLog = errors.New("is not where the mirror's log ends")

// Append appends whole lines to the log of a run. before is what the mirror has by then. Where
// before is zero, the log begins anew. dropped are the runs whose logs gave their room to it.
func (m *Mirror) Append(
	id string, before LogState, lines []byte,
) (after LogState, dropped []string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if dropped, err = m.makeRoom(id, int64(len(lines))); err == nil {
		after, err = m.append(id, before, lines)
	}
	if err != nil {
		err = fmt.Errorf("box %s: log of run %.*q: %w", m.box, maxMirrorID, id,
			explainOnce(err, m.root.Path))
	}
	return after, dropped, err
}

// makeRoom drops logs of other runs that have ended until there is room for more bytes of a run's
// log, those first that were fetched first.
func (m *Mirror) makeRoom(id string, bytes int64) (dropped []string, err error) {
	for m.logs+bytes > m.mostLogs {
		oldest := ""
		for other, e := range m.runs {
			if other == id || e.live || e.held != nil || e.log.Bytes == 0 {
				continue
			}
			if oldest == "" || e.fetched.Before(m.runs[oldest].fetched) {
				oldest = other
			}
		}
		if oldest == "" {
			return dropped, fmt.Errorf("%w: the logs of live runs take %d bytes", ErrNoRoom, m.logs)
		}
		if err := m.dropLog(oldest); err != nil {
			return dropped, err
		}
		dropped = append(dropped, oldest)
	}
	return dropped, nil
}

// dropLog empties the log of a run.
func (m *Mirror) dropLog(id string) error {
	in, err := m.root.Within(id)
	if err != nil {
		return err
	}
	defer in.Close()
	return m.emptyLog(in, m.runs[id])
}

// emptyLog begins a log anew.
func (m *Mirror) emptyLog(in *disk.Folder, e *mirrorEntry) error {
	if err := replace(in, eventlog.LogName, nil); err != nil {
		return err
	}
	m.logs -= e.log.Bytes
	e.log = LogState{}
	return in.RemoveAll(eventlog.IndexName)
}

func (m *Mirror) append(id string, before LogState, lines []byte) (LogState, error) {
	e := m.runs[id]
	switch {
	case e == nil:
		return LogState{}, errNoRunName
	case len(lines) > 0 && lines[len(lines)-1] != '\n':
		return e.log, errors.New("does not end with a whole line")
	case before.Bytes+int64(len(lines)) > maxMirrorLog:
		return e.log, fmt.Errorf("has more than %d bytes", int64(maxMirrorLog))
	}
	in, err := m.root.Within(id)
	if err != nil {
		return e.log, err
	}
	defer in.Close()
	if before == (LogState{}) && e.log != before {
		if err := m.emptyLog(in, e); err != nil {
			return e.log, err
		}
	}
	if e.log != before {
		return e.log, ErrOtherLog
	}
	f, err := in.Open(eventlog.LogName, os.O_WRONLY, 0)
	if err != nil {
		return e.log, err
	}
	_, err = f.WriteAt(lines, before.Bytes)
	if err = errors.Join(err, f.Close()); err != nil {
		had := e.log.Bytes
		e.log, _ = sumLog(in) // part of the lines may be there
		m.logs += e.log.Bytes - had
		return e.log, disk.Explain(err, in.Path)
	}
	e.log, e.fetched = before.With(lines), m.now()
	m.logs += int64(len(lines))
	return e.log, nil
}

// Remove removes a run that its box no longer has. A missing run is no error.
func (m *Mirror) Remove(id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.runs[id] == nil {
		return nil
	}
	if err := m.remove(id); err != nil {
		return fmt.Errorf("box %s: removing run %s: %w", m.box, id, explainOnce(err, m.root.Path))
	}
	return nil
}

// remove renames the folder before it removes it, so that no reader meets half a run.
func (m *Mirror) remove(id string) error {
	e := m.runs[id]
	gone := deletedPrefix + id
	err := m.root.RemoveAll(gone)
	if err == nil {
		err = m.root.Rename(id, gone)
	}
	if err = errors.Join(err, e.held.Release()); err != nil {
		return err
	}
	m.heads -= e.head
	m.logs -= e.log.Bytes
	delete(m.runs, id)
	return m.root.RemoveAll(gone)
}

// Heard notes that the box has been heard from, for MirrorHeard.
func (m *Mirror) Heard() {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, _ = m.lock.Write([]byte(m.now().UTC().Format(time.RFC3339) + "\n")) // only its time counts
}

// MirrorHeard returns when the box of the mirror in the folder dir was last heard from, by any
// process of this machine; the zero time: never.
func MirrorHeard(dir string) time.Time {
	info, err := os.Lstat(filepath.Join(dir, mirrorLockName))
	if err != nil || info.Size() == 0 { // nothing was noted yet
		return time.Time{}
	}
	return info.ModTime()
}

// MirrorChanged returns when the runs of the mirror in the folder dir last changed; the zero time:
// there is no mirror.
func MirrorChanged(dir string) time.Time {
	info, err := os.Lstat(dir)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// Close ends the writing. The mirror stays: its runs are shown as their box last described them.
func (m *Mirror) Close() (err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(m.runs)) {
		err = errors.Join(err, m.runs[id].held.Release())
		m.runs[id].held = nil
	}
	return errors.Join(err, m.lock.Release(), m.root.Close())
}

// RemoveMirror removes the mirror in the folder dir, with the folder that names its box. The error
// is a disk.ErrHeld where a process writes the mirror.
func RemoveMirror(dir string) error {
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return fmt.Errorf("%s: expected a mirror", dir)
	}
	root, err := disk.OpenMirror(nil, dir)
	if err != nil {
		return err
	}
	defer root.Close()
	var mark disk.MirrorMark
	if err := root.ReadJSON(disk.MirrorName, &mark); err != nil {
		return fmt.Errorf("%s: expected a mirror: %w", dir, err)
	}
	lock, err := root.Acquire(mirrorLockName)
	if err != nil {
		return err
	}
	err = removeMirrored(root)
	if err = errors.Join(err, lock.Release()); err != nil {
		return err
	}
	if err := root.RemoveAll(mirrorLockName); err != nil {
		return err
	}
	return errors.Join(os.Remove(dir), os.Remove(filepath.Dir(dir)))
}

// removeMirrored removes all but the lock, the mark last: a folder without it is no mirror.
func removeMirrored(root *disk.Folder) error {
	entries, err := root.List()
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == mirrorLockName || e.Name() == disk.MirrorName {
			continue
		}
		if err := root.RemoveAll(e.Name()); err != nil {
			return err
		}
	}
	return root.Remove(disk.MirrorName)
}
