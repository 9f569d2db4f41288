package runner

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner/data"
	"drolab/runner/data/loader"
	"drolab/runner/internal/atomicfile"
	"drolab/runner/machine"
	"drolab/runner/measure"
)

// A Store keeps runs; the store of runner/record is a folder with one directory per run.
type Store interface {
	// Create makes the record of a new run, under an ID of its own choosing, which it writes into
	// m. The record of a fork holds from the start the checkpoint that the fork continues from; for
	// other runs from is nil.
	Create(m *Meta, from *State) (Recorder, error)
	// Reopen continues the record of an unfinished run, with its newest checkpoint. It refuses a
	// fork without a checkpoint.
	Reopen(id string) (Recorder, *Past, error)
	// Load reads a run as it was at a checkpoint that was kept.
	Load(id string, step int64) (*Past, error)
	// Pin keeps a checkpoint that newer ones would push out.
	Pin(id string, step int64) error
	// Delete removes a run that nobody is recording.
	Delete(id string) error
}

// Past is what is known of a run from which another run or a resume continues.
type Past struct {
	Meta *Meta
	From *State      // nil: there is no checkpoint and no parent; start from the beginning
	Log  []KnobEvent // all changes of knobs in the log, in its order
}

// A Recorder records one run. A nil error means that the data survive a crash of this process.
// After Checkpoint, Finish, and Append of a KnobEvent or a StatusEvent, they also survive a crash
// of the machine. After a *DiskError the call can be repeated.
type Recorder interface {
	// Append adds e to the log, filling in its Seq and Time.
	Append(e Event) error
	// Checkpoint saves s and returns the name by which it can be resumed. It reads s only until it
	// returns.
	Checkpoint(s *State) (file string, err error)
	// Finish writes the summary of a run that ended.
	Finish(s *Summary) error
	// Close releases the run's directory.
	Close() error
}

// State is a checkpoint: all that the rest of the run depends on.
type State struct {
	Step    int64        `json:"step"`
	Batches loader.State `json:"batches"`
	Draws   loader.State `json:"draws"`
	// Window holds the running minima and maxima that the next step event reports.
	Window Window `json:"window"`
	// Eval is the last evaluation, and Last the last step event, for the summary of a run that
	// continues from here only to end.
	Eval *EvalEvent `json:"eval"`
	Last *StepEvent `json:"last,omitempty"`
	// User holds the latest values of the program's own.
	User measure.Values `json:"user,omitempty"`
	// Output is the method's own output, measured at the end of the run.
	Output *PaperIterate `json:"output,omitempty"`
	// Selected is the run's selection so far, the evaluation of a step whose checkpoint is kept as
	// long as the step stays selected; nil: there is none.
	Selected *EvalEvent `json:"selected,omitempty"`
	// Waited counts the evaluations since the last one that was better than all before it, for the
	// setting patience.
	Waited int `json:"waited,omitempty"`
	// Tied counts the evaluations if all of them have the same value of the measure by which the
	// run selects; 0: they differ, or a program made the checkpoint that did not count.
	Tied int `json:"tied,omitempty"`
	// Method is the method's own state; nil: the method is at its start.
	Method *dro.State `json:"-"`

	// Parameters, Velocities, Buffers and Picked are the tensors; they are stored in their own file
	// format. Picked is the x that the method's output rule has chosen, empty if it has chosen
	// none.
	Parameters []nn.Tensor `json:"-"`
	Velocities []nn.Tensor `json:"-"`
	Buffers    []nn.Tensor `json:"-"`
	Picked     []nn.Tensor `json:"-"`
	// Opaque replaces all tensors if the network is another program.
	Opaque Opaque `json:"-"`
}

// Detach gives s tensors of its own.
func (s *State) Detach() {
	for _, list := range []*[]nn.Tensor{&s.Parameters, &s.Velocities, &s.Buffers, &s.Picked} {
		*list = CloneTensors(*list)
	}
}

// CloneTensors returns tensors with the same values that share no memory with list.
func CloneTensors(list []nn.Tensor) []nn.Tensor {
	clones := slices.Clone(list)
	for i := range clones {
		clones[i].Data = slices.Clone(clones[i].Data)
	}
	return clones
}

// The splits of a dataset.
const (
	SplitTest  = "test"
	SplitVal   = "val"
	SplitTrain = "train"
)

// Splits lists the splits.
func Splits() []string { return []string{SplitTest, SplitVal, SplitTrain} }

// CopyTensors copies the values of from into tensors of the same names and shapes.
func CopyTensors(to, from []nn.Tensor) error {
	if len(to) != len(from) {
		return fmt.Errorf("has %d tensors, want %d: it is of another model", len(from), len(to))
	}
	for i, t := range to {
		f := from[i]
		if f.Name != t.Name || !slices.Equal(f.Shape, t.Shape) || len(f.Data) != len(t.Data) {
			return fmt.Errorf("tensor %q %v, want %q %v: it is of another model", f.Name, f.Shape,
				t.Name, t.Shape)
		}
		copy(t.Data, f.Data)
	}
	return nil
}

