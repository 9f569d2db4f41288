package source

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"drolab/runner/data"
	"drolab/runner/data/picture"
)

// A compressed file that gzip itself calls damaged is an error, for its checksum, its length or its
// end.
func TestGzipIsChecked(t *testing.T) {
	rows := "a,label\n"
	for i := range 300 {
		rows += fmt.Sprintf("%d,%d\n", i, i%2)
	}
	const trailer = 8 // CRC-32 and length
	images := picture.IDXFiles()[0] + ".gz"
	for name, text := range map[string][]byte{"a.csv.gz": []byte(rows),
		images: idx([]byte("abcdefghijklmnopqrstuvwx"), 4, 2, 3)} {
		whole := gzipped(t, text)
		at := len(whole) - trailer
		for what, b := range map[string][]byte{
			"": whole, "checksum": changed(whole, at), "length": changed(whole, len(whole)-1),
			"no trailer": whole[:at], "half a trailer": whole[:at+4], "cut": whole[:at-9],
			"more behind": append(bytes.Clone(whole), "more"...),
		} {
			t.Run(name+" "+what, func(t *testing.T) {
				dir := t.TempDir()
				set := "csv:" + filepath.Join(dir, name)
				if name == images {
					set = "idx:" + dir
					writeIDX(t, dir, map[string][]byte{images: b})
				} else if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
					t.Fatal(err)
				}
				if _, err := Open(set, data.Options{}); (err == nil) != (what == "") {
					t.Error(err)
				}
			})
		}
	}
}

// changed returns a copy of b with a bit of one byte flipped.
func changed(b []byte, at int) []byte {
	b = bytes.Clone(b)
	b[at] ^= 1
	return b
}
