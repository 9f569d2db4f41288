package source

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"drolab/runner/data"
)

// hundreds writes 150 pictures of two classes.
func hundreds(t *testing.T) (dir string, files []string) {
	t.Helper()
	dir = t.TempDir()
	for i := range 150 {
		path := filepath.Join(dir, []string{"a", "b"}[i/75], fmt.Sprintf("%03d.png", i))
		paint(t, path, 2, 2, color.Gray{Y: uint8(i)})
		files = append(files, path)
	}
	return dir, files
}

// spoil makes pictures unreadable, without a sign of it but in their content.
func spoil(t *testing.T, files []string) {
	t.Helper()
	for _, path := range files {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, info.Size()), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
	}
}

// noting returns an Options.Progress that notes what it is told, and returns an error from the
// given number of samples on.
func noting(heard *[]int, of int, until int) func(done, of int) error {
	return func(done, total int) error {
		*heard = append(*heard, done)
		switch {
		case total != of:
			return fmt.Errorf("%d of %d, want of %d", done, total, of)
		case until > 0 && done >= until:
			return errEnough
		}
		return nil
	}
}

var errEnough = errors.New("enough")

func oneByOne(from, to int) (list []int) {
	for i := from; i <= to; i++ {
		list = append(list, i)
	}
	return list
}

// A folder of pictures tells of each, from 0 on. If the reading ends half-way, the next begins with
// the parts that are whole: it reads none of their pictures again, and ends with the same samples.
func TestPicturesAreCountedAndKept(t *testing.T) {
	for _, apart := range []bool{false, true} {
		if apart {
			readApart(t)
		}
		dir, files := hundreds(t)
		name, whole := "images:"+dir+"?size=2", t.TempDir()
		var heard []int
		d, err := Open(name, data.Options{Dir: whole, Progress: noting(&heard, 150, 0)})
		if err != nil {
			t.Fatal(err)
		}
		want := d.Checksum
		d.Close()
		if !slices.Equal(heard, oneByOne(0, 150)) {
			t.Errorf("apart %v: told %v, want 0 to 150", apart, heard)
		}
		heard = nil
		if d, err = Open(name, data.Options{Dir: whole,
			Progress: noting(&heard, 150, 0)}); err != nil {
			t.Fatal(err)
		}
		d.Close()
		if heard != nil {
			t.Errorf("apart %v: of pictures in the cache it tells %v", apart, heard)
		}

		cache := t.TempDir()
		heard = nil
		_, err = Open(name, data.Options{Dir: cache, Progress: noting(&heard, 150, 100)})
		if !errors.Is(err, errEnough) {
			t.Fatalf("apart %v: %v, want %v", apart, err, errEnough)
		}
		spoil(t, files[:64])
		heard = nil
		d, err = Open(name, data.Options{Dir: cache, Progress: noting(&heard, 150, 0)})
		if err != nil {
			t.Fatalf("apart %v, after an interruption: %v", apart, err)
		}
		defer d.Close()
		if d.Checksum != want {
			t.Errorf("apart %v, after an interruption: %s, want %s", apart, d.Checksum, want)
		}
		if got := slices.Concat([]int{0}, oneByOne(64, 150)); !apart && !slices.Equal(heard, got) {
			t.Errorf("after an interruption it tells %v, want %v", heard, got)
		}
		if left, _ := filepath.Glob(filepath.Join(cache, "pictures", "*")); len(left) != 1 {
			t.Errorf("apart %v: the cache holds %q, want one file", apart, left)
		}
	}
}

// The end of a context ends a reading of pictures, and nothing that was decoded is lost.
func TestPicturesStopWithTheirContext(t *testing.T) {
	for _, apart := range []bool{false, true} {
		if apart {
			readApart(t)
		}
		dir, files := hundreds(t)
		name, cache := "images:"+dir+"?size=2", t.TempDir()
		ctx, stop := context.WithCancel(context.Background())
		_, err := OpenContext(ctx, name, data.Options{Dir: cache,
			Progress: func(done, of int) error {
				if done == 140 {
					stop()
				}
				return nil
			}})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("apart %v: %v, want %v", apart, err, context.Canceled)
		}
		spoil(t, files[:128])
		d, err := Open(name, data.Options{Dir: cache})
		if err != nil {
			t.Fatalf("apart %v, after an interruption: %v", apart, err)
		}
		d.Close()
	}
}

// A damaged part counts as none, and so does one of another number of pictures.
func TestDamagedPartOfPictures(t *testing.T) {
	dir, _ := hundreds(t)
	name, cache := "images:"+dir+"?size=2", t.TempDir()
	var heard []int
	if _, err := Open(name, data.Options{Dir: cache,
		Progress: noting(&heard, 150, 140)}); !errors.Is(err, errEnough) {
		t.Fatal(err)
	}
	parts, _ := filepath.Glob(filepath.Join(cache, "pictures", "*.parts", "*"))
	if len(parts) != 2 {
		t.Fatalf("parts %q, want two", parts)
	}
	b, err := os.ReadFile(parts[0])
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)-1] ^= 1
	if err := os.WriteFile(parts[0], b, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(parts[1], 100); err != nil {
		t.Fatal(err)
	}
	d, err := Open(name, data.Options{Dir: cache})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	fresh, err := Open(name, data.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Close()
	if d.Checksum != fresh.Checksum {
		t.Errorf("with damaged parts: %s, want %s", d.Checksum, fresh.Checksum)
	}
}
