package record

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/record/internal/disk"
	"drolab/runner/record/internal/eventlog"
)

// A packed run is the run directory of a finished run in one small file: a gzipped tar that can be
// unpacked into a run directory again. It holds run.json and summary.json as they are, and the log.
// This log has all evaluations and fewer steps, and neither checkpoints nor what a resume has
// discarded (packedlog.go). A packed run is read like any run, but has no checkpoint to continue
// from.

// PackedExt is the extension of the names of packed runs.
const PackedExt = ".tar.gz"

// maxPacked bounds the unpacked size of a packed run, in bytes: a hundred evaluations of ten
// thousand classes are about 60 MiB.
const maxPacked = 256 << 20

// Pack writes a finished run in its packed form. The same run gives the same bytes. A run that is
// not done is an error.
func Pack(w io.Writer, r *Run) error {
	if r.status != runner.Done {
		return fmt.Errorf("run %s is %s: only a run that is done can be packed",
			r.Meta.ID, r.status)
	}
	log, err := packLog(r.Tail())
	if err != nil {
		return fmt.Errorf("run %s: %w", r.Meta.ID, err)
	}
	summary := *r.Summary()
	summary.Dir = ""
	meta, err := json.Marshal(&r.Meta)
	if err != nil {
		return err
	}
	came, err := json.Marshal(&summary)
	if err != nil {
		return err
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for _, f := range []struct {
		name string
		text []byte
	}{{metaName, meta}, {summaryName, came}, {logName, log}} {
		// The time is that of the run, so that the bytes do not depend on when it was packed.
		h := &tar.Header{
			Name:    r.Meta.ID + "/" + f.name,
			Size:    int64(len(f.text)),
			Mode:    int64(disk.FileMode),
			ModTime: r.Meta.Created.UTC().Truncate(time.Second),
			Format:  tar.FormatPAX,
		}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(f.text); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), z.Close())
}

// Unpack reads a packed run. dir becomes the Dir of the run, and begins the text of errors.
func Unpack(dir string, packed []byte) (*Run, error) {
	r := &Run{Dir: dir, packed: packed, summary: &runner.Summary{}, passed: &eventlog.PassedOver{}}
	id, texts, err := packedFiles(packed, metaName, summaryName)
	for i, to := range []any{&r.Meta, r.summary} {
		if err == nil {
			err = json.Unmarshal(texts[i], to)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	r.Meta.ID = id
	if len(r.Meta.Spec.Algorithms) != 1 || r.summary.Status != runner.Done ||
		!plainName(r.Meta.ID) {
		return nil, fmt.Errorf("%s: is not a packed run of one algorithm that is done", dir)
	}
	r.status = r.summary.Status
	r.came(r.summary)
	return r, nil
}

// ReadPacked reads a packed run from its file.
func ReadPacked(path string) (*Run, error) {
	f, size, err := disk.OpenRegular(path)
	if err != nil {
		return nil, fmt.Errorf("packed run %s: %w", path, err)
	}
	defer f.Close()
	if size > maxPacked {
		return nil, fmt.Errorf("%s: %d bytes, want at most %d", path, size, maxPacked)
	}
	b := make([]byte, size)
	if _, err := io.ReadFull(io.NewSectionReader(f, 0, size), b); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := whole(b); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return Unpack(path, b)
}

// whole reads a packed run to its end, which holds the checksum of gzip.
func whole(packed []byte) error {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	n, err := io.Copy(io.Discard, io.LimitReader(z, maxPacked+1))
	if err == nil && n > maxPacked {
		err = fmt.Errorf("holds more than %d bytes", maxPacked)
	}
	return err
}

// packedFiles reads the named files of a packed run, in that order, and returns the run's ID. It
// skips unknown files behind the second one: a newer program may write more.
func packedFiles(packed []byte, names ...string) (id string, texts [][]byte, err error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return "", nil, err
	}
	t := tar.NewReader(io.LimitReader(z, maxPacked))
	for len(texts) < len(names) {
		name := names[len(texts)]
		h, err := t.Next()
		if err != nil {
			return "", nil, fmt.Errorf("%s: %w", name, err)
		}
		of, file, _ := strings.Cut(h.Name, "/")
		if file != name || h.Typeflag != tar.TypeReg {
			if len(texts) < 2 {
				return "", nil, fmt.Errorf("%s: %.60q is in its place", name, h.Name)
			}
			continue
		}
		text, err := io.ReadAll(t)
		if err != nil {
			return "", nil, fmt.Errorf("%s: %w", name, err)
		}
		id, texts = of, append(texts, text)
	}
	return id, texts, nil
}

// packedLog is the log of a packed run, unpacked at the first read.
type packedLog struct {
	*bytes.Reader
	packed []byte
}

// Close implements eventlog.LogFile: there is nothing to close.
func (*packedLog) Close() error { return nil }

func (l *packedLog) open() (eventlog.LogFile, int64, error) {
	if l.Reader != nil {
		return l, l.Size(), nil
	}
	_, texts, err := packedFiles(l.packed, metaName, summaryName, logName)
	if err != nil {
		return nil, 0, fmt.Errorf("packed run: %w", err)
	}
	l.Reader = bytes.NewReader(texts[2])
	return l, l.Size(), nil
}
