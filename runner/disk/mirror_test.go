package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"drolab/runner/internal/atomicfile"
)

// TestMirrorRefusesChanges calls every operation of a folder in a mirror, at each depth: those that
// change something fail with the line that says what to do, the others work, and nothing changes.
// The process that mirrors may do all of it.
func TestMirrorRefusesChanges(t *testing.T) {
	operations := map[string]struct {
		changes bool
		do      func(in atomicfile.Disk) error
	}{
		"Folder": {false, func(in atomicfile.Disk) error {
			sub, err := in.Folder("sub")
			if err != nil {
				return err
			}
			return sub.Close()
		}},
		"OpenFile": {true, func(in atomicfile.Disk) error {
			f, err := in.OpenFile("made", os.O_WRONLY|os.O_CREATE, FileMode)
			if err != nil {
				return err
			}
			return f.Close()
		}},
		"Mkdir": {true, func(in atomicfile.Disk) error { return in.Mkdir("folder", FolderMode) }},
		"Lstat": {false, func(in atomicfile.Disk) error {
			_, err := in.Lstat("file")
			return err
		}},
		"List":   {false, func(in atomicfile.Disk) error { _, err := in.List(); return err }},
		"Link":   {true, func(in atomicfile.Disk) error { return in.Link("file", "link") }},
		"Rename": {true, func(in atomicfile.Disk) error { return in.Rename("link", "other") }},
		"Exchange": {true, func(in atomicfile.Disk) error {
			err := in.Exchange("other", "file")
			if errors.Is(err, errors.ErrUnsupported) { // by some systems
				return nil
			}
			return err
		}},
		"Remove": {true, func(in atomicfile.Disk) error { return in.Remove("other") }},
		"Sync":   {false, func(in atomicfile.Disk) error { return in.Sync() }},
		"Close":  {false, func(atomicfile.Disk) error { return nil }},
	}
	order := []string{"Folder", "OpenFile", "Mkdir", "Lstat", "List", "Link", "Rename", "Exchange",
		"Remove", "Sync", "Close"}
	for i := range reflect.TypeFor[atomicfile.Disk]().NumMethod() {
		name := reflect.TypeFor[atomicfile.Disk]().Method(i).Name
		if _, ok := operations[name]; !ok {
			t.Errorf("operation %s of a disk is not tested", name)
		}
	}
	root := t.TempDir()
	must(t, Files{}.Write(filepath.Join(root, MirrorName), MirrorMark{Box: "gpu1"}))
	const want = " mirrors box gpu1: give --box gpu1"
	for _, dir := range []string{"", "run", "run/checkpoints"} {
		path := filepath.Join(root, dir)
		must(t, os.MkdirAll(filepath.Join(path, "sub"), 0o700))
		write(t, []byte("text"), path, "file")
		before := names(t, root)
		byPath := in(t, path)
		byParent := in(t, root)
		if dir != "" {
			var err error
			byParent, err = in(t, root).Within(dir)
			must(t, err)
			defer byParent.Close()
		}
		for _, f := range []*Folder{byPath, byParent} {
			for _, name := range order {
				op := operations[name]
				err := op.do(f)
				var refused *MirrorError
				if errors.As(err, &refused) != op.changes {
					t.Errorf("%s in %q of a mirror: %v, want an error: %v",
						name, dir, err, op.changes)
				}
				if refused != nil && refused.Error() != root+want {
					t.Errorf("%s in %q of a mirror: %q, want %q", name, dir, refused, root+want)
				}
			}
		}
		if after := names(t, root); !reflect.DeepEqual(before, after) {
			t.Errorf("in %q: the files were %v and are %v", dir, before, after)
		}
		writer, err := OpenMirror(nil, path)
		must(t, err)
		defer writer.Close()
		for _, name := range order {
			if err := operations[name].do(writer); err != nil {
				t.Errorf("%s in %q, by the process that mirrors: %v, want no error",
					name, dir, err)
			}
		}
	}
}

// TestMirrorIsMarked: only a regular file of that name marks a mirror, and one that cannot be read
// marks, too.
func TestMirrorIsMarked(t *testing.T) {
	for what, c := range map[string]struct {
		make func(path string) error
		want string
	}{
		"no mark": {func(string) error { return nil }, ""},
		"a folder of that name": {func(path string) error {
			return os.Mkdir(path, 0o700)
		}, ""},
		"a mark": {func(path string) error {
			return Files{}.Write(path, MirrorMark{Box: "b"})
		}, " mirrors box b: give --box b"},
		"a damaged mark": {func(path string) error {
			return os.WriteFile(path, []byte("{"), 0o600)
		}, " mirrors another machine: give --box and its name"},
	} {
		dir := t.TempDir()
		must(t, c.make(filepath.Join(dir, MirrorName)))
		got := ""
		if err := MirrorOf(filepath.Join(dir, "run")); err != nil {
			got = err.Error()
		}
		if want := c.want; want != "" && got != dir+want || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
}

// names lists all files below a folder.
func names(t *testing.T, root string) (list []string) {
	t.Helper()
	must(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		list = append(list, path)
		return err
	}))
	return list
}
