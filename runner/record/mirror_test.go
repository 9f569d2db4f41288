package record

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/eventlog"
)

// newMirror returns an empty mirror of the box gpu1.
func newMirror(t *testing.T) (m *Mirror, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "mirror")
	m, err := OpenMirror(dir, "gpu1")
	if err != nil {
		t.Fatalf("opening an empty mirror: %v, want no error", err)
	}
	t.Cleanup(func() { m.Close() }) // a second Close only returns an error
	return m, dir
}

// copyRuns brings a mirror up to the runs of a folder, as a link does: the verdict of a run that is
// held first, then its log, then the verdict of a run that nobody holds. logs says which logs are
// wanted.
func copyRuns(t *testing.T, m *Mirror, from string, logs func(id string) bool) {
	t.Helper()
	runs, _ := List(from)
	there := map[string]bool{}
	for _, r := range runs {
		there[r.Meta.ID] = true
		h, err := r.Head()
		must(t, err)
		_, known := m.Versions()[h.ID]
		if h.Verdict.Held || !known {
			must(t, m.Put(h))
		}
		if logs(h.ID) {
			copyLog(t, m, r.Dir, h.ID)
		}
		must(t, m.Put(h))
	}
	for id := range m.Versions() {
		if !there[id] {
			must(t, m.Remove(id))
		}
	}
}

// copyLog appends to a mirror what the log of a run has more.
func copyLog(t *testing.T, m *Mirror, dir, id string) {
	t.Helper()
	log := read(t, dir, eventlog.LogName)
	log = log[:bytes.LastIndexByte(log, '\n')+1]
	at := m.Log(id)
	if n := min(at.Bytes, int64(len(log))); n < at.Bytes || !samePrefix(t, log, at) {
		at = LogState{}
	}
	_, _, err := m.Append(id, at, log[at.Bytes:])
	must(t, err)
}

func samePrefix(t *testing.T, log []byte, at LogState) bool {
	t.Helper()
	sum, err := SumPrefix(bytes.NewReader(log), at.Bytes)
	must(t, err)
	return sum == at
}

// look is what a listing says of a run, without its folder.
type look struct {
	ID, Status, Label string
	Steps             int64
	Held              bool
	Summary           string
	Checkpoints       []int64
	Pinned            []int64
}

func looks(t *testing.T, runs []*Run) (list []look) {
	t.Helper()
	for _, r := range runs {
		s := *r.Summary()
		s.Dir, s.Box = "", ""
		text, err := s.MarshalJSON()
		must(t, err)
		steps, err := r.Checkpoints()
		must(t, err)
		pinned, err := r.Pinned()
		must(t, err)
		list = append(list, look{
			ID:          r.Meta.ID,
			Status:      string(r.Status()),
			Label:       r.Label().String(),
			Steps:       r.Steps(),
			Held:        r.Held(),
			Summary:     string(text),
			Checkpoints: slices.Concat([]int64{}, steps), // never nil
			Pinned:      slices.Concat([]int64{}, pinned),
		})
	}
	return list
}

// TestCatalogueOfAMirror: a catalogue that remembers the runs of a mirror lists them as the box has
// them, and notices what the box says later.
func TestCatalogueOfAMirror(t *testing.T) {
	store := newStore(t)
	run := longRun(t, store)
	r := create(t, store, newMeta(4))
	must(t, r.Append(&runner.StatusEvent{Status: runner.Running}))
	appendSteps(t, r, 1, 3)
	save(t, r, newState(3))
	must(t, r.Append(status(3, runner.Stopped)))
	must(t, r.Finish(runner.Summarize(r.meta, runner.Stopped, 3, nil, nil)))
	must(t, r.Close())
	m, dir := newMirror(t)
	cache := t.TempDir()
	for _, change := range []func(){
		func() {},
		func() { must(t, run.Relabel(func(l *Label) { l.Note = "best" })) },
		func() {
			stopped, err := Find(store.Dir(), r.meta.ID)
			must(t, err)
			must(t, stopped.Pin(3))
		},
	} {
		change()
		copyRuns(t, m, store.Dir(), func(string) bool { return false })
		want, _ := List(store.Dir())
		for _, what := range []string{"reads", "remembers"} {
			c := NewCatalogue(dir, cache)
			c.saveEvery = 0
			c.now = func() time.Time { return time.Now().Add(time.Hour) } // all files are old
			got, problems := c.List()
			if diff := cmp.Diff(looks(t, want), looks(t, got)); diff != "" || problems != nil {
				t.Errorf("a catalogue that %s the mirror lists (+) other runs than the box (-): "+
					"%s%v", what, diff, problems)
			}
		}
		remembered := NewCatalogue(dir, cache).load()
		if len(remembered) != len(want) {
			t.Errorf("the catalogue remembers %d runs of the mirror, want %d",
				len(remembered), len(want))
		}
	}
}

