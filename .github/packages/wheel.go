//go:build ignore

// Wheel writes the wheel of one platform: the wheel of the client for Python, as
// .github/packages/client builds it, with the program added. The bytes of the wheel depend only on
// the flags, the content of the two, and the version of Go.
//
//	go run .github/packages/wheel.go -client WHEEL -target linux/amd64 -binary FILE -into FOLDER
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
	"path/filepath"
	"strings"
	"time"
)

// pure ends the name of the wheel of the client.
const pure = "-py3-none-any.whl"

// platforms maps a target to the tags of the systems on which its static binary runs.
var platforms = map[string]string{
	"linux/amd64":   "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
	"linux/arm64":   "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
	"darwin/amd64":  "macosx_12_0_x86_64",
	"darwin/arm64":  "macosx_12_0_arm64",
	"windows/amd64": "win_amd64",
}

func main() {
	log.SetFlags(0)
	client := flag.String("client", "", "the wheel of the client")
	target := flag.String("target", "", "GOOS/GOARCH")
	binary := flag.String("binary", "", "the program")
	into := flag.String("into", ".", "the folder of the wheel")
	flag.Parse()
	name, err := write(*client, *target, *binary, *into)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(name)
}

// write writes the wheel and returns its path.
func write(client, target, binary, into string) (string, error) {
	tags, ok := platforms[target]
	if !ok {
		return "", fmt.Errorf("no wheel for the target %q", target)
	}
	version, ok := strings.CutSuffix(filepath.Base(client), pure)
	version, named := strings.CutPrefix(version, "drolab-")
	if !ok || !named {
		return "", fmt.Errorf("%s is no wheel of the client: expected drolab-VERSION%s", client, pure)
	}
	of, err := zip.OpenReader(client)
	if err != nil {
		return "", err
	}
	defer of.Close()
	w := &wheel{}
	w.zip = zip.NewWriter(&w.out)
	w.zip.RegisterCompressor(zip.Deflate, func(to io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(to, flate.BestCompression)
	})
	info := "drolab-" + version + ".dist-info"
	for _, f := range of.File {
		if f.Name == info+"/WHEEL" || f.Name == info+"/RECORD" {
			continue
		}
		content, err := fs.ReadFile(of, f.Name)
		w.fail(err)
		w.add(f.Name, content, 0o644)
	}
	program := "drolab"
	if strings.HasPrefix(target, "windows/") {
		program += ".exe"
	}
	content, err := os.ReadFile(binary)
	w.fail(err)
	w.add("drolab-"+version+".data/scripts/"+program, content, 0o755)
	text := "Wheel-Version: 1.0\nGenerator: drolab\nRoot-Is-Purelib: false\n"
	for tag := range strings.SplitSeq(tags, ".") {
		text += "Tag: py3-none-" + tag + "\n"
	}
	w.add(info+"/WHEEL", []byte(text), 0o644)
	record := info + "/RECORD"
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
	err    error // all errors, joined
}

func (w *wheel) fail(err error) { w.err = errors.Join(w.err, err) }

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
