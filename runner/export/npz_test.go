package export

import (
	"errors"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/dro/peertest"
)

// NumPy reads numbers as numbers and text as text.
func TestNPZReadsBack(t *testing.T) {
	python := peertest.Python(t, "numpy")
	s := &Sheet{Head: []string{"row", "class", "p/q"}, Rows: slices.Values([][]string{
		{"0", "é b", "0.1"}, {"1", "x", ""}, {"2", "7", "-Inf"}})}
	path := filepath.Join(t.TempDir(), "a.npz")
	f, err := Of(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Put(path, s); err != nil {
		t.Fatal(err)
	}
	if err := f.Put(path, s); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second time: %v", err)
	}
	out, err := exec.Command(python, "-c", `import numpy, sys
f = numpy.load(sys.argv[1])
print([(k, f[k].dtype.str, f[k].tolist()) for k in f])`, path).CombinedOutput()
	want := "[('row', '<f8', [0.0, 1.0, 2.0]), " +
		"('class', '<U3', ['é b', 'x', '7']), ('p_q', '<f8', [0.1, nan, -inf])]"
	if got := strings.TrimSpace(string(out)); err != nil || got != want {
		t.Errorf("NumPy reads %s, %v; want %s", got, err, want)
	}
}