// TestNobodyWritesAMirror calls everything in this package that writes into a folder of runs, or
// wants from a run what only its box has. Each refuses with the line that says what to do, and
// nothing in the folder changes.
func TestNobodyWritesAMirror(t *testing.T) {
	store := newStore(t)
	r := create(t, store, newMeta(1))
	must(t, r.Append(&runner.StatusEvent{Status: runner.Running}))
	appendSteps(t, r, 1, 3)
	save(t, r, newState(3))
	must(t, r.Close()) // interrupted: a resume would go on
	m, dir := newMirror(t)
	copyRuns(t, m, store.Dir(), func(string) bool { return true })
	must(t, m.Close())
	id := r.meta.ID
	run, err := Find(dir, id)
	must(t, err)
	if got, err := run.Checkpoints(); err != nil || !slices.Equal(got, []int64{3}) {
		t.Fatalf("the mirrored run has checkpoints %v, %v: want [3] and no error", got, err)
	}
	there := &Store{dir: dir, now: clock()}
	packedRun, err := Unpack("other", packed(t, longRun(t, newStore(t))))
	must(t, err)
	writers := map[string]func() error{
		"Open":         func() error { _, err := Open(dir); return err },
		"Store.Create": func() error { _, err := there.Create(newMeta(2), nil); return err },
		"Store.Reopen": func() error { _, _, err := there.Reopen(id); return err },
		"Store.Load":   func() error { _, err := there.Load(id, 3); return err },
		"Store.Pin":    func() error { return there.Pin(id, 3) },
		"Store.Delete": func() error { return there.Delete(id) },
		"Store.Add": func() error {
			return there.Add(newMeta(3), func(runner.Recorder) error { return nil })
		},
		"Store.Restore": func() error {
			_, err := there.Restore(packedRun)
			return err
		},
		"Delete":       func() error { return Delete(dir, id) },
		"Run.Pin":      func() error { return run.Pin(3) },
		"Run.Unpin":    func() error { return run.Unpin(3) },
		"Run.Load":     func() error { _, err := run.Load(3); return err },
		"Run.Past":     func() error { _, err := run.Past(3); return err },
		"Run.Relabel":  func() error { return run.Relabel(func(l *Label) { l.Note = "n" }) },
		"Run.TakeOver": func() error { return run.TakeOver(runner.SealedClaims{Study: "s"}) },
		"Examine":      func() error { _, _, err := Examine(dir, true); return err },
		"ExamineFiles": func() error {
			_, err := ExamineFiles(dir, []string{"x"}, true,
				func(string) (string, string) { return "", "" })
			return err
		},
	}
	before := contents(t, dir)
	for name, do := range writers {
		err := do()
		var refused *disk.MirrorError
		if !errors.As(err, &refused) || !strings.HasSuffix(err.Error(), "give --box gpu1") {
			t.Errorf("%s in a mirror: %v, want an error that ends with give --box gpu1", name, err)
		}
	}
	if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
		t.Errorf("the mirror has changed: %s", diff)
	}
}

// contents returns the texts of all files below a folder.
func contents(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			all[path] = string(read(t, path))
		}
		return err
	}))
	return all
}

// oneMirrored returns the mirror of a folder that has one live run with three steps.
func oneMirrored(t *testing.T) (store *Store, r *recorder, m *Mirror, dir string) {
	t.Helper()
	store = newStore(t)
	r = create(t, store, newMeta(1))
	must(t, r.Append(&runner.StatusEvent{Status: runner.Running}))
	appendSteps(t, r, 1, 3)
	m, dir = newMirror(t)
	copyRuns(t, m, store.Dir(), func(string) bool { return true })
	return store, r, m, dir
}

