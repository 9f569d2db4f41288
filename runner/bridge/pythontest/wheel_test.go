//go:build unix

package pythontest

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"drolab/dro/peertest"

	"github.com/google/go-cmp/cmp"
)

// TestWheel: a wheel of the tree has the same bytes when it is made again, and the metadata of the
// client's own wheel. It installs into an environment without Go, and provides the command and the
// modules of the same version. Windows' wheel has the client, too.
func TestWheel(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the program")
	}
	t.Parallel()
	python := peertest.Python(t, "numpy", "pip", "hatchling")
	dir := t.TempDir()
	root, err := filepath.Abs("../../..")
	must(t, err)
	binary, tool := filepath.Join(dir, "drolab"), filepath.Join(dir, "wheel")
	say(t, root, nil, "go", "build", "-o", binary, ".")
	say(t, root, nil, "go", "build", "-o", tool, ".github/packages/wheel.go")
	few := filepath.Join(dir, "few") // in the place of the program, which takes seconds to compress
	must(t, os.WriteFile(few, []byte("a program"), 0o700))
	const version = "1.2.3.dev20260102+g0123456789ab"
	wheel := func(client, binary, target, into string) (path string) {
		return strings.TrimSpace(say(t, root, nil, tool, "-client", client, "-target", target,
			"-binary", binary, "-into", into))
	}
	native := runtime.GOOS + "/" + runtime.GOARCH
	var wheels, clients []string
	for _, name := range []string{"one", "two"} {
		into := filepath.Join(dir, name)
		say(t, root, []string{"PYTHON=" + python, "PATH=" + os.Getenv("PATH"),
			"URL=https://example.org"}, ".github/packages/client", version, into)
		clients = append(clients, filepath.Join(into, "drolab-"+version+"-py3-none-any.whl"))
		wheels = append(wheels, wheel(clients[len(clients)-1], few, native, into))
	}
	one, err := os.ReadFile(wheels[0])
	must(t, err)
	two, err := os.ReadFile(wheels[1])
	must(t, err)
	if !bytes.Equal(one, two) {
		t.Error("two wheels of one tree have other bytes")
	}
	metadata := within(t, clients[0], "dist-info/METADATA")
	if !strings.Contains(metadata, "Project-URL: Homepage, https://example.org\n") {
		t.Errorf("the metadata has no address:\n%s", metadata)
	}
	whole := wheel(clients[0], binary, native, dir)
	for _, path := range []string{whole, wheel(clients[0], few, "windows/amd64", dir)} {
		if diff := cmp.Diff(metadata, within(t, path, "dist-info/METADATA")); diff != "" {
			t.Errorf("%s has other metadata than the client (-client +wheel):\n%s", path, diff)
		}
		within(t, path, "drolab/_version.py")
	}

	venv := filepath.Join(dir, "venv")
	say(t, dir, nil, python, "-m", "venv", "--without-pip", venv)
	bare := []string{"PATH=" + filepath.Join(venv, "bin"), "HOME=" + dir,
		"PIP_DISABLE_PIP_VERSION_CHECK=1"}
	inside := filepath.Join(venv, "bin", "python")
	say(t, dir, bare, python, "-m", "pip", "--python", inside, "install", "--quiet", "--no-index",
		"--no-deps", whole)
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

// TestTreeInstalls: a wheel and a source distribution that are built in the repository, as pip does
// from a copy of it, have all files of the package, and the licence as a file.
func TestTreeInstalls(t *testing.T) {
	python := peertest.Python(t, "hatchling")
	folder, err := filepath.Abs("../python")
	must(t, err)
	dir := t.TempDir()
	say(t, folder, nil, python, "-m", "hatchling", "build", "-d", dir)
	want := []string{"LICENSE"}
	files, err := filepath.Glob(filepath.Join(folder, "drolab", "*.py"))
	must(t, err)
	for _, file := range files {
		want = append(want, "drolab/"+filepath.Base(file))
	}
	for _, built := range []string{"*.whl", "*.tar.gz"} {
		found, err := filepath.Glob(filepath.Join(dir, built))
		must(t, err)
		if len(found) != 1 {
			t.Fatalf("hatchling builds %q, want one %s", found, built)
		}
		listed := say(t, dir, nil, python, "-c", namesOfFiles, found[0])
		for _, name := range want {
			if !strings.Contains(listed, name+"\n") {
				t.Errorf("%s has no file %s:\n%s", filepath.Base(found[0]), name, listed)
			}
		}
	}
}

// namesOfFiles is a program in Python that prints the regular files of a wheel or a source
// distribution.
const namesOfFiles = `import sys, tarfile, zipfile
path = sys.argv[1]
if path.endswith(".whl"):
    names = zipfile.ZipFile(path).namelist()
else:
    names = [m.name for m in tarfile.open(path) if m.isreg()]
print("\n".join(names))
`

// within returns the text of the one file of a wheel whose name ends so.
func within(t *testing.T, wheel, end string) string {
	t.Helper()
	r, err := zip.OpenReader(wheel)
	must(t, err)
	defer r.Close()
	i := slices.IndexFunc(r.File, func(f *zip.File) bool { return strings.HasSuffix(f.Name, end) })
	if i < 0 {
		t.Fatalf("%s has no file %s", wheel, end)
	}
	text, err := fs.ReadFile(r, r.File[i].Name)
	must(t, err)
	return string(text)
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
