package publish

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/dro/peertest"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// rows returns lines of two features, one of them a text, and a label. Some values are missing.
func rows(sep string) string {
	var b strings.Builder
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 80 {
		a := fmt.Sprintf("%.6g", rng.NormFloat64())
		colour := []string{"rouge", "bleu foncé", "?", "<&\">"}[rng.IntN(4)]
		if strings.Contains(colour, `"`) {
			colour = `"` + strings.ReplaceAll(colour, `"`, `""`) + `"`
		}
		if i%7 == 0 {
			a = "NA"
		}
		fmt.Fprintf(&b, "%s%s %s%s%s\n", a, sep, colour, sep, []string{"été", "hiver"}[i%2])
	}
	return b.String()
}

// The Python file reads a table as drolab does, and encodes its rows as training did.
func TestTableInPython(t *testing.T) {
	peertest.Python(t, "numpy", "torch") // else nobody reads the files
	packed := func(text string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write([]byte(text))
		z.Close()
		return b.String()
	}
	encoded := func(in encoding.Encoding, text string) string {
		out, err := in.NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	wide := unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	comma := rows(",")
	all := t.TempDir()
	headed := "a,colour,y\n" + comma
	var args []string
	for _, c := range []struct{ name, file, text, options, other string }{
		{"a header", "t.csv", headed, "label=y", ""},
		{"a byte-order mark and comments", "t.csv",
			"\ufeff# how\n# it was made\n\n" + headed, "label=y", ""},
		{"names twice and none", "t.csv", "a,,a\n" + comma, "label=a.1", ""},
		{"gzip", "t.csv.gz", packed(headed), "label=y", ""},
		{"tabs", "t.tsv", "a\tcolour\ty\n" + strings.ReplaceAll(rows("\t"), "\t ", "\t"),
			"label=y", ""},
		{"semicolons", "t.csv", "a;colour;y\n" + rows(";"), "label=y&sep=semicolon", ""},
		{"no header", "t.csv", comma, "header=none&label=c3", ""},
		{"no header, and a comment of C4.5", "t.csv",
			"|1x3 Cross validator\n" + comma, "header=none&label=c3", ""},
		{"no header, used on a table with one", "t.csv", comma, "header=none&label=c3", headed},
		{"labels that end in a point", "t.csv", strings.ReplaceAll(comma, "\n", ".\n"),
			"header=none&label=c3&label_trim=.", strings.ReplaceAll(headed, "\n", ".\n")},
		{"the commonest categories", "t.csv", headed, "label=y&categories=top:2", ""},
		{"Latin-1", "t.csv", encoded(charmap.ISO8859_1, headed), "label=y&encoding=latin1", ""},
		{"Windows", "t.csv", encoded(charmap.Windows1252, headed), "label=y&encoding=cp1252", ""},
		{"UTF-16", "t.csv", encoded(wide, headed), "label=y&encoding=utf16", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(all, fmt.Sprint(len(args)))
			if err := os.Mkdir(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			file := func(name, text string) string {
				path := filepath.Join(dir, name)
				if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
				return path
			}
			table := file(c.file, c.text)
			settings := small("csv:"+table+"?missing=category&"+c.options, "mlp")
			settings.Activation, settings.Hidden = "tanh", []int{40}
			r := trained(t, settings)
			if !slices.Equal(r.Encoder.Classes, []string{"hiver", "été"}) {
				t.Fatalf("classes %q", r.Encoder.Classes)
			}
			samples(t, r, filepath.Join(dir, "samples.csv"))
			write(t, r, "python", filepath.Join(dir, "model.py"))
			if c.other != "" {
				table = file("other.csv", c.other)
			}
			args = append(args, filepath.Join(dir, "model.py"), table,
				filepath.Join(dir, "samples.csv"))
		})
	}
	check(t, "torch", append([]string{"table"}, args...)...)
}