// TestMirrorWithoutItsBox: a run stays running, and never seems interrupted, where nobody hears of
// its box any more. It says when the box spoke last.
func TestMirrorWithoutItsBox(t *testing.T) {
	store, r, m, dir := oneMirrored(t)
	m.now = func() time.Time { return time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC) }
	copyRuns(t, m, store.Dir(), func(string) bool { return true })
	want := &Mirrored{Box: "gpu1", At: m.now()}
	must(t, m.Close())
	run, err := Find(dir, r.meta.ID)
	must(t, err)
	if run.Status() != runner.Running || run.Held() {
		t.Errorf("after the mirror was closed the run is %s, held %v: want running, not held",
			run.Status(), run.Held())
	}
	if diff := cmp.Diff(want, run.Mirrored()); diff != "" {
		t.Errorf("the run is another's (+), want (-): %s", diff)
	}
	own, err := Find(store.Dir(), r.meta.ID)
	must(t, err)
	if own.Mirrored() != nil {
		t.Errorf("a run of this machine is of box %v: want none", own.Mirrored())
	}
}

// TestCheckpointsOfMirroredRun: a run that was read while it trained lists the checkpoints that its
// box has by now, as a run of this machine does.
func TestCheckpointsOfMirroredRun(t *testing.T) {
	store, r, m, dir := oneMirrored(t)
	run, err := Find(dir, r.meta.ID)
	must(t, err)
	own, err := Find(store.Dir(), r.meta.ID)
	must(t, err)
	_, err = r.Checkpoint(newState(3))
	must(t, err)
	copyRuns(t, m, store.Dir(), func(string) bool { return true })
	for name, of := range map[string]*Run{"mirrored": run, "own": own} {
		steps, err := of.Checkpoints()
		newest, ok, wrong := of.Saved()
		must(t, errors.Join(err, wrong))
		if !ok || newest.Step != 3 || !slices.Equal(steps, []int64{3}) {
			t.Errorf("%s: %v, newest %v, want step 3", name, steps, newest)
		}
	}
	must(t, own.Pin(3))
	copyRuns(t, m, store.Dir(), func(string) bool { return true })
	if pinned, err := run.Pinned(); err != nil || !slices.Equal(pinned, []int64{3}) {
		t.Errorf("pinned are %v, %v, want step 3", pinned, err)
	}
}

// TestMirrorHasOneWriter: a second process is refused until the first one has closed the mirror.
func TestMirrorHasOneWriter(t *testing.T) {
	_, _, m, dir := oneMirrored(t)
	if _, err := OpenMirror(dir, "gpu1"); !errors.Is(err, disk.ErrHeld) {
		t.Errorf("a second writer: %v, want %v", err, disk.ErrHeld)
	}
	must(t, m.Close())
	again, err := OpenMirror(dir, "gpu1")
	if err != nil {
		t.Fatalf("a writer after the first has closed: %v, want no error", err)
	}
	must(t, again.Close())
}

// TestMirrorIsNoRunsFolder: a folder with runs does not become a mirror, and a mirror not another
// box's.
func TestMirrorIsNoRunsFolder(t *testing.T) {
	store, _, m, dir := oneMirrored(t)
	must(t, os.Chmod(store.Dir(), 0o700))
	_, err := OpenMirror(store.Dir(), "gpu1")
	wantError(t, "a mirror in a folder of runs", err, "has files already: give an empty folder")
	must(t, m.Close())
	other, err := OpenMirror(dir, "gpu2")
	if err == nil {
		other.Close()
	}
	wantError(t, "the mirror of another box", err, "mirrors box gpu1")
}

