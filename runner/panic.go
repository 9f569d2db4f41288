package runner

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"drolab/runner/data"
	"drolab/runner/internal/atomicfile"
)

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

// errDataCut is a fault in a mapped file, which is not the program's mistake.
var errDataCut = errors.New(
	"the dataset's files were cut or lost while in use: bring them back and resume")

// ReportPanic returns an error for the value that a deferred function has recovered. It leaves a
// report in dir, a folder of runs, or in a new temporary folder if dir cannot be written to.
func ReportPanic(dir string, recovered any) error {
	if data.IsFault(recovered) {
		return errDataCut
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
