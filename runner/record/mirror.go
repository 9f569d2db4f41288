package record

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/eventlog"
)

// A mirror is a folder that shows the runs of another machine, its box, in the layout of a runs
// folder, so that every reader of runs reads it. Of each run it has run.json, what people say of
// the run, and the box's Verdict; it has the log only of runs that somebody looks at. It has no
// checkpoints. Only a Mirror writes there (mirrorwriter.go): disk.Folder refuses everybody else.

// mirroredName is the file of a mirrored run that its own machine does not have. The mirror alone
// makes it.
const mirroredName = "mirrored.json"

// Verdict is what a box says of one of its runs, from all of the run's files there.
type Verdict struct {
	// Version is that of the run there: see Run.Version.
	Version string `json:"version"`
	// Held says that somebody records the run there.
	Held bool `json:"held"`
	// LogBytes is the length of the log there, up to its last whole line, as far as the verdict
	// takes it into account.
	LogBytes    int64           `json:"log_bytes"`
	Summary     *runner.Summary `json:"summary"` // also of a run that has not ended
	Damage      string          `json:"damage,omitempty"`
	Checkpoints []int64         `json:"checkpoints,omitempty"`
	Pinned      []int64         `json:"pinned,omitempty"`
	Saved       *Save           `json:"saved,omitempty"` // the newest checkpoint
}

// mirroredRun is the content of mirrored.json.
type mirroredRun struct {
	Box string    `json:"box"`
	At  time.Time `json:"at"` // when the verdict came, by the clock of this machine
	Verdict
}

// Mirrored says of a run that it is another machine's.
type Mirrored struct {
	Box string
	At  time.Time // when the box last gave its verdict
}

// Mirrored returns nil for a run of this machine.
func (r *Run) Mirrored() *Mirrored {
	if r.mirrored == nil {
		return nil
	}
	return &Mirrored{Box: r.mirrored.Box, At: r.mirrored.At}
}

// LogIsHere reports whether all of the run's log is on this machine, as far as its box has said how
// long it is.
func (r *Run) LogIsHere() bool {
	if r.mirrored == nil {
		return true
	}
	in, err := disk.OpenFolder(nil, r.Dir)
	if err != nil {
		return false
	}
	defer in.Close()
	return sizeOf(in, eventlog.LogName) >= r.mirrored.LogBytes
}

// readMirrored returns nil for a run of this machine.
func readMirrored(in *disk.Folder) (*mirroredRun, error) {
	var m mirroredRun
	err := in.ReadJSON(mirroredName, &m)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && m.Summary == nil {
		err = fmt.Errorf("%s: has no summary", in.Join(mirroredName))
	}
	if err != nil {
		return nil, err
	}
	return &m, nil
}

// verdict returns what the box says of a mirrored run by now. A run that trains there has made and
// pruned checkpoints since the Run was read.
func (r *Run) verdict() (v Verdict, err error) {
	in, err := disk.OpenFolder(nil, r.Dir)
	if err != nil {
		return v, err
	}
	defer in.Close()
	m, err := readMirrored(in)
	if m != nil {
		v = m.Verdict
	}
	return v, err
}

// takeVerdict sets how a mirrored run stands. That is the box's verdict, since the box alone can
// say whether the run was interrupted. Where the log here may go on behind the verdict, the log
// says it.
func (r *Run) takeVerdict(in *disk.Folder, m *mirroredRun) error {
	r.mirrored = m
	if m.Damage != "" {
		r.passed.Add(fmt.Errorf("on box %s: %s", m.Box, m.Damage))
	}
	r.status = m.Summary.Status
	size := sizeOf(in, eventlog.LogName)
	live := !r.status.Ended() && size > 0
	if size > m.LogBytes || size == m.LogBytes && live {
		e, err := eventlog.ReadEnd(in, r.passed,
			func(e *eventlog.End) bool { return e.Complete(&r.Meta) })
		if err != nil {
			return err
		}
		r.status, r.refit = e.Status, e.Refitting()
		m.Summary = r.Meta.Ended(e.Status, e.Cause, e.Step,
			&runner.State{Eval: e.Eval, Last: e.Last, Selected: e.Selected})
	}
	m.Summary.Status = r.status
	r.setSummary(m.Summary)
	return nil
}