// TestDamagedMirrorIsFetchedAgain cuts each file of a mirror, and changes a byte of it. A writer
// that opens the mirror then and fetches what it lacks has what the box has.
func TestDamagedMirrorIsFetchedAgain(t *testing.T) {
	store, r, m, dir := oneMirrored(t)
	save(t, r, newState(3))
	must(t, r.Close())
	must(t, m.Close())
	damages := map[string]func(text []byte) []byte{
		"is empty":        func([]byte) []byte { return nil },
		"is cut":          func(text []byte) []byte { return text[:len(text)*2/3] },
		"has other bytes": func(text []byte) []byte { text[len(text)/2] ^= 1; return text },
	}
	for _, name := range []string{metaName, mirroredName, eventlog.LogName} {
		for what, damage := range damages {
			path := filepath.Join(dir, r.meta.ID, name)
			must(t, os.WriteFile(path, damage(read(t, path)), 0o600))
			again, err := OpenMirror(dir, "gpu1")
			if err != nil {
				t.Fatalf("%s %s: opening the mirror: %v, want no error", name, what, err)
			}
			copyRuns(t, again, store.Dir(), func(string) bool { return true })
			must(t, again.Close())
			want, _ := List(store.Dir())
			got, problems := List(dir)
			if diff := cmp.Diff(looks(t, want), looks(t, got)); diff != "" || problems != nil {
				t.Errorf("%s %s: the mirror lists (+) other runs than the folder (-): %s%v",
					name, what, diff, problems)
			}
			theirs := string(read(t, r.in.Path, eventlog.LogName))
			ours := string(read(t, dir, r.meta.ID, eventlog.LogName))
			if diff := cmp.Diff(theirs, ours); diff != "" {
				t.Errorf("%s %s: the log (+) is not the box's (-): %s", name, what, diff)
			}
		}
	}
}

// TestHostileBox: what a box may send beside the form leaves one line and no trace in the folder or
// outside of it.
func TestHostileBox(t *testing.T) {
	_, r, m, dir := oneMirrored(t)
	run, err := Find(dir, r.meta.ID)
	must(t, err)
	good := func() *Head {
		h, err := run.Head()
		must(t, err)
		return h
	}
	outside := t.TempDir()
	before := contents(t, filepath.Dir(dir))
	for what, c := range map[string]struct {
		change func(h *Head)
		want   string
	}{
		"a path":           {func(h *Head) { h.ID = "../" + h.ID }, "is not the name of a run"},
		"an absolute path": {func(h *Head) { h.ID = outside }, "is not the name of a run"},
		"a hidden name":    {func(h *Head) { h.ID = ".new-" + h.ID }, "is not the name of a run"},
		"no name":          {func(h *Head) { h.ID = "" }, "is not the name of a run"},
		"signs of a terminal": {func(h *Head) { h.ID = "a\x1b[2J" },
			`run "a\x1b[2J": is not the name of a run`},
		"a long name": {func(h *Head) { h.ID = strings.Repeat("a", 201) },
			"is not the name of a run"},
		"the mirror's mark":  {func(h *Head) { h.ID = disk.MirrorName }, "has the run.json of run"},
		"another run's name": {func(h *Head) { h.ID = "b" }, "has the run.json of run"},
		"a file of another name": {func(h *Head) { h.Files["lock"] = []byte("x") },
			`has a file "lock", which no mirror takes`},
		"a file outside": {func(h *Head) { h.Files["../x"] = []byte("x") },
			`has a file "../x", which no mirror takes`},
		"no run.json":     {func(h *Head) { delete(h.Files, metaName) }, "has no seal"},
		"a torn run.json": {func(h *Head) { h.Files[metaName] = []byte("{") }, "has no seal"},
		"a made state": {func(h *Head) { h.Verdict.Summary.Status = "x\n" },
			`has the status "x\n"`},
		"no summary": {func(h *Head) { h.Verdict.Summary = nil }, "has no summary"},
		"a very long file": {func(h *Head) { h.Files[labelName] = make([]byte, maxHeadFile+1) },
			"bytes: expected at most 16777216"},
	} {
		h := good()
		c.change(h)
		err := m.Put(h)
		wantError(t, what, err, "box gpu1: run ", c.want)
		if err != nil && strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%s: the error is %q, want one line without signs of a terminal", what, err)
		}
	}
	at := m.Log(run.Meta.ID)
	for what, c := range map[string]struct {
		id     string
		before LogState
		lines  string
		want   string
	}{
		"lines of a run that nobody knows": {"b", LogState{}, "{}\n", "is not the name of a run"},
		"half a line": {run.Meta.ID, at, "{",
			"does not end with a whole line"},
		"lines behind a gap": {run.Meta.ID, LogState{at.Bytes + 1, at.Sum}, "{}\n",
			ErrOtherLog.Error()},
		"lines of another log": {run.Meta.ID, LogState{at.Bytes, at.Sum + 1}, "{}\n",
			ErrOtherLog.Error()},
		"more than a disk has": {run.Meta.ID, LogState{maxMirrorLog, 0}, "{}\n", "bytes"},
	} {
		_, _, err := m.Append(c.id, c.before, []byte(c.lines))
		wantError(t, what, err, "box gpu1: log of run ", c.want)
	}
	if diff := cmp.Diff(before, contents(t, filepath.Dir(dir))); diff != "" {
		t.Errorf("the mirror has changed: %s", diff)
	}
}

