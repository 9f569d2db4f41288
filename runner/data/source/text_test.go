package source

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"drolab/runner/data"
)

// Names that are not UTF-8 are refused, wherever a name comes from, because JSON could make one
// name of two.
func TestNamesAreUTF8(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, b []byte) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Skip(err) // a system whose files are named in UTF-8 alone
		}
		return path
	}
	rows := func(town func(i int) string) []byte {
		var b bytes.Buffer
		b.WriteString("a,town,label\n")
		for i := range 20 {
			fmt.Fprintf(&b, "%d,%s,%d\n", i, town(i), i%2)
		}
		return b.Bytes()
	}
	french := rows(func(i int) string { return []string{"Orl\xe9ans", "Orl\xe8ans"}[i%2] })
	plain := file("plain.csv", rows(func(int) string { return "Bonn" }))
	words := make([]uint16, 0, len(french))
	for _, c := range french {
		words = append(words, uint16(c)) // Latin-1 is the beginning of Unicode
	}
	var wide bytes.Buffer
	for _, w := range append([]uint16{0xfeff}, words...) {
		binary.Write(&wide, binary.LittleEndian, w)
	}
	for _, c := range []struct{ name, dataset, want string }{
		{"Latin-1", "csv:" + file("latin.csv", french),
			"latin.csv: line 2: byte 18 of the text (0xe9) is not UTF-8"},
		{"UTF-16", "csv:" + file("wide.csv", wide.Bytes()), "wide.csv: line 1: is UTF-16"},
		{"old Mac", "csv:" +
			file("mac.csv", bytes.ReplaceAll(rows(func(int) string { return "Bonn" }),
				[]byte("\n"), []byte("\r"))),
			"mac.csv: line 1: ends in a carriage return alone (byte 12)"},
		{"the test file", "csv:" + plain + "?test=" + file("test.csv", french),
			"test.csv: line 2: byte 18"},
		{"an option", "csv:" + plain + "?label=l\xe9", `?label=l\xe9" is not UTF-8`},
		{"a path", "csv:" + dir + "/l\xe9.csv", `l\xe9.csv" is not UTF-8`},
		{"a class of pictures", "images:" +
			filepath.Dir(filepath.Dir(file("pictures/l\xe9/1.png", nil))),
			`the name "l\xe9" is not UTF-8`},
		{"a table of pictures",
			"images:" + filepath.Dir(file("listed/metadata.csv",
				[]byte("file,label\n1.png,l\xe9\n"))),
			"metadata.csv: line 2: byte 18 of the text (0xe9) is not UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) { refused(t, c.dataset, data.Options{}, c.want) })
	}
}
