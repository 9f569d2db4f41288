// Package peertest finds the programs of others with which tests compare results: Python with the
// modules of .ci/peers.txt, and LaTeX.
//
// Only tests import it. A test whose peer is missing skips with a text that
// begins with [Missing]; .ci/run installs the peers and fails on such a text.
package peertest

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// Missing begins the text of every test that skips because its peer is missing.
const Missing = "peer missing: "

// found caches, for the whole process, which modules of each list are missing, because asking costs
// a start of Python.
var found sync.Map // map[string]string: what is missing, or ""

// Python returns the path of a Python that has the modules, and skips the test if there is none. A
// module that is found but cannot be imported fails the test later, where it is used.
func Python(t testing.TB, modules ...string) (path string) {
	t.Helper()
	path = Program(t, "python3")
	names := strings.Join(modules, " ")
	lack, known := found.Load(names)
	if !known {
		const ask = "import sys\nfrom importlib.util import find_spec\n" +
			"print(*[m for m in sys.argv[1:] if find_spec(m) is None])"
		out, err := exec.Command(path, append([]string{"-c", ask}, modules...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", path, err, out)
		}
		lack, _ = found.LoadOrStore(names, strings.TrimSpace(string(out)))
	}
	if lack != "" {
		t.Skipf("%s%s has no %s: pip install -r .ci/peers.txt", Missing, path, lack)
	}
	return path
}

// Program returns the path of a program, and skips the test if there is none. With -short it always
// skips: Python takes seconds to load PyTorch.
func Program(t testing.TB, name string) (path string) {
	t.Helper()
	if testing.Short() {
		t.Skip(Missing + "not with -short")
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skip(Missing, err)
	}
	return path
}

// Run runs a script in a Python that has the modules, and returns what it prints. modules are the
// names that import takes, separated by blanks. A script that fails also fails the test.
func Run(t testing.TB, modules, script string, args ...string) (stdout []byte) {
	t.Helper()
	python := Python(t, strings.Fields(modules)...)
	c := exec.Command(python, append([]string{script}, args...)...)
	c.Env = append(os.Environ(), "OMP_NUM_THREADS=1") // waiting threads would take time from others
	var stderr strings.Builder
	c.Stderr = &stderr
	stdout, err := c.Output()
	if err != nil {
		t.Fatal(fmt.Errorf("%s %s: %w\n%s%s", python, script, err, stdout, stderr.String()))
	}
	return stdout
}
