//go:build unix

package pythontest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"drolab/dro/peertest"
)

// TestWheel: a wheel of the tree has the same bytes when it is made again. It installs into an
// environment without Go, and provides the command and the modules of the same version.
func TestWheel(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the program")
	}
	python := peertest.Python(t, "numpy", "pip")
	dir := t.TempDir()
	root, err := filepath.Abs("../../..")
	must(t, err)
	binary := filepath.Join(dir, "drolab")
	say(t, root, nil, "go", "build", "-o", binary, ".")
	const version = "1.2.3.dev20260102+g0123456789ab"
	var wheels []string
	var content [][]byte
	for _, name := range []string{"one", "two"} {
		into := filepath.Join(dir, name)
		must(t, os.Mkdir(into, 0o700))
		made := say(t, root, nil, "go", "run", ".github/packages/wheel.go", "-version", version,
			"-target", runtime.GOOS+"/"+runtime.GOARCH, "-binary", binary, "-into", into)
		wheels = append(wheels, strings.TrimSpace(made))
		b, err := os.ReadFile(wheels[len(wheels)-1])
		must(t, err)
		content = append(content, b)
	}
	if !bytes.Equal(content[0], content[1]) {
		t.Error("two wheels of one tree have other bytes")
	}

	venv := filepath.Join(dir, "venv")
	say(t, dir, nil, python, "-m", "venv", "--without-pip", venv)
	bare := []string{"PATH=" + filepath.Join(venv, "bin"), "HOME=" + dir,
		"PIP_DISABLE_PIP_VERSION_CHECK=1"}
	inside := filepath.Join(venv, "bin", "python")
	say(t, dir, bare, python, "-m", "pip", "--python", inside, "install", "--quiet", "--no-index",
		"--no-deps", wheels[0])
	said := say(t, dir, bare, filepath.Join(venv, "bin", "drolab"), "version")
	if !strings.HasPrefix(said, "drolab ") {
		t.Errorf("drolab version says %q, want it to begin with drolab", said)
	}
	where := say(t, dir, nil, python, "-c", "import numpy; print(numpy.__path__[0])")
	said = say(t, dir, append(bare, "PYTHONPATH="+filepath.Dir(strings.TrimSpace(where))), inside,
		"-c", "import drolab; print(drolab.__version__, drolab.__file__.startswith("+
			"__import__('sys').prefix))")
	if want := version + " True\n"; said != want {
		t.Errorf("the modules say %q, want %q", said, want)
	}
}

// say runs a command and returns what it prints.
func say(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir, c.Env = dir, env
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s%s", name, args, err, out, errs.String())
	}
	return string(out)
}