// TestLinksInAMirror: a link that somebody puts into a mirror is not followed.
func TestLinksInAMirror(t *testing.T) {
	store, r, m, dir := oneMirrored(t)
	must(t, m.Close())
	victim := filepath.Join(t.TempDir(), "victim")
	for _, name := range append(slices.Clone(headFiles), mirroredName, eventlog.LogName,
		eventlog.LockName, ".new-"+metaName, ".new-"+mirroredName) {
		must(t, os.WriteFile(victim, []byte("mine"), 0o600))
		path := filepath.Join(dir, r.meta.ID, name)
		must(t, os.RemoveAll(path))
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.Symlink(victim, path))
		again, err := OpenMirror(dir, "gpu1")
		must(t, err)
		runs, _ := List(store.Dir())
		h, err := runs[0].Head()
		must(t, err)
		h.Files[labelName] = []byte("x")
		_ = again.Put(h) // an error or not: the link's target stays as it is
		_, _, _ = again.Append(h.ID, again.Log(h.ID), []byte("{}\n"))
		must(t, again.Close())
		if got := string(read(t, victim)); got != "mine" {
			t.Errorf("a link %s in the mirror: its target has %q, want %q", name, got, "mine")
		}
	}
}

// TestLinkInThePlaceOfARun: a link in the place of a mirrored run, or of the folder of a box, is
// not followed. The run is fetched again.
func TestLinkInThePlaceOfARun(t *testing.T) {
	store, r, m, dir := oneMirrored(t)
	must(t, r.Close())
	must(t, m.Close())
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	must(t, os.Rename(filepath.Join(dir, r.meta.ID), elsewhere))
	must(t, os.Symlink(elsewhere, filepath.Join(dir, r.meta.ID)))
	before := contents(t, elsewhere)
	again, err := OpenMirror(dir, "gpu1")
	must(t, err)
	copyRuns(t, again, store.Dir(), func(string) bool { return true })
	must(t, again.Close())
	want, _ := List(store.Dir())
	got, problems := List(dir)
	if diff := cmp.Diff(looks(t, want), looks(t, got)); diff != "" || problems != nil {
		t.Errorf("the mirror lists (+) other runs than the box (-): %s%v", diff, problems)
	}
	if info, err := os.Lstat(got[0].Dir); err != nil || !info.IsDir() {
		t.Errorf("the run's folder is %v, %v: want a folder and no link", info.Mode(), err)
	}
	if diff := cmp.Diff(before, contents(t, elsewhere)); diff != "" {
		t.Errorf("the link's target has changed: %s", diff)
	}

	box := filepath.Join(t.TempDir(), "gpu2")
	must(t, os.Symlink(elsewhere, box))
	if m, err := OpenMirror(filepath.Join(box, "runs"), "gpu2"); err == nil {
		m.Close()
		t.Error("a mirror opens through a link, want an error")
	}
}

