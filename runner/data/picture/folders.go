package picture

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"drolab/runner/data"
)

// endings returns the endings of the names of pictures that can be read.
func endings() []string {
	return []string{".bmp", ".gif", ".jfif", ".jpe", ".jpeg", ".jpg", ".png", ".tif", ".tiff",
		".webp"}
}

// hasEnding reports whether the name of a file ends as that of a picture.
func hasEnding(name string) bool {
	return slices.Contains(endings(), strings.ToLower(path.Ext(name)))
}

var errNoPictures = fmt.Errorf("holds no pictures (%s) in folders that name their classes, and no "+
	"metadata.csv", strings.Join(endings(), ", "))

// readFolders takes every picture in the folder of a class, or in folders below it: DIR/cat/1.png,
// DIR/cat/young/1.png or, where folders name the splits, DIR/train/cat/1.png. It notes what it
// leaves out.
func (s *pictureSet) readFolders() error {
	w := &walk{root: s.Path, left: map[string]*skipCount{}}
	if err := w.enter("", func(entries []entry) error { return w.top(entries) }); err != nil {
		return err
	}
	if len(w.found) == 0 {
		return errNoPictures
	}
	if err := w.lostClass(); err != nil {
		return err
	}
	label, split := newCodedColumn("label", 0), newCodedColumn("split", 0)
	for i, p := range w.found {
		s.files = append(s.files, p.file)
		err := label.add(p.class, i)
		if err == nil && p.part != "" {
			err = split.add(p.part, i)
		}
		if err != nil {
			return err
		}
	}
	s.own.Label = label.factor()
	if w.found[0].part != "" {
		s.split = split.factor()
	}
	s.notes = w.notes()
	return nil
}

// walk goes through the folders of pictures.
type walk struct {
	root  string
	found []foundPicture
	left  map[string]*skipCount // by the reason
	// inside are the folders from the root to the present one.
	inside []fs.FileInfo
	// folders are those of classes, by the class and the split.
	folders []classFolder
}

// foundPicture is a picture in the folder of a class.
type foundPicture struct{ file, class, part string }

// classFolder counts the files below a folder of a class.
type classFolder struct {
	path          string
	pictures, all int
	endings       map[string]int // of the files that are left out
}

// skipCount counts what is left out for one reason.
type skipCount struct {
	count   int
	first   string
	endings map[string]int // of files, where endings are the reason
}

// entry is a file or a folder. A link is what it leads to.
type entry struct {
	path string // below the root
	name string
	info fs.FileInfo
}

// The reasons for which files and folders are left out.
const (
	otherEnding = "since the name does not end as that of a picture"
	hidden      = "since the name begins with a point"
	foreignLink = "since it is a link of another user"
	deadLink    = "since it is a link that leads nowhere"
	circle      = "since it is a link to a folder that it lies in"
	special     = "since it is neither a file nor a folder"
	noClass     = "since it lies outside the folder of a class"
	besideSplit = "since it lies beside the folders of the splits"
)

// leave counts a file or a folder that is left out.
func (w *walk) leave(reason, file string) {
	l := w.left[reason]
	if l == nil {
		l = &skipCount{first: file, endings: map[string]int{}}
		w.left[reason] = l
	}
	l.count++
	if reason == otherEnding {
		l.endings[strings.ToLower(path.Ext(file))]++
	}
}

// enter calls do with the entries of a folder below the root, in the order of their names.
func (w *walk) enter(folder string, do func([]entry) error) error {
	info, err := os.Stat(filepath.Join(w.root, folder))
	if err != nil {
		return err
	}
	if w.isInside(info) {
		w.leave(circle, folder)
		return nil
	}
	w.inside = append(w.inside, info)
	defer func() { w.inside = w.inside[:len(w.inside)-1] }()
	names, err := os.ReadDir(filepath.Join(w.root, folder))
	if err != nil {
		return err
	}
	var entries []entry
	for _, name := range names {
		e, err := w.entryOf(folder, name)
		if err != nil {
			return err
		}
		if e != nil {
			entries = append(entries, *e)
		}
	}
	return do(entries)
}

// isInside reports whether a folder is the present one or one that leads to it.
func (w *walk) isInside(folder fs.FileInfo) bool {
	return slices.ContainsFunc(w.inside, func(f fs.FileInfo) bool {
		return os.SameFile(f, folder)
	})
}

// entryOf returns an entry of a folder, or nil if it is left out.
func (w *walk) entryOf(folder string, of fs.DirEntry) (*entry, error) {
	e := &entry{path: path.Join(folder, of.Name()), name: of.Name()}
	if err := data.Named(e.name); err != nil {
		return nil, err
	}
	if strings.HasPrefix(e.name, ".") {
		w.leave(hidden, e.path)
		return nil, nil
	}
	link, err := of.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // it has gone meanwhile
	}
	if err != nil {
		return nil, err
	}
	e.info = link
	if link.Mode()&fs.ModeSymlink != 0 {
		if !own(link) {
			w.leave(foreignLink, e.path)
			return nil, nil
		}
		if e.info, err = os.Stat(filepath.Join(w.root, e.path)); err != nil {
			w.leave(deadLink, e.path)
			return nil, nil
		}
	}
	if !e.info.IsDir() && !e.info.Mode().IsRegular() {
		w.leave(special, e.path)
		return nil, nil
	}
	return e, nil
}

