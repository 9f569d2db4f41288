//go:build ignore

// Wheel writes the wheel of one platform: the program, and beside it the client for Python. The
// bytes of the wheel depend only on the flags, the files, and the version of Go.
//
//	go run .github/packages/wheel.go -version V -target linux/amd64 -binary FILE -into FOLDER
//
// It is run in the root of the tree. On Windows, where programs cannot be trained, a wheel has the
// program alone.
package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// platforms maps a target to the tags of the systems on which its static binary runs.
var platforms = map[string]string{
	"linux/amd64":   "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
	"linux/arm64":   "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
	"darwin/amd64":  "macosx_12_0_x86_64",
	"darwin/arm64":  "macosx_12_0_arm64",
	"windows/amd64": "win_amd64",
}

// source is the folder of the client in the tree.
const source = "runner/bridge/python"

const metadata = `Metadata-Version: 2.1
Name: drolab
Version: %s
Summary: A terminal lab for distributionally robust training
License: Apache-2.0
Requires-Python: >=3.9
Requires-Dist: numpy>=1.22
Provides-Extra: torch
Requires-Dist: torch>=2.0; extra == "torch"
Description-Content-Type: text/markdown

`

func main() {
	log.SetFlags(0)
	version := flag.String("version", "", "the version, as PEP 440 writes it")
	target := flag.String("target", "", "GOOS/GOARCH")
	binary := flag.String("binary", "", "the program")
	into := flag.String("into", ".", "the folder of the wheel")
	flag.Parse()
	name, err := write(*version, *target, *binary, *into)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(name)
}

// write writes the wheel and returns its path.
func write(version, target, binary, into string) (string, error) {
	tags, ok := platforms[target]
	if !ok || version == "" {
		return "", fmt.Errorf("no wheel for the target %q and the version %q", target, version)
	}
	w := &wheel{info: "drolab-" + version + ".dist-info"}
	w.zip = zip.NewWriter(&w.out)
	w.zip.RegisterCompressor(zip.Deflate, func(to io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(to, flate.BestCompression)
	})
	windows := strings.HasPrefix(target, "windows/")
	if !windows {
		w.client(version)
	}
	program := "drolab"
	if windows {
		program += ".exe"
	}
	w.file("drolab-"+version+".data/scripts/"+program, binary, 0o755)
	readme, err := os.ReadFile("README.md")
	w.fail(err)
	w.add(w.info+"/METADATA", append(fmt.Appendf(nil, metadata, version), readme...), 0o644)
	text := "Wheel-Version: 1.0\nGenerator: drolab\nRoot-Is-Purelib: false\n"
	for tag := range strings.SplitSeq(tags, ".") {
		text += "Tag: py3-none-" + tag + "\n"
	}
	w.add(w.info+"/WHEEL", []byte(text), 0o644)
	w.file(w.info+"/licenses/LICENSE", "LICENSE", 0o644)
	record := w.info + "/RECORD"
	w.add(record, []byte(w.record.String()+record+",,\n"), 0o644)
	w.fail(w.zip.Close())
	if w.err != nil {
		return "", w.err
	}
	to := filepath.Join(into, "drolab-"+version+"-py3-none-"+tags+".whl")
	return to, os.WriteFile(to, w.out.Bytes(), 0o644)
}

// A wheel is a zip with a list of its files and their checksums.
type wheel struct {
	zip    *zip.Writer
	out    bytes.Buffer
	record strings.Builder
	info   string // the folder of the wheel's metadata
	err    error  // all errors, joined
}

func (w *wheel) fail(err error) { w.err = errors.Join(w.err, err) }

// client adds the modules of the client, and a module with the version.
func (w *wheel) client(version string) {
	var files []string
	root := filepath.Join(source, "drolab")
	w.fail(filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if ext := path.Ext(p); err == nil && !d.IsDir() && (ext == ".py" || ext == ".typed") {
			files = append(files, p)
		}
		return err
	}))
	slices.Sort(files)
	for _, p := range files {
		inside, err := filepath.Rel(source, p)
		w.fail(err)
		w.file(filepath.ToSlash(inside), p, 0o644)
	}
	w.add("drolab/_version.py", fmt.Appendf(nil, "__version__ = %q\n", version), 0o644)
}

func (w *wheel) file(name, from string, mode fs.FileMode) {
	content, err := os.ReadFile(from)
	w.fail(err)
	w.add(name, content, mode)
}

func (w *wheel) add(name string, content []byte, mode fs.FileMode) {
	h := &zip.FileHeader{Name: name, Method: zip.Deflate,
		Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
	h.SetMode(mode)
	to, err := w.zip.CreateHeader(h)
	if err == nil {
		_, err = to.Write(content)
	}
	w.fail(err)
	sum := sha256.Sum256(content)
	fmt.Fprintf(&w.record, "%s,sha256=%s,%d\n", name,
		base64.RawURLEncoding.EncodeToString(sum[:]), len(content))
}