// verifyMirrored is Verify for a mirrored run, whose other files only its box can check.
func (r *Run) verifyMirrored() error {
	m := r.mirrored
	switch {
	case m.Damage != "":
		return fmt.Errorf("box %s says: %s", m.Box, m.Damage)
	case !r.LogIsHere():
		return fmt.Errorf("its log is on box %s, and not all of it is here: "+
			"read it with --box %[1]s", m.Box)
	}
	_, err := r.audit()
	return err
}

// Head is what a mirror needs of every run. Its texts are those of the run's files.
type Head struct {
	ID      string
	Files   map[string][]byte // by the names in headFiles
	Verdict Verdict
}

// headFiles are the files that a Head has, as far as the run has them.
var headFiles = []string{metaName, labelName, claimsName}

// Head reads the run's Head, for a mirror. The run must have been read just now.
func (r *Run) Head() (*Head, error) {
	in, err := r.folder()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	h := &Head{ID: r.Meta.ID, Files: map[string][]byte{}}
	for _, name := range headFiles {
		text, err := in.Text(name)
		if err == nil {
			h.Files[name] = text
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	v := &h.Verdict
	v.Held = in.Held(eventlog.LockName)
	if v.LogBytes, err = wholeLines(in); err != nil {
		return nil, err
	}
	summary := *r.Summary()
	summary.Dir, summary.Box = "", ""
	v.Summary = &summary
	if err := r.PassedOver(); err != nil {
		v.Damage = err.Error()
	}
	if v.Checkpoints, err = r.Checkpoints(); err != nil {
		return nil, err
	}
	if v.Pinned, err = r.Pinned(); err != nil {
		return nil, err
	}
	saved, ok, err := r.Saved()
	if err != nil {
		return nil, err
	}
	if ok {
		v.Saved = &saved
	}
	v.Version = r.Version()
	return h, nil
}

// Version returns a text that changes with the run's status, with its holder, and with every file
// of the run that Head needs. It opens none of them. The log of a run that has not ended grows
// without changing the version.
func (r *Run) Version() string {
	sum := sha256.New()
	fmt.Fprintln(sum, r.status, r.Held())
	names := []string{metaName, summaryName, labelName, claimsName, checkpointsName}
	if r.status.Ended() {
		names = append(names, eventlog.LogName)
	}
	for _, name := range names {
		fmt.Fprintln(sum, disk.StampOf(filepath.Join(r.Dir, name)))
	}
	// The time of a folder is too coarse for two changes within a moment.
	saved, _ := os.ReadDir(filepath.Join(r.Dir, checkpointsName))
	for _, e := range saved {
		fmt.Fprintln(sum, e.Name())
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:8])
}

// wholeLines returns the length of a log up to its last whole line.
func wholeLines(in *disk.Folder) (int64, error) {
	f, size, err := in.Read(eventlog.LogName)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return lastLineEnd(f, size)
}

// lastLineEnd returns the offset behind the last newline before end.
func lastLineEnd(f io.ReaderAt, end int64) (int64, error) {
	for b := make([]byte, 64<<10); end > 0; {
		part := b[:min(int64(len(b)), end)]
		if _, err := f.ReadAt(part, end-int64(len(part))); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			return end - int64(len(part)-i-1), nil
		}
		end -= int64(len(part))
	}
	return 0, nil
}

// mirrorOf returns the error of whoever wants from a mirrored run what only its box has.
func (r *Run) mirrorOf() error {
	return fmt.Errorf("run %s: %w", r.Meta.ID, disk.MirrorOf(filepath.Dir(r.Dir)))
}
