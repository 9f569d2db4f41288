package record

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode"

	"drolab/runner/disk"
)

// labelName is the file of a run that people write. Training never reads it.
const labelName = "label.json"

// Label is what people say of a run. It does not affect the run.
type Label struct {
	Note     string   `json:"note,omitempty"` // one line, at most maxNote bytes
	Tags     []string `json:"tags,omitempty"` // sorted; at most maxTags words of maxTag bytes
	Archived bool     `json:"archived,omitempty"`
}

// Bounds of a label.
const (
	maxNote = 1000
	maxTag  = 40
	maxTags = 20
)

// Check returns an error that says what is wrong with a label.
func (l *Label) Check() error {
	switch {
	case len(l.Note) > maxNote:
		return fmt.Errorf("the note has %d bytes: expected at most %d", len(l.Note), maxNote)
	case strings.ContainsFunc(l.Note, unicode.IsControl):
		return errors.New("the note has control characters: expected one line of text")
	case len(l.Tags) > maxTags:
		return fmt.Errorf("%d tags: expected at most %d", len(l.Tags), maxTags)
	}
	for _, t := range l.Tags {
		if t == "" || len(t) > maxTag || strings.ContainsFunc(t, noTag) {
			return fmt.Errorf("tag %.60q: "+
				"expected a word of letters, digits, - _ . and at most %d bytes", t, maxTag)
		}
	}
	return nil
}

func noTag(c rune) bool {
	return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("-_.", c)
}

// EditTags adds tags, and removes those that are written with a minus before them.
func (l *Label) EditTags(tags []string) {
	l.Tags = slices.Clone(l.Tags)
	for _, t := range tags {
		if gone, ok := strings.CutPrefix(t, "-"); ok {
			l.Tags = slices.DeleteFunc(l.Tags, func(t string) bool { return t == gone })
		} else if !slices.Contains(l.Tags, t) {
			l.Tags = append(l.Tags, t)
		}
	}
	slices.Sort(l.Tags)
}

// LabelEdit changes a label, on this machine or on another one.
type LabelEdit struct {
	Note     *string  `json:"note,omitempty"`     // nil leaves it as it is
	Tags     []string `json:"tags,omitempty"`     // as EditTags takes them
	Archived *bool    `json:"archived,omitempty"` // nil leaves it as it is
}

// Apply changes a label.
func (e LabelEdit) Apply(l *Label) {
	if e.Note != nil {
		l.Note = *e.Note
	}
	if len(e.Tags) > 0 {
		l.EditTags(e.Tags)
	}
	if e.Archived != nil {
		l.Archived = *e.Archived
	}
}

// String returns the label on one line: the note, the tags, and whether the run is archived. It is
// "" for an empty label.
func (l Label) String() string {
	var words []string
	if l.Note != "" {
		words = append(words, l.Note)
	}
	if len(l.Tags) > 0 {
		words = append(words, "tags "+strings.Join(l.Tags, " "))
	}
	if l.Archived {
		words = append(words, "archived")
	}
	return strings.Join(words, "; ")
}

// Label returns the run's label as it was when the run was read.
func (r *Run) Label() Label { return r.label }

// Relabel changes the run's label. Others may record the run or change its label at the same time.
func (r *Run) Relabel(change func(*Label)) error {
	return r.alone(func(in *disk.Folder) error {
		l, err := readLabel(in)
		if err != nil {
			return err
		}
		change(&l)
		if err := l.Check(); err != nil {
			return fmt.Errorf("run %s: %w", r.Meta.ID, err)
		}
		return disk.Explain(ownedByID(in).WriteSealed(labelName, &l, nil), in.Path)
	})
}

// alone changes a file of the run that its recorder does not write. It holds the lock that pins use
// meanwhile, so that no other process changes such a file.
func (r *Run) alone(change func(in *disk.Folder) error) error {
	in, err := r.folder()
	if err != nil {
		return err
	}
	defer in.Close()
	if folder, err := in.Within(checkpointsName); err == nil {
		defer folder.Close()
		lock, err := folder.Await(pinLockName, false)
		if err != nil {
			return err
		}
		defer lock.Release()
	}
	return change(in)
}

// ownedByID returns the folder for files that say the run's ID alone.
func ownedByID(in *disk.Folder) *disk.Folder {
	f := *in
	f.Made = ""
	return &f
}

// readLabel returns an empty label where there is none.
func readLabel(in *disk.Folder) (l Label, err error) {
	err = ownedByID(in).ReadJSON(labelName, &l)
	if errors.Is(err, fs.ErrNotExist) {
		return Label{}, nil
	}
	if err == nil {
		err = l.Check() // it may come from anybody
	}
	if err != nil {
		return Label{}, err
	}
	return l, nil
}
