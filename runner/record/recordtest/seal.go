package recordtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"drolab/runner/disk"
	"drolab/runner/eventlog"
	"drolab/runner/record/recordtest/eventtest"
)

// Reseal seals all files of the runs and sweeps below a folder whose content a test has changed, as
// somebody would who forges a run.
func Reseal(t testing.TB, root string) {
	t.Helper()
	eventtest.Must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch filepath.Base(path) {
		case "run.json":
			resealRun(t, filepath.Dir(path))
		case "sweep.json":
			resealSweep(t, filepath.Dir(path))
		}
		return err
	}))
}

func resealSweep(t testing.TB, dir string) {
	var of disk.Owner
	owned := func(fields map[string]json.RawMessage) disk.Seal {
		if of.ID == "" {
			eventtest.Must(t, json.Unmarshal(fields["sweep"], &of.ID))
		}
		return disk.Seal{Owner: of}
	}
	rewrite(t, filepath.Join(dir, "sweep.json"), owned)
	own, err := filepath.Glob(filepath.Join(dir, ".sweep", "*.json"))
	eventtest.Must(t, err)
	for _, path := range own {
		rewrite(t, path, owned)
	}
}

func resealRun(t testing.TB, dir string) {
	t.Helper()
	var of disk.Owner
	rewrite(t, filepath.Join(dir, "run.json"), func(fields map[string]json.RawMessage) disk.Seal {
		eventtest.Must(t, json.Unmarshal(fields["id"], &of.ID))
		return disk.Seal{}
	})
	text, err := os.ReadFile(filepath.Join(dir, "run.json"))
	eventtest.Must(t, err)
	of.Made = fmt.Sprintf("%x", sha256.Sum256(text))
	extents := relog(t, filepath.Join(dir, "events.jsonl"), of)
	others, err := filepath.Glob(filepath.Join(dir, "checkpoints", "*.json"))
	eventtest.Must(t, err)
	for _, path := range append(others, filepath.Join(dir, "summary.json")) {
		rewrite(t, path, func(fields map[string]json.RawMessage) disk.Seal {
			var s disk.Seal
			if seal := fields["seal"]; seal != nil {
				eventtest.Must(t, json.Unmarshal(seal, &s))
			} else { // a file that a test has written anew
				s.Log = &disk.Extent{Seq: slices.Max(slices.Collect(maps.Keys(extents)))}
			}
			s.Owner = of
			if at, ok := extents[s.Log.Seq]; ok {
				s.Log = &at
			}
			return s
		})
	}
	rewrite(t, filepath.Join(dir, "label.json"), func(map[string]json.RawMessage) disk.Seal {
		return disk.Seal{Owner: disk.Owner{ID: of.ID}}
	})
}

// rewrite writes a JSON file again, if it exists, with the seal that is made from its fields.
func rewrite(t testing.TB, path string, seal func(map[string]json.RawMessage) disk.Seal) {
	t.Helper()
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return
	}
	eventtest.Must(t, err)
	fields := map[string]json.RawMessage{}
	eventtest.Must(t, json.Unmarshal(text, &fields))
	s := seal(fields)
	delete(fields, "seal")
	text, err = s.JSON(fields)
	eventtest.Must(t, err)
	eventtest.Must(t, os.WriteFile(path, text, 0o600))
}

// relog seals the lines of a log, and returns where each event ends.
func relog(t testing.TB, path string, of disk.Owner) map[int64]disk.Extent {
	t.Helper()
	text, err := os.ReadFile(path)
	eventtest.Must(t, err)
	log, sum, extents := []byte(nil), sha256.New(), map[int64]disk.Extent{}
	put := func(line []byte) { log = append(log, line...); sum.Write(line) }
	put(eventlog.HeadLine(of))
	for line := range bytes.Lines(text) {
		fields := map[string]json.RawMessage{}
		_ = json.Unmarshal(line, &fields) // a line that is no JSON stays as it is
		var seq int64
		_ = json.Unmarshal(fields["seq"], &seq)
		bare := bytes.TrimSuffix(bytes.Clone(line), []byte("\n"))
		if _, err := disk.UnsealLine(bare); err != nil && len(fields) > 0 {
			delete(fields, "crc")
			line = append(disk.SealLine(asJSON(t, fields)), '\n')
		}
		if seq == 0 && len(fields) > 0 { // the first line
			continue
		}
		put(line)
		extents[seq] = disk.Extent{Seq: seq, Bytes: int64(len(log)),
			SHA256: hex.EncodeToString(sum.Sum(nil))}
	}
	eventtest.Must(t, os.WriteFile(path, log, 0o600))
	return extents
}
