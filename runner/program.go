package runner

import "fmt"

// Program is what a run keeps of the program that it trains. Nothing of it starts one: a
// run may come from anybody.
type Program struct {
	Path        string   `json:"path"`
	SHA256      string   `json:"sha256"` // of that file, in hexadecimal
	Arguments   []string `json:"arguments,omitempty"`
	Interpreter string   `json:"interpreter,omitempty"`
	Device      string   `json:"device,omitempty"`
	// Packages are the versions that the program named.
	Packages map[string]string `json:"packages,omitempty"`
}

// ByScript says that a run's loop is a script's, and how it goes on; id is empty of a run that is
// not there yet.
func ByScript(id string) string {
	if id == "" {
		return "the loop of this run is a script's: the script starts it with " +
			"drolab.start(...), or forks one with drolab.start(from_=\"RUN@STEP\")"
	}
	return fmt.Sprintf("only its script can continue run %s: drolab.start(resume=%q)", id, id)
}

// HasOwnNetwork says that the run trains a program or a script, where something needs the
// weights, or other data than the run's: a program keeps both to itself. Nil of any other run.
func (m *Meta) HasOwnNetwork() error {
	if !m.Spec.IsProgram() {
		return nil
	}
	return fmt.Errorf("run %s trains a program, which keeps its weights and data to itself: "+
		"this needs a model of drolab's own", m.ID)
}

// ProgramMeans is what a program is started with where it was asked for. It is never
// taken from a record.
type ProgramMeans struct {
	Python string   `json:"python,omitempty"` // the interpreter of files of Python
	Env    []string `json:"env,omitempty"`
}
