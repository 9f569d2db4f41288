package record

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/eventlog"
	"drolab/runner/internal/atomicfile"
)

// A packed run is the run directory of a finished run in one small file: a gzipped tar that can be
// unpacked into a run directory again (Store.Restore). It holds run.json, which also has the claims
// of studies that took the run over, summary.json, the log and at most one checkpoint. This log has
// all evaluations and fewer steps, and not what a resume has discarded. A packed run is read like
// any run. To continue from its checkpoint, restore it.

// PackedExt is the extension of the names of packed runs.
const PackedExt = ".tar.gz"

// maxPacked bounds the unpacked size of a packed run, in bytes: a hundred evaluations of ten
// thousand classes are about 60 MiB.
const maxPacked = 256 << 20

// Pack writes a finished run in its packed form, with the checkpoint of a step unless that is 0. A
// run gives the same bytes each time. A run that is not done is an error.
func Pack(w io.Writer, r *Run, checkpoint int64) error {
	if r.status != runner.Done {
		return fmt.Errorf("run %s is %s: only a run that is done can be packed",
			r.Meta.ID, r.status)
	}
	names, files, err := packedFilesOf(r, checkpoint)
	if err != nil {
		return fmt.Errorf("run %s: %w", r.Meta.ID, err)
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for i, name := range names {
		// The time is that of the run, so that the bytes do not depend on when it was packed.
		h := &tar.Header{
			Name:    r.Meta.ID + "/" + name,
			Size:    int64(len(files[i])),
			Mode:    int64(disk.FileMode),
			ModTime: r.Meta.Created.UTC().Truncate(time.Second),
			Format:  tar.FormatPAX,
		}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(files[i]); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), z.Close())
}

// packedNames lists the files of a packed run, in their order.
func packedNames() []string { return []string{metaName, summaryName, eventlog.LogName} }

// packedFilesOf returns the names and the texts of these files, and behind them the two of a
// checkpoint. The log is a shorter one, which the summary and the checkpoint go with; the summary
// names the hash of the run's own.
func packedFilesOf(r *Run, checkpoint int64) (names []string, files [][]byte, err error) {
	was, err := r.logHash()
	if err != nil {
		return nil, nil, err
	}
	made := r.Meta
	if made.Claims, err = r.Claims(); err != nil {
		return nil, nil, err
	}
	meta, err := disk.Seal{}.JSON(&made)
	if err != nil {
		return nil, nil, err
	}
	of := ownerOf(r.Meta.ID, meta)
	log, at, before, err := packLog(of, r.Tail(), checkpoint)
	if err != nil {
		return nil, nil, err
	}
	at.Was = was
	summary := *r.Summary()
	summary.Dir = ""
	sealed, err := disk.Seal{Owner: of, Log: &at}.JSON(&summary)
	names, files = packedNames(), [][]byte{meta, sealed, log}
	if err != nil || checkpoint == 0 {
		return names, files, err
	}
	two, err := packCheckpoint(of, r, checkpoint, before)
	if err != nil {
		return nil, nil, err
	}
	return append(names, packedCheckpoint(checkpoint)...), append(files, two...), nil
}

// packedCheckpoint names the files of a packed checkpoint.
func packedCheckpoint(step int64) []string {
	return []string{checkpointFile(step), checkpointsName + "/" + tensorsName(step)}
}

