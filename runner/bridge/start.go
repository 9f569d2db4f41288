package bridge

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"drolab/runner/spec"
)

// The purposes for which a program is started.
const (
	Describing = "describe"
	Training   = "train"
	Evaluating = "evaluate"
)

// Start says how a program is started.
type Start struct {
	Program spec.Program // its path is absolute
	Procs   int          // number of processes; 0 is one. To describe itself, it needs only one
	Spec    *spec.Spec   // the program is told its settings
	Purpose string       // one of the above
	Python  string       // the interpreter of files of Python
	Env     []string     // nil: the environment of this process
	Threads int
	Scratch string         // a folder of its own, which is removed at the end
	Log     io.WriteCloser // for its output; closed at the end
	// Stops has a value for each time that the run is to stop; closing Done counts as one more. See
	// listenToStops. A nil channel asks for no stop.
	Stops, Done <-chan struct{}
}

// command returns the command that runs a program, in the folder of its file. The interpreter runs
// a file of Python; any other file runs by itself.
func command(s Start) *exec.Cmd {
	path := s.Program.Path
	line := append([]string{path}, s.Program.Words...)
	if filepath.Ext(path) == ".py" {
		line = append([]string{s.Python}, line...)
	}
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Dir = filepath.Dir(path)
	cmd.Env = s.Env
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], "DROLAB_PIPES=3,4",
		"PYTHONUNBUFFERED=1", "PWD="+cmd.Dir)
	return cmd
}

// named returns the words for the program in an error.
func (s Start) named() string { return "the program " + filepath.Base(s.Program.Path) }

// Outside prepares a program that runs outside of any run: it gets a temporary folder of its own,
// and its output is discarded.
func (s *Start) Outside() (err error) {
	s.Log = nullLog{}
	s.Scratch, err = os.MkdirTemp("", "drolab-program-")
	return err
}

// nullLog discards what a program prints.
type nullLog struct{}

// Write implements io.Writer.
func (nullLog) Write(b []byte) (int, error) { return len(b), nil }

// Close implements io.Closer.
func (nullLog) Close() error { return nil }