// top reads the folder of all pictures: folders of splits, or of classes.
func (w *walk) top(entries []entry) error {
	parted := areSplits(entries)
	if !parted {
		return w.classes(entries, "")
	}
	for _, e := range entries {
		switch {
		case e.info.IsDir() && splitOf(e.name) != "":
			err := w.enter(e.path, func(classes []entry) error {
				return w.classes(classes, e.name)
			})
			if err != nil {
				return err
			}
		case e.info.IsDir():
			if err := w.leaveFiles(e.path, besideSplit); err != nil {
				return err
			}
		default:
			w.leaveFile(e, besideSplit)
		}
	}
	return nil
}

// splitOf returns the split that the name of a folder stands for, or "". A number may be a class.
func splitOf(name string) string {
	if strings.Trim(name, "0123456789") == "" {
		return ""
	}
	return data.SplitOf(name)
}

// areSplits reports whether folders name splits: all of them do, or one is for training and one is
// not.
func areSplits(entries []entry) bool {
	folders, splits := 0, map[string]int{}
	for _, e := range entries {
		if e.info.IsDir() {
			folders++
			splits[splitOf(e.name)]++
		}
	}
	others := splits[""]
	return folders > 0 && others == 0 || splits["train"] > 0 && splits["val"]+splits["test"] > 0
}

// classes reads folders of classes.
func (w *walk) classes(entries []entry, part string) error {
	for _, e := range entries {
		if !e.info.IsDir() {
			w.leaveFile(e, noClass)
			continue
		}
		if w.isInside(e.info) {
			w.leave(circle, e.path)
			continue
		}
		of := classFolder{path: e.path, endings: map[string]int{}}
		if err := w.pictures(e.path, foundPicture{class: e.name, part: part}, &of); err != nil {
			return err
		}
		w.folders = append(w.folders, of)
	}
	return nil
}

// pictures takes the pictures in a folder and below it.
func (w *walk) pictures(folder string, as foundPicture, of *classFolder) error {
	return w.enter(folder, func(entries []entry) error {
		for _, e := range entries {
			if e.info.IsDir() {
				if err := w.pictures(e.path, as, of); err != nil {
					return err
				}
				continue
			}
			of.all++
			if !hasEnding(e.name) {
				w.leave(otherEnding, e.path)
				of.endings[strings.ToLower(path.Ext(e.name))]++
				continue
			}
			of.pictures++
			w.found = append(w.found, foundPicture{e.path, as.class, as.part})
		}
		return nil
	})
}

// leaveFile counts a file that is left out. Only pictures count, since a folder may well hold a
// licence or a list.
func (w *walk) leaveFile(e entry, reason string) {
	if hasEnding(e.name) {
		w.leave(reason, e.path)
	}
}

// leaveFiles counts the pictures below a folder that is left out.
func (w *walk) leaveFiles(folder, reason string) error {
	return w.enter(folder, func(entries []entry) error {
		for _, e := range entries {
			if !e.info.IsDir() {
				w.leaveFile(e, reason)
				continue
			}
			if err := w.leaveFiles(e.path, reason); err != nil {
				return err
			}
		}
		return nil
	})
}

// lostClass returns an error for the folder of a class of whose files none can be read.
func (w *walk) lostClass() error {
	for _, f := range w.folders {
		if f.pictures > 0 {
			continue
		}
		if f.all > 0 {
			return fmt.Errorf("none of the %d files in the folder %q is a picture that can be "+
				"read (%s): make them %s, or take the folder out", f.all, f.path,
				counted(f.endings), strings.Join(endings(), ", "))
		}
		return fmt.Errorf("the folder %q holds no picture: fill it, or take it out", f.path)
	}
	return nil
}

// notes says what is left out, a sentence for each reason.
func (w *walk) notes() (list []string) {
	for _, reason := range slices.Sorted(maps.Keys(w.left)) {
		l := w.left[reason]
		of := ""
		if len(l.endings) > 0 {
			of = " (" + counted(l.endings) + ")"
		}
		list = append(list, fmt.Sprintf("left out, %s%s: %d, the first is %q", reason, of, l.count,
			l.first))
	}
	return list
}

// counted lists endings with their numbers, the commonest of many.
func counted(byEnding map[string]int) string {
	const most = 5
	list := slices.SortedFunc(maps.Keys(byEnding), func(a, b string) int {
		if byEnding[a] != byEnding[b] {
			return byEnding[b] - byEnding[a]
		}
		return cmp.Compare(a, b)
	})
	var parts []string
	for _, e := range list[:min(most, len(list))] {
		name := e
		if e == "" {
			name = "no ending"
		}
		parts = append(parts, fmt.Sprintf("%s: %d", name, byEnding[e]))
	}
	if len(list) > most {
		parts = append(parts, fmt.Sprintf("%d other endings", len(list)-most))
	}
	return strings.Join(parts, ", ")
}