// packCheckpoint returns the texts of the files of a checkpoint that goes with a packed log.
func packCheckpoint(of disk.Owner, r *Run, step int64, at disk.Extent) (files [][]byte, err error) {
	s, err := r.load(step)
	if err != nil {
		return nil, err
	}
	if s.Opaque != nil {
		return nil, errors.New("what a program saved is not packed")
	}
	dir, err := os.MkdirTemp("", "drolab-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	f, err := disk.OpenFolder(nil, dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	f.Owner = of
	err = writeCheckpoint(f, s.State, eventlog.Position{Extent: at, Knobs: s.At.Knobs})
	for _, name := range packedCheckpoint(step) {
		text, wrong := os.ReadFile(filepath.Join(dir, path.Base(name)))
		files, err = append(files, text), errors.Join(err, wrong)
	}
	return files, err
}

// Restore writes a packed run as a run directory of its own name, with the checkpoint that it
// holds, and returns the checkpoint's step, 0 for none. A run that is there already stays as it is.
func (s *Store) Restore(r *Run) (step int64, err error) {
	if r.packed == nil {
		return 0, fmt.Errorf("run %s is not packed", r.Meta.ID)
	}
	id, names, texts, err := packedFiles(r.packed.text, 5)
	if err != nil {
		return 0, err
	}
	if len(names) > 3 {
		fmt.Sscanf(path.Base(names[3]), "step-%d", &step)
	}
	return step, s.addFolder(id, func(half *disk.Folder) error {
		err := errors.Join(half.Mkdir(id, disk.FolderMode),
			half.Mkdir(path.Join(id, checkpointsName), disk.FolderMode))
		for i, name := range names {
			in, wrong := half.Within(path.Join(id, path.Dir(name)))
			if err = errors.Join(err, wrong); err != nil {
				return err
			}
			err = errors.Join(in.Write(path.Base(name),
				atomicfile.Copying(bytes.NewReader(texts[i]))),
				in.Close())
		}
		return err
	})
}

// logHash verifies the run and returns the hash of its log, as it was before any packing.
func (r *Run) logHash() (string, error) {
	if r.packed != nil {
		return r.packed.log.Was, r.Verify()
	}
	a, err := r.audit()
	if err != nil {
		return "", err
	}
	return a.SHA256, nil
}

// packedRun is the text of a packed run.
type packedRun struct {
	path string // for messages
	text []byte
	log  disk.Extent
}

// Unpack reads a packed run. dir becomes the Dir of the run, and begins the text of errors.
func Unpack(dir string, packed []byte) (*Run, error) {
	r := &Run{Dir: dir, summary: &runner.Summary{}, passed: &eventlog.PassedOver{}}
	id, _, texts, err := packedFiles(packed, 2)
	if err == nil {
		err = r.unpack(id, packed, texts[0], texts[1])
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	r.status = r.summary.Status
	r.setSummary(r.summary)
	return r, nil
}

func (r *Run) unpack(id string, packed, meta, summary []byte) error {
	m, of, err := decodeMeta(meta)
	if err != nil {
		return fmt.Errorf("%s %w", metaName, err)
	}
	s, err := of.Decode(summary, r.summary)
	switch {
	case err != nil:
		return fmt.Errorf("%s %w", summaryName, err)
	case m.ID != id || !plainName(id) || r.summary.Status != runner.Done || s.Log == nil:
		return errors.New("is not a packed run that is done")
	}
	r.Meta, r.packed = *m, &packedRun{r.Dir, packed, *s.Log}
	return nil
}

// ReadPacked reads a packed run from its file.
func ReadPacked(path string) (*Run, error) {
	f, size, err := disk.OpenRegular(path)
	if err != nil {
		return nil, fmt.Errorf("packed run %s: %w", path, err)
	}
	defer f.Close()
	if size > maxPacked {
		return nil, fmt.Errorf("%s: %d bytes, expected at most %d", path, size, maxPacked)
	}
	b := make([]byte, size)
	if _, err := io.ReadFull(io.NewSectionReader(f, 0, size), b); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r, err := Unpack(path, b)
	if err == nil {
		err = r.Verify()
	}
	return r, err
}

// packedFiles reads the first n files of a packed run, fewer where no more are there behind the
// log, and returns the run's ID and the names of the files.
func packedFiles(packed []byte, n int) (id string, names []string, texts [][]byte, err error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return "", nil, nil, err
	}
	t, want := tar.NewReader(io.LimitReader(z, maxPacked)), packedNames()
	for i := range n {
		h, err := t.Next()
		if err == io.EOF && i == len(packedNames()) {
			break
		}
		if err != nil {
			return "", nil, nil, fmt.Errorf("file %d: %w", i+1, err)
		}
		of, file, _ := strings.Cut(h.Name, "/")
		if i == len(want) {
			var step int64
			fmt.Sscanf(path.Base(file), "step-%d.json", &step)
			want = append(want, packedCheckpoint(step)...)
		}
		if file != want[i] || h.Typeflag != tar.TypeReg || id != "" && of != id {
			return "", nil, nil, fmt.Errorf("%s: %.60q is in its place", want[i], h.Name)
		}
		text, err := io.ReadAll(t)
		if err != nil {
			return "", nil, nil, fmt.Errorf("%s: %w", file, err)
		}
		id, names, texts = of, append(names, file), append(texts, text)
	}
	return id, names, texts, nil
}