// TestQuotaOfAMirror: where the logs would take more than the mirror keeps, those of runs that have
// ended go, the one that was fetched first before the others. Heads stay, and so do logs of live
// runs.
func TestQuotaOfAMirror(t *testing.T) {
	store, err := Open(t.TempDir())
	must(t, err)
	for _, id := range []string{"a", "b", "c", "lives"} {
		m := newMeta(1)
		m.ID = id
		r, err := store.Create(m, nil)
		must(t, err)
		must(t, r.Append(&runner.StatusEvent{Status: runner.Running}))
		if id == "lives" {
			defer r.Close()
			continue
		}
		must(t, r.Append(&runner.StatusEvent{Status: runner.Stopped}))
		must(t, r.Finish(runner.Summarize(m, runner.Stopped, 0, nil, nil)))
		must(t, r.Close())
	}
	m, dir := newMirror(t)
	clock := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	m.now = func() time.Time { clock = clock.Add(time.Second); return clock }
	copyRuns(t, m, store.Dir(), func(string) bool { return false })
	for _, id := range []string{"lives", "b", "a"} {
		copyLog(t, m, filepath.Join(store.Dir(), id), id)
	}
	before, _ := List(dir)
	const lessThanALog = 100 // the logs of two runs differ by the lengths of their times
	m.mostLogs = m.logs + lessThanALog

	text := read(t, store.Dir(), "c", eventlog.LogName)
	after, dropped, err := m.Append("c", LogState{}, text)
	if err != nil || after.Bytes != int64(len(text)) || !slices.Equal(dropped, []string{"b"}) {
		t.Fatalf("the log of c has %d bytes, and %v were dropped, %v: want it, and b",
			after.Bytes, dropped, err)
	}
	if m.Log("b") != (LogState{}) || m.Log("a").Bytes == 0 || m.Log("lives").Bytes == 0 {
		t.Error("the mirror has not the logs of a, c and the live run")
	}
	runs, problems := List(dir)
	if len(problems) > 0 {
		t.Errorf("the mirror has the problems %v", problems)
	}
	if diff := cmp.Diff(looks(t, before), looks(t, runs)); diff != "" {
		t.Errorf("the list has changed: %s", diff)
	}

	m.mostLogs = m.Log("lives").Bytes
	log := m.Log("lives")
	_, dropped, err = m.Append("lives", log, text)
	if !errors.Is(err, ErrNoRoom) || len(dropped) != 2 || m.Log("lives") != log {
		t.Errorf("more of the live run: %v, with %v dropped, want that there is no room, and that "+
			"the other two logs are dropped", err, dropped)
	}
	must(t, m.Close())
	again, err := OpenMirror(dir, "gpu1")
	must(t, err)
	defer again.Close()
	if again.logs != log.Bytes || again.heads != m.heads {
		t.Errorf("opened again, the mirror counts %d bytes of logs and %d of heads, want %d and %d",
			again.logs, again.heads, log.Bytes, m.heads)
	}
}

// TestHeadsOfAMirrorAreBounded: a head beyond what the mirror keeps is refused, and a smaller one
// of the same run is taken.
func TestHeadsOfAMirrorAreBounded(t *testing.T) {
	store, _, m, dir := oneMirrored(t)
	runs, _ := List(store.Dir())
	h, err := runs[0].Head()
	must(t, err)
	m.mostHeads = m.heads + 5
	h.Files[labelName] = bytes.Repeat([]byte(" "), 10_000)
	if err := m.Put(h); !errors.Is(err, ErrNoRoom) {
		t.Errorf("a head that is too long: %v, want that there is no room", err)
	}
	delete(h.Files, labelName)
	h.Verdict.Damage = ""
	must(t, m.Put(h))
	if _, problems := List(dir); len(problems) > 0 {
		t.Errorf("the mirror has the problems %v, want none", problems)
	}
}

// TestRemoveMirror: a mirror goes with the folder of its box, but not while somebody writes it, and
// no other folder goes.
func TestRemoveMirror(t *testing.T) {
	_, _, m, dir := oneMirrored(t)
	if err := RemoveMirror(dir); !errors.Is(err, disk.ErrHeld) {
		t.Errorf("while it is written: %v, want disk.ErrHeld", err)
	}
	must(t, m.Close())
	must(t, RemoveMirror(dir))
	if _, err := os.Lstat(filepath.Dir(dir)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder of the box: %v, want that it is gone", err)
	}
	other := t.TempDir()
	must(t, os.WriteFile(filepath.Join(other, "mine"), nil, 0o600))
	for _, dir := range []string{other, filepath.Join(other, "mine"), dir} {
		if RemoveMirror(dir) == nil {
			t.Errorf("%s is removed, want an error", dir)
		}
	}
	if _, err := os.Lstat(filepath.Join(other, "mine")); err != nil {
		t.Error(err)
	}
}
