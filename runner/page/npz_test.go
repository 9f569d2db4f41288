package page

import (
	"errors"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"drolab/dro/peertest"
)

// NumPy reads numbers as numbers and text as text.
func TestNPZReadsBack(t *testing.T) {
	python := peertest.Python(t, "numpy")
	table := New("row", "class", "p/q")
	table.Rows = [][]string{{"0", "é b", "0.1"}, {"1", "x", ""}, {"2", "7", "-Inf"}}
	path := filepath.Join(t.TempDir(), "a.npz")
	f, err := FormatOf(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.WriteNew(path, table); err != nil {
		t.Fatal(err)
	}
	if err := f.WriteNew(path, table); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second time: %v, want %v", err, fs.ErrExist)
	}
	arrays := filepath.Join(t.TempDir(), "b.npz")
	list := []Array{{"x", [][]float32{{.5, -1}, {2, 3}, {4, 5}}}, {"row", []int64{7, -1}},
		{"none", []string{}}}
	if err := WriteArrays(arrays, list); err != nil {
		t.Fatal(err)
	}
	if err := WriteArrays(arrays, list); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second time: %v, want %v", err, fs.ErrExist)
	}
	out, err := exec.Command(python, "-c", `import numpy, sys
print([(k, f[k].dtype.str, f[k].tolist()) for f in map(numpy.load, sys.argv[1:]) for k in f])`,
		path, arrays).CombinedOutput()
	want := "[('row', '<f8', [0.0, 1.0, 2.0]), " +
		"('class', '<U3', ['é b', 'x', '7']), ('p_q', '<f8', [0.1, nan, -inf]), " +
		"('x', '<f4', [[0.5, -1.0], [2.0, 3.0], [4.0, 5.0]]), ('row', '<i8', [7, -1]), " +
		"('none', '<U1', [])]"
	if got := strings.TrimSpace(string(out)); err != nil || got != want {
		t.Errorf("NumPy reads %s, %v; want %s", got, err, want)
	}
}
