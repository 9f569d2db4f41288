package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"drolab/runner/internal/atomicfile"
)

type note struct {
	Text string `json:"text"`
}

// TestFiles checks that a file is read back as it was written, that its owner alone has access, and
// that no link is followed.
func TestFiles(t *testing.T) {
	var k Files
	dir := filepath.Join(t.TempDir(), "a", "b")
	must(t, k.Folder(dir))
	must(t, k.Folder(dir))
	path := filepath.Join(dir, "note.json")
	var got note
	if err := k.Read(path, &got); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before: %v", err)
	}
	must(t, k.Write(path, note{"one"}))
	must(t, k.Write(path, note{"two"}))
	must(t, k.Read(path, &got))
	if got.Text != "two" {
		t.Errorf("Read gives %q, want %q, which was written last", got.Text, "two")
	}
	for name, want := range map[string]fs.FileMode{dir: 0o700, path: 0o600} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("the mode of %s is %v, want %v", name, got, want)
		}
	}
	write(t, []byte(`{"text":"without a seal"}`), path)
	if err := k.Read(path, &got); !errors.Is(err, ErrBare) ||
		!strings.Contains(err.Error(), path) {
		t.Errorf("reading a file without a seal gives %v, want ErrBare and the path", err)
	}
	mine := Files{Owner: Owner{ID: "mine"}}
	must(t, mine.Write(path, note{"one"}))
	if err := (Files{Owner: Owner{ID: "yours"}}).Read(path, &got); !errors.Is(err, ErrForeign) ||
		!strings.Contains(err.Error(), "mine") {
		t.Errorf("a file of another owner: %v, want ErrForeign and the owner", err)
	}
	must(t, k.Remove(path))
	must(t, k.Remove(path))
	victim := filepath.Join(t.TempDir(), ".profile")
	const text = "export PATH\n"
	write(t, []byte(text), victim)
	must(t, os.Symlink(victim, path))
	if err := k.Read(path, &got); !errors.Is(err, errNotPlain) {
		t.Errorf("a link is read: %v", err)
	}
	must(t, k.Write(path, note{"three"}))
	if string(read(t, victim)) != text {
		t.Error("what a link in the place of a file leads to was changed")
	}
}

// TestEveryByteOfASealedFile changes every byte to every other value, in the seal too. Each change
// is found.
func TestEveryByteOfASealedFile(t *testing.T) {
	var k Files
	path := filepath.Join(t.TempDir(), "note.json")
	must(t, k.Write(path, note{"some words"}))
	text := read(t, path)
	for at := range text {
		for by := 1; by < 256; by++ {
			harmed := slices.Clone(text)
			harmed[at] ^= byte(by)
			if _, _, err := Unseal(slices.Clone(harmed)); err == nil {
				t.Fatalf("byte %d is %q, was %q: nothing is found", at, harmed[at], text[at])
			}
		}
	}
}

// TestOneAdds checks that, of many who add a file at once, exactly one succeeds and the others are
// told.
func TestOneAdds(t *testing.T) {
	var k Files
	path := filepath.Join(t.TempDir(), "note.json")
	var all sync.WaitGroup
	var added atomic.Int32
	for range 20 {
		all.Go(func() {
			switch err := k.Add(path, note{"mine"}); {
			case err == nil:
				added.Add(1)
			case !errors.Is(err, fs.ErrExist):
				t.Error(err)
			}
		})
	}
	all.Wait()
	if err := k.Read(path, new(note)); added.Load() != 1 || err != nil {
		t.Errorf("%d have added it, want one: %v", added.Load(), err)
	}
}

// TestFilesLock checks that whoever waits for a lock gets it when it is free, and gets an error if
// his patience ends before.
func TestFilesLock(t *testing.T) {
	var k Files
	path := filepath.Join(t.TempDir(), "lock")
	first, err := k.Lock(path, 0)
	must(t, err)
	if _, err := k.Lock(path, 0); !errors.Is(err, ErrHeld) || !strings.Contains(err.Error(), path) {
		t.Errorf("a lock that is held: %v, want ErrHeld and the path", err)
	}
	second := make(chan error)
	go func() {
		l, err := k.Lock(path, time.Hour)
		second <- errors.Join(err, l.Release())
	}()
	must(t, first.Release())
	must(t, <-second)
}

// replacingDisk is a disk on which somebody replaces a file just before it is opened.
type replacingDisk struct {
	atomicfile.Disk
	times   int
	replace func()
}

func (h *replacingDisk) OpenFile(name string, flag int, mode fs.FileMode) (atomicfile.File, error) {
	if h.times > 0 {
		h.times--
		h.replace()
	}
	return h.Disk.OpenFile(name, flag, mode)
}
