package page

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func sheet() *Table {
	t := New("run", "step", "value")
	t.Name = "loss"
	t.Each = slices.Values([][]string{
		{"a \"b\", c", "10", "0.1"},
		{"é\n", "20", "NaN"},
		{"x", "30", ""},
		{"7", "1e-3", "+Inf"},
	})
	return t
}

func written(t *testing.T, f Format) string {
	t.Helper()
	path, err := f.WriteFile(t.TempDir(), sheet(), time.Unix(0, 0).UTC())
	if err != nil {
		t.Fatal(err)
	}
	if want := "export-loss-19700101-000000." + f.Name; filepath.Base(path) != want {
		t.Errorf("file %s, want %s", path, want)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestCSVReadsBack(t *testing.T) {
	rows, err := csv.NewReader(strings.NewReader(written(t, Formats()[0]))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := append([][]string{sheet().Heads()}, slices.Collect(sheet().All())...)
	if !slices.EqualFunc(rows, want, slices.Equal) {
		t.Errorf("%q, want %q", rows, want)
	}
}

func TestJSONLinesReadBack(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(written(t, Formats()[1])), "\n")
	for i, want := range []map[string]any{
		{"run": "a \"b\", c", "step": 10., "value": .1},
		{"run": "é\n", "step": 20., "value": "NaN"},
		{"run": "x", "step": 30., "value": nil},
		{"run": 7., "step": 1e-3, "value": "+Inf"},
	} {
		var got map[string]any
		if err := json.Unmarshal([]byte(lines[i]), &got); err != nil ||
			fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("line %d: %v, %v; want %v", i+1, got, err, want)
		}
	}
}

// WriteFile replaces no existing file, and a failed write leaves no file.
func TestWriteFileReplacesNothing(t *testing.T) {
	dir, f := t.TempDir(), Formats()[0]
	first, err := f.WriteFile(dir, sheet(), time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	second, err := f.WriteFile(dir, sheet(), time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	if second == first {
		t.Errorf("%s is written again, want another name", second)
	}
	f.Write = func(w io.Writer, _ *Table) error {
		io.WriteString(w, "half")
		return errors.New("no more")
	}
	_, err = f.WriteFile(dir, sheet(), time.Unix(9, 0))
	if err == nil || !strings.Contains(err.Error(), "no more") {
		t.Errorf("WriteFile that fails: %v, want an error with %q", err, "no more")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 2 {
		t.Errorf("the folder has %v, want the two files before", left)
	}
}

// TestReplace: a file keeps its old content until the new content is complete. A target that is not
// a regular file is written to directly.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "a"), filepath.Join(dir, "link")
	if err := os.Symlink("a", link); err != nil {
		t.Skip(err)
	}
	broken := errors.New("broken")
	for _, c := range []struct {
		path, text, want string
		err              error
	}{{path, "old", "old", nil}, {path, "half", "old", broken}, {link, "new", "new", nil}} {
		err := Replace(c.path, func(w io.Writer) error {
			io.WriteString(w, c.text)
			return c.err
		})
		if !errors.Is(err, c.err) {
			t.Errorf("Replace of %s by %q: %v, want %v", c.path, c.text, err, c.err)
		}
		if got, _ := os.ReadFile(path); string(got) != c.want {
			t.Errorf("%s after %q has %q, want %q", c.path, c.text, got, c.want)
		}
	}
	info, err := os.Lstat(link)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().IsRegular() {
		t.Errorf("the link has become a file of mode %v", info.Mode())
	}
	if list, _ := os.ReadDir(dir); len(list) != 2 {
		t.Errorf("the folder has %v, want the file and the link", list)
	}
}

// A format can be added without a change to another file.
func TestRegister(t *testing.T) {
	remove := Register(Format{Name: "txt", Doc: "for a test",
		Write: func(w io.Writer, t *Table) error {
			for row := range t.All() {
				fmt.Fprintln(w, strings.Join(row, "|"))
			}
			return nil
		}})
	list := Formats()
	if got := written(t, list[len(list)-1]); !strings.HasSuffix(got, "7|1e-3|+Inf\n") {
		t.Errorf("the new format writes %q, want it to end with %q", got, "7|1e-3|+Inf\n")
	}
	remove()
	if slices.ContainsFunc(Formats(), func(f Format) bool { return f.Name == "txt" }) {
		t.Error("the format is still there")
	}
}
