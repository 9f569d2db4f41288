package sweep

import (
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"

	"drolab/runner/spec"
)

// namer names the runs of one method. It formats settings that do not vary only once.
type namer struct {
	rows    []spec.Setting // settings that the method reads
	varying map[string]bool
	base    []string // the line of each row
	least   spec.Spec
}

func newNamer(s *spec.Spec, varying ...string) *namer {
	n := &namer{varying: map[string]bool{"seed": true}, least: spec.Defaults()}
	for _, key := range varying {
		n.varying[key] = true
	}
	for _, t := range spec.AllSettings() {
		if t.ReadIn(s) {
			n.rows = append(n.rows, t)
			n.base = append(n.base, n.settingLine(&t, s))
		}
	}
	return n
}

func (n *namer) reads(key string) bool {
	return slices.ContainsFunc(n.rows, func(t spec.Setting) bool { return t.Key == key })
}

// settingLine returns the text of a setting for the hash, empty for a default. A newer program may
// have a new setting that does nothing unless it is set; it still knows the runs of the older
// program.
func (n *namer) settingLine(t *spec.Setting, s *spec.Spec) string {
	text := t.Text(s)
	if text == t.Text(&n.least) {
		return ""
	}
	return t.Key + "=" + text + "\n"
}

// hash returns the name of a resolved Spec: 64 bits of a hash of the settings that its method
// reads.
func (n *namer) hash(s *spec.Spec) string {
	h := sha256.New()
	for i := range n.rows {
		line := n.base[i]
		if n.varying[n.rows[i].Key] {
			line = n.settingLine(&n.rows[i], s)
		}
		io.WriteString(h, line)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// id returns the ID of a run: readable words and the hash.
func (n *namer) id(sweep string, s *spec.Spec) string {
	return fmt.Sprintf("%s-%s-s%d-%s", folderName(sweep), s.Algorithm(), s.Seed, n.hash(s))
}

// folderName makes the name of a file fit for the name of a folder.
func folderName(name string) string {
	name = strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '-'
	}, strings.ToLower(name))
	const longest = 32
	if name = strings.Trim(name[:min(len(name), longest)], "_-"); name == "" {
		return "sweep"
	}
	return name
}
