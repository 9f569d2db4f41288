package run

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// noteHome prints what notKept returns, unless that is "".
func (tr *Trainer) noteHome() {
	if note := tr.notKept(); note != "" {
		tr.Note(note)
	}
}

// notKept says in one line what is not kept because the user's folders for what drolab keeps beside
// runs cannot be written, as in a container or on a node without the home. Runs go on without them,
// and nothing is kept elsewhere in their place. It is "" where all is kept.
func (tr *Trainer) notKept() string {
	var lost []string
	var why error
	for _, kept := range [][2]string{
		{tr.Views, "how you look at runs"},
		{tr.Catalogues, "the catalogue of finished runs"},
		{tr.Programs, "approvals of programs"},
	} {
		if err := tryWriting(kept[0]); kept[0] != "" && err != nil {
			lost, why = append(lost, kept[1]), err
		}
	}
	if len(lost) == 0 {
		return ""
	}
	return fmt.Sprintf("not kept: %s (%v): set XDG_STATE_HOME and XDG_CACHE_HOME to folders that "+
		"you can write to", strings.Join(lost, ", "), why)
}

// tryWriting returns why a folder cannot be written, or made. It leaves nothing behind.
func tryWriting(dir string) error {
	for {
		info, err := os.Stat(dir)
		parent := filepath.Dir(dir)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("%s is not a folder", dir)
		}
		if err == nil || parent == dir {
			break
		}
		dir = parent
	}
	made, err := os.MkdirTemp(dir, ".drolab-")
	if err != nil {
		return err
	}
	return os.Remove(made)
}
