package source

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drolab/runner/data"
)

// archived returns an archive of files with the same content.
func archived(t *testing.T, content string, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		w, err := z.Create(name)
		if err == nil && !strings.HasSuffix(name, "/") {
			_, err = w.Write([]byte(content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A table is read through every kind of compression, or refused by the name of the kind.
func TestPackedTables(t *testing.T) {
	text := "x,label\n"
	for i := range 20 {
		text += fmt.Sprintf("%d,%d\n", i, i%2)
	}
	packed := map[string][]byte{}
	for _, kind := range []string{"bz2", "zst"} {
		b, err := os.ReadFile(filepath.Join(ofTests, "packed.csv."+kind))
		if err != nil {
			t.Fatal(err)
		}
		packed[kind] = b
	}
	plain := opened(t, write(t, text), data.Options{}).Checksum
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"a.csv.gz":      {gzipped(t, []byte(text)), ""},
		"a.csv.bz2":     {packed["bz2"], ""},
		"a.csv.zst":     {packed["zst"], ""},
		"a.csv.zip":     {archived(t, text, "a/", "a/a.csv"), ""},
		"two.csv.zip":   {archived(t, text, "a.csv", "b.csv"), "the archive has 2 files"},
		"a.csv.xz":      {[]byte("\xfd7zXZ"), "cannot read .xz: unpack it with xz -d"},
		"not.csv.zip":   {[]byte(text), "not a valid zip file"},
		"cut.csv.zst":   {packed["zst"][:20], "unexpected EOF"},
		"wrong.csv.bz2": {[]byte(text), "bzip2 data invalid"},
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, c.file, 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := Open(path, data.Options{})
		switch {
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %s", name, err, c.want)
		case c.want == "" && err != nil:
			t.Errorf("%s: %v, want no error", name, err)
		case c.want == "":
			if d.Checksum != plain {
				t.Errorf("%s is another table", name)
			}
			d.Close()
		}
	}
}