// Opaque is a network's saved state that only its own program can read: bytes, in place of tensors.
type Opaque interface {
	// WriteTo writes all of it as one stream. The error may be about reading it, too, such as a
	// checkpoint whose bytes have changed since they were saved.
	io.WriterTo
	// Release says that nobody needs the bytes any more.
	Release()
}

// Workplace is implemented by a Recorder with space for the program that a run trains. It is in the
// run's directory, so that it is removed with the run.
type Workplace interface {
	// ProgramLog opens a file that keeps the first and the last part of the program's output.
	ProgramLog() (io.WriteCloser, error)
	// Scratch makes an empty folder for the program, in place of an earlier one, and returns its
	// path. The caller removes it.
	Scratch() (dir string, err error)
}

// Observer is implemented by a Recorder that keeps what the machine does. Observe is called from
// another goroutine than the run's, one call at a time, also after Close.
type Observer interface{ Observe(*machine.Sample) }

// ProgramLogName is the file in a run's directory that holds its program's output.
const ProgramLogName = "program.log"

// The reasons why a verb is refused; each is worded to follow the name of a run.
var (
	ErrNotRunning = errors.New("is not running here")
	ErrElsewhere  = errors.New("is running elsewhere: stop it there first")
	ErrBusy       = errors.New("is still busy with an earlier request; wait for its step to " +
		"end")
	ErrSlow = errors.New("is in the middle of a long step or evaluation: the request follows " +
		"it, and counts once it is logged")
	ErrNothing = errors.New("has nothing to save before it trains")
	ErrDone    = errors.New("is done: there is nothing to resume")
)

// DiskError is a Recorder's error that may be temporary: the disk is full, or fails for now. The
// failed write can be repeated.
type DiskError struct {
	What string // what failed, and the remedy
	Err  error
	// Away says that a folder is missing, as while a disk is mounted elsewhere. It may be back in a
	// moment, so the write is tried again even if nobody resumes the run.
	Away bool
}

func (e *DiskError) Error() string { return e.What + ": " + e.Err.Error() }

// Unwrap returns the system's error.
func (e *DiskError) Unwrap() error { return e.Err }

// PanicError is a panic as an error of one line. The stack is in a file.
type PanicError struct {
	Value  string // the value that the program panicked with
	Report string // path of the file; empty if it could not be written
}

func (e *PanicError) Error() string {
	if e.Report == "" {
		return fmt.Sprintf("internal error: %s: please report it", e.Value)
	}
	return fmt.Sprintf("internal error: %s: please report it, with the file %s", e.Value, e.Report)
}

// errCut is a fault in a mapped file, which is not the program's mistake.
var errCut = errors.New(
	"the dataset's files were cut or lost while in use: bring them back and resume")

// Panicked returns an error for the value that a deferred function has recovered. It leaves a
// report in dir, a folder of runs, or in a new temporary folder if dir cannot be written to.
func Panicked(dir string, recovered any) error {
	if data.IsFault(recovered) {
		return errCut
	}
	const mostValue = 200 // runes, of a line
	value := []rune(strings.Join(strings.Fields(fmt.Sprint(recovered)), " "))
	if len(value) > mostValue {
		value = append(value[:mostValue], '…')
	}
	e := &PanicError{Value: string(value)}
	name, text := reportName(), reportText(recovered)
	reporting.Lock()
	defer reporting.Unlock()
	var err error
	if e.Report, err = keepReport(dir, name, text); err != nil {
		if dir, err = os.MkdirTemp("", "drolab-panic-"); err == nil { // for its owner only
			e.Report, _ = keepReport(dir, name, text)
		}
	}
	return e
}

// reporting is held while a report is written: several runs may meet the same fault at once.
var reporting sync.Mutex

// mostReport is the maximum size of a report, in bytes.
const mostReport = 64 << 10

// reportText returns the text of a report, for the developers of the program.
func reportText(recovered any) []byte {
	var version string
	if info, ok := debug.ReadBuildInfo(); ok {
		version = cmp.Or(info.Main.Version, "(devel)")
	}
	value := fmt.Appendf(nil, "%v", recovered)
	head := fmt.Appendf(nil, "drolab %s, %s, %s/%s, %s\npanic: ", version, runtime.Version(),
		runtime.GOOS, runtime.GOARCH, time.Now().UTC().Format(time.RFC3339))
	return slices.Concat(head, value[:min(len(value), mostReport/4)], []byte("\n\n"), debug.Stack())
}

// keepReport writes a report, unless there is one of that name.
func keepReport(dir, name string, text []byte) (path string, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	err = atomicfile.AddIn(atomicfile.Root{Root: root}, name, 0o600,
		atomicfile.Copying(bytes.NewReader(text[:min(len(text), mostReport)])))
	if errors.Is(err, os.ErrExist) {
		_, err = root.Lstat(name) // it exists, or another process is writing it
	}
	if err != nil {
		return "", err
	}
	return filepath.Join(root.Name(), name), nil
}

// reportName returns a name that depends only on the call stack of the panic: a thousand runs with
// the same fault leave one report.
func reportName() string {
	var callers [64]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers[:])])
	h := fnv.New32a()
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		fmt.Fprintln(h, f.Function, f.Line)
	}
	return fmt.Sprintf(".panic-%08x.txt", h.Sum32())
}
