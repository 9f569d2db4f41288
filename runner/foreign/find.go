package foreign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Found is a log that was found.
type Found struct {
	kind *Kind
	// Path is the file, or the folder of a log of several files.
	Path string
	dir  string // the folder of the files
	// names are the files in the folder; beside, further files that say more of the run.
	names, beside []string
	rotated       []part // files that were rotated away from it, the oldest first
	notes         []string
	alone         bool // a file was named: nothing else of its folder is read
}

// Kind returns the name of the log's kind.
func (f *Found) Kind() string { return f.kind.Name }

// Program returns who wrote the log.
func (f *Found) Program() string { return f.kind.Program }

// title returns the name of the log's folder.
func (f *Found) title() string { return filepath.Base(f.dir) }

const (
	sniffSize = 64 << 10 // bytes at the beginning, by which a file is recognised
	mostFiles = 100_000  // files that are looked at
)

// besides are the names of the files that say more of a run.
var besides = []string{hparamsName, "log.txt"}

// Find returns the logs in files and folders, sorted by path. as is the name of a kind to which a
// file must belong, or empty. Links within a folder are passed over. Files that were rotated away
// from a log are read to tell whether they are its beginning, until ctx ends.
func Find(ctx context.Context, paths []string, as string) (list []Found, err error) {
	kind := kindNamed(as)
	if as != "" && kind == nil {
		return nil, fmt.Errorf("--as %s: expected one of %s", clean(as, mostName),
			strings.Join(KindNames(), ", "))
	}
	for _, p := range paths {
		at, err := filepath.EvalSymlinks(p)
		if err != nil {
			return nil, err
		}
		if at, err = filepath.Abs(at); err != nil {
			return nil, err
		}
		info, err := os.Stat(at)
		if err != nil {
			return nil, err
		}
		found := list
		if info.IsDir() {
			found, err = findIn(at, kind)
		} else {
			found, err = findFile(at, info, kind)
		}
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, &UnknownError{Path: p, Folder: info.IsDir()}
		}
		list = append(list, found...)
	}
	byPath := func(a, b Found) int { return cmp.Compare(a.Path, b.Path) }
	slices.SortStableFunc(list, byPath)
	list = slices.CompactFunc(list, func(a, b Found) bool {
		return a.Path == b.Path && a.kind == b.kind
	})
	list, err = join(ctx, list)
	slices.SortStableFunc(list, byPath)
	return list, err
}

// UnknownError says that nothing at a path is a log.
type UnknownError struct {
	Path   string
	Folder bool
}

func (e *UnknownError) Error() string {
	what := "is no log"
	if e.Folder {
		what = "has no log"
	}
	return fmt.Sprintf("%s %s that drolab knows: expected one of group_DRO, Lightning, "+
		"Transformers, TensorBoard, W&B or DomainBed, or a table or JSON lines with a step or an "+
		"epoch", e.Path, what)
}

// sniff returns the kind of a file by its first bytes, or nil.
func sniff(head []byte, kind *Kind) *Kind {
	if kind != nil {
		return kind
	}
	for i := range kinds {
		if kinds[i].is(head) {
			return &kinds[i]
		}
	}
	return nil
}

// headOf returns the first bytes of a plain file.
func headOf(root *os.Root, name string) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, cmp.Or(err, errors.New("is no plain file"))
	}
	return io.ReadAll(io.LimitReader(f, sniffSize))
}

// findFile returns the log that a file is.
func findFile(at string, info fs.FileInfo, kind *Kind) ([]Found, error) {
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no plain file: pipes and devices are not read", at)
	}
	root, err := os.OpenRoot(filepath.Dir(at))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	head, err := headOf(root, filepath.Base(at))
	if err != nil {
		return nil, atPath(err, filepath.Dir(at), filepath.Base(at))
	}
	if kind = sniff(head, kind); kind == nil {
		return nil, nil
	}
	return []Found{{kind: kind, Path: at, dir: filepath.Dir(at),
		names: []string{filepath.Base(at)}, alone: true}}, nil
}

// endings are the endings of the files that may be logs, when a kind is forced.
var endings = map[string][]string{"trainer": {".json"}, "domainbed": {".jsonl", ".json"},
	"jsonl": {".jsonl", ".json", ".ndjson"}, "group_dro": {".csv"}, "lightning": {".csv"},
	"csv": {".csv"}, "wandb": {".wandb"}}

// forced reports whether a file of a folder can be of a kind that the user names.
func forced(kind *Kind, name string) bool {
	if kind.Name == "tensorboard" {
		return strings.Contains(path.Base(name), "tfevents")
	}
	if of, n := rotated(name); n > 0 {
		name = of
	}
	return slices.Contains(endings[kind.Name], path.Ext(name))
}

// findIn returns the logs below a folder. What cannot be read is passed over, and is the error if
// there is no log.
func findIn(dir string, kind *Kind) (list []Found, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	n := 0
	var unread error // of the first file or folder that cannot be read
	passOver := func(name string, err error) {
		if unread == nil {
			unread = atPath(err, dir, filepath.FromSlash(name))
		}
	}
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		base := path.Base(name)
		switch n++; {
		case n > mostFiles:
			return fmt.Errorf("%s has more than %d files: name the folders of the logs", dir,
				mostFiles)
		case err != nil && name == ".":
			return atPath(err, dir, "")
		case err != nil:
			passOver(name, err)
			return nil
		case d.IsDir() && name != "." && strings.HasPrefix(base, "."):
			return fs.SkipDir
		case !d.Type().IsRegular() || strings.HasPrefix(base, "."):
			return nil
		case kind != nil && !forced(kind, name):
			return nil
		}
		head, err := headOf(root, name)
		if err != nil {
			passOver(name, err)
			return nil
		}
		of := sniff(head, kind)
		if of == nil {
			return nil
		}
		in, at := path.Dir(name), filepath.Join(dir, filepath.FromSlash(name))
		if of.folder {
			at = filepath.Dir(at)
			same := func(f Found) bool { return f.kind == of && f.Path == at }
			if i := slices.IndexFunc(list, same); i >= 0 {
				list[i].names = append(list[i].names, base)
				return nil
			}
		}
		f := Found{kind: of, Path: at, names: []string{base},
			dir: filepath.Join(dir, filepath.FromSlash(in))}
		for _, more := range besides {
			info, err := root.Lstat(path.Join(in, more))
			if err == nil && info.Mode().IsRegular() {
				f.beside = append(f.beside, more)
			}
		}
		list = append(list, f)
		return nil
	})
	if err == nil && len(list) == 0 {
		err = unread
	}
	return list, err
}

// open opens the folder of the log's files.
func (f *Found) open() (*Source, error) {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return nil, err
	}
	return &Source{root: root, rotated: f.rotated, names: slices.Clone(f.names),
		beside: f.beside}, nil
}
