package record

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"path/filepath"
	"strings"

	"drolab/runner"
)

// Names inside a run directory, besides those of the log and its lock, which eventlog has.
const (
	metaName        = "run.json"
	summaryName     = "summary.json"
	checkpointsName = CheckpointsName

	deletedPrefix = ".deleted-"  // begins the names of directories that are being removed
	asidePrefix   = ".replaced-" // of runs that are being replaced; letters and the ID follow
	asideLetters  = 4
)

// ProposeID proposes a name such as shapes-sfk-s1-20261121-091502-x7q3: readable,
// sorted by preset, and different for runs started in the same second.
func ProposeID(m *runner.Meta) string {
	method := presetName(string(m.Spec.Algorithm())) // for an imported run, the name a user chose
	return fmt.Sprintf("%s-%s-s%d-%s-%s", presetName(m.Preset), method, m.Spec.Seed,
		m.Created.UTC().Format("20060102-150405"), strings.ToLower(rand.Text()[:4]))
}

// presetName turns a preset's name, which may be the path of a file, into a valid part of a
// folder's name on every system: [a-z0-9._-], at most 40 characters, starting with a letter or
// digit.
func presetName(preset string) string {
	base := strings.TrimSuffix(filepath.Base(filepath.ToSlash(preset)), ".yaml")
	name := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '.', r == '_', r == '-':
			return r
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, strings.TrimSuffix(base, ".yml"))
	const longest = 40
	return cmp.Or(strings.Trim(name[:min(len(name), longest)], "._-"), "run")
}

// IsRunName reports whether a text from another machine can be the name of a run: the letters that
// ProposeID takes, so that neither a path nor a device nor a sign of a terminal is among them.
func IsRunName(id string) bool {
	if !plainName(id) || len(id) > maxMirrorID {
		return false
	}
	for _, c := range []byte(id) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// plainName reports whether id can be the name of a run directory: neither a path nor the name of a
// hidden file.
func plainName(id string) bool {
	return id != "" && id[0] != '.' && !strings.ContainsAny(id, `/\`+"\x00")
}

// CheckpointsName is the folder of a run's checkpoints, in the run's folder.
const CheckpointsName = "checkpoints"
