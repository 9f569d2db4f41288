package source

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/runner/data"
)

// oddTable returns a table with a column of an odd name, whose cells are a and b, and a number.
func oddTable(name string) string {
	text := `"` + strings.ReplaceAll(name, `"`, `""`) + `",x,label` + "\n"
	for i := range 40 {
		text += fmt.Sprintf("%c,%d,%d\n", "ab"[i/2%2], i*7%11, i%2)
	}
	return text
}

// TestOddTables: a column is named as it is printed, or as in a URL; what cannot be read is refused
// by its name.
func TestOddTables(t *testing.T) {
	r := strings.Replace(oddTable("g"), "\n", "\n1,", 1) // the first line alone
	named := strings.ReplaceAll(oddTable("g"), "\n", "\n7,")
	named = strings.TrimSuffix(named, "7,")
	for _, c := range []struct{ name, text, options, want string }{
		{"a plus", oddTable("a+b"), "group=a+b", "[a b] [x]"},
		{"a blank", oddTable("a b"), "group=a b", "[a b] [x]"},
		{"an escape for a name", oddTable("a%20b"), "group=a%20b", "[a b] [x]"},
		{"per cent", oddTable("50%"), "group=50%", "[a b] [x]"},
		{"an ampersand", oddTable("R&D"), "group=R&D&label=label", "[a b] [x]"},
		{"a semicolon", oddTable("a;b"), "group=a;b", "[a b] [x]"},
		{"an equals sign", oddTable("a=b"), "group=a=b", "[a b] [x]"},
		{"a comma", oddTable("a,b"), "drop=a,b,x&keep=", "error: no column is left"},
		{"a comma and another", oddTable("a,b"), "drop=x,a,b", "error: no column is left"},
		{"a comma for a group", oddTable("a,b"), "group=a,b", "[a b] [x]"},
		{"quotation marks", oddTable(`say "hi"`), `group=say "hi"`, "[a b] [x]"},
		{"a backslash", oddTable(`a\x41`), `group=a\x41`, "[a b] [x]"},
		{"a control character", oddTable("h\x01"), `group=h\x01`, "[a b] [x]"},
		{"an invisible character", oddTable("h\u200bi"), "group=h?i", "[a b] [x]"},
		{"a blank that does not break", oddTable("a\u00a0b"), "group=a b", "[a b] [x]"},
		{"a tab", oddTable("a\tb"), "group=a b", "[a b] [x]"},
		{"a name that is not there", oddTable("g"), "group=h%", `error: no column "h%"`},
		{"an unknown option", oddTable("g"), "group=g&lable=x", `error: unknown option "lable"`},
		{"names of rows, as from R", named, "group=g", "[a b] [x]"},
		{"a separator at line ends", strings.Replace(strings.ReplaceAll(oddTable("g"), "\n", ",\n"),
			",\n", "\n", 1), "", "error: line 2: 4 columns, the first line has 3: mend"},
		{"one line too long", r, "group=g", "error: line 3: 3 cells, the first line below the " +
			"header has 4: mend"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := openText(t, c.text, "?"+c.options)
			got := ""
			if err != nil {
				got = "error: " + err.Error()
			} else {
				got = fmt.Sprint(d.Groups, " ", features(d))
			}
			kind, text, isError := strings.Cut(c.want, ": ")
			if isError && !(strings.HasPrefix(got, kind) && strings.Contains(got, text)) ||
				!isError && got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// R's names of rows are left out of every file of a table, and a note says so.
func TestNamesOfRows(t *testing.T) {
	text := "\"a\",\"label\"\n"
	for i := range 20 {
		text += fmt.Sprintf("\"%d\",%d.5,%d\n", i+1, i, i%2)
	}
	path := write(t, text)
	d := opened(t, "csv:"+path+"?test="+path, data.Options{})
	if got, want := features(d), []string{"a"}; !slices.Equal(got, want) {
		t.Errorf("features %q, want %q", got, want)
	}
	if d.Test.Len() != 20 {
		t.Errorf("%d test samples, want 20", d.Test.Len())
	}
	want := "line 2: the lines have one cell more than the header"
	if !strings.HasPrefix(d.Notes[0], want) {
		t.Errorf("the first note is %q, want it to begin with %q", d.Notes[0], want)
	}
}

// Files are named as they stand, with separators and escapes in their names.
func TestOddFiles(t *testing.T) {
	dir := t.TempDir()
	text := oddTable("g")
	for _, name := range []string{"a.csv", "b+c.csv", "b", "50%.csv", "d e.csv"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for option, files := range map[string]int{
		"b+c.csv": 1, "b+50%.csv": 2, "50%.csv+b": 2, "d e.csv+b": 2,
	} {
		name := Locate("csv:a.csv?test="+option, dir)
		d, err := Open(name, data.Options{})
		if err != nil {
			t.Errorf("opening %s: %v", name, err)
		} else if got := d.Test.Len(); got != 40*files {
			t.Errorf("%s: %d test samples, want %d", name, got, 40*files)
		}
	}
	array := func(name string, values []int64) {
		header := fmt.Sprintf("{'descr': '<i8', 'fortran_order': False, 'shape': (%d,), }",
			len(values))
		var b bytes.Buffer
		fmt.Fprint(&b, "\x93NUMPY\x01\x00")
		binary.Write(&b, binary.LittleEndian, uint16(len(header)))
		b.WriteString(header)
		binary.Write(&b, binary.LittleEndian, values)
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	array("y+1%.npy", make([]int64, 4))
	_, err := Open(Locate("npy:X.npy?y=y+1%.npy", dir), data.Options{})
	checkError(t, "labels with an odd name", err, "X.npy")
}

// TestOddMetadata: tables of pictures as they come, with other names of columns and absolute paths.
func TestOddMetadata(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	head := "img_id,img_filename,y,split,place\n"
	relative, absolute := head, head
	for i := range 30 {
		file := filepath.Join("birds", fmt.Sprint(i, ".png"))
		paint(t, filepath.Join(dir, file), 9, 9, color.RGBA{uint8(8 * i), 0, 100, 255})
		rest := fmt.Sprintf(",%d,%d,%d\n", i%2, i%3, i/2%2)
		relative += fmt.Sprint(i, ",", file, rest)
		absolute += fmt.Sprint(i, ",", filepath.Join(dir, file), rest)
	}
	elsewhere := filepath.Join(t.TempDir(), "list.csv")
	for path, text := range map[string]string{
		filepath.Join(dir, "metadata.csv"): relative, elsewhere: absolute,
		filepath.Join(dir, "tabs.tsv"): strings.ReplaceAll(relative, ",", "\t"),
		filepath.Join(dir, "out.csv"):  head + "1,/etc/passwd,1,0,0\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const columns = "&file=img_filename&label=y&group=place"
	sums := map[string]bool{}
	for _, c := range []struct{ options, want string }{
		{"size=8" + columns, ""},
		{"size=8&metadata=" + elsewhere + columns, ""},
		{"size=8&metadata=tabs.tsv" + columns, ""},
		{"size=8", `line 1: no column "file": the columns are [`},
		{"metadata=out.csv" + columns, `line 2: "/etc/passwd" is not a path below the folder: name`},
	} {
		d, err := Open("images:"+dir+"?"+c.options, data.Options{Dir: cache})
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", c.options, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("opening it with %s: %v", c.options, err)
			continue
		}
		checkLengths(t, c.options, d, 10, 10, 10)
		if len(d.Groups) != 2 {
			t.Errorf("%s: groups %q, want 2", c.options, d.Groups)
		}
		sums[d.Checksum] = true
	}
	if len(sums) != 1 {
		t.Errorf("the same pictures have %d checksums", len(sums))
	}
}

// A column of lists or records is named and left out as a whole, by its own name.
func TestNestedColumns(t *testing.T) {
	name := "parquet:" + filepath.Join(ofTests, "nested.parquet") + "?label=y"
	for options, want := range map[string]string{
		"":              `column "list": is nested: leave it out with drop=list`,
		"&drop=element": `no column "element": the columns are ["x" "list" "y"]`,
		"&drop=list":    "test_fraction=0.2 leaves a split without a sample", // of two rows
	} {
		if _, err := Open(name+options, data.Options{}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", options, err, want)
		}
	}
}
