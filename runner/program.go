package runner

import "fmt"

// Program is the record of the program that a run trains. The record alone never starts a program:
// a run may come from anybody.
type Program struct {
	Path        string   `json:"path"`
	SHA256      string   `json:"sha256"` // of that file, in hexadecimal
	Arguments   []string `json:"arguments,omitempty"`
	Interpreter string   `json:"interpreter,omitempty"`
	Device      string   `json:"device,omitempty"`
	// Packages are the versions of the packages that the program named.
	Packages map[string]string `json:"packages,omitempty"`
	// Processes is the number of processes that shared each batch; 0 or 1: one had it alone.
	Processes int `json:"processes,omitempty"`
}

// ByScript says that a script drives a run's loop, and how to continue the run; id is empty for a
// run that does not exist yet.
func ByScript(id string) string {
	if id == "" {
		return "the loop of this run is a script's: the script starts it with " +
			"drolab.start(...), or forks one with drolab.start(from_=\"RUN@STEP\")"
	}
	return fmt.Sprintf("only its script can continue run %s: drolab.start(resume=%q)", id, id)
}

// HowToContinue returns the command or, for the run of a script, the call that continues the run
// after its end. For the log of another program, it is the import of the rest.
func (m *Meta) HowToContinue() string {
	if m.Imported != nil && !m.Predicted() {
		return "drolab import " + ShellWord(m.Imported.Path)
	}
	if m.Spec.IsScript() {
		return fmt.Sprintf("drolab.start(resume=%q) in its script", m.ID)
	}
	return "drolab resume " + m.ID
}

// HasOwnNetwork returns an error if the run was imported, or trains a program or a script, which
// keeps its weights and data to itself. Callers need the weights, or data other than the run's.
func (m *Meta) HasOwnNetwork() error {
	if !m.Spec.IsProgram() {
		return m.Trained()
	}
	return fmt.Errorf("run %s trains a program, which keeps its weights and data to itself: "+
		"this needs a model of drolab's own", m.ID)
}

// ProgramMeans are the means with which a program is started where a user asks for it. They are
// never taken from a record.
type ProgramMeans struct {
	Python string   `json:"python,omitempty"` // the interpreter of Python files
	Env    []string `json:"env,omitempty"`
}
