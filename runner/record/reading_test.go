package record

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

var errEnough = errors.New("enough")

// A first listing tells how many runs are read. If it ends half-way, the next one, by another
// catalogue, reads only the others, and has the same runs as a listing that was not interrupted.
func TestListingIsCountedAndKept(t *testing.T) {
	dir := endedRuns(t) // six runs, of which one was interrupted, and a folder without a run
	want := listingOf(t, cachingCatalogue(dir, ""))
	for end := 1; end <= 7; end++ {
		cache := t.TempDir()
		var heard []int
		tell := func(done, of int) error {
			heard = append(heard, done)
			if done == end {
				return errEnough
			}
			return nil
		}
		c := cachingCatalogue(dir, cache)
		c.readBlock, c.keepAfter, c.Progress = 2, 0, tell
		runs, problems := c.List()
		if len(runs) > 0 {
			t.Fatalf("ended at %d: %d runs, want none", end, len(runs))
		}
		if len(problems) != 1 || !errors.Is(problems[0], errEnough) {
			t.Fatalf("ended at %d: problems %v, want %v", end, problems, errEnough)
		}
		if want := []int{0, 1, 2, 3, 4, 5, 6, 7}[:end+1]; !slices.Equal(heard, want) {
			t.Errorf("ended at %d: told %v, want %v", end, heard, want)
		}
		known := len(cachingCatalogue(dir, cache).load())

		heard = nil
		again := cachingCatalogue(dir, cache)
		again.Progress = func(done, of int) error {
			heard = append(heard, done)
			if of != 7-known {
				t.Errorf("ended at %d: %d are to be read, want %d", end, of, 7-known)
			}
			return nil
		}
		if got := listingOf(t, again); got != want {
			t.Errorf("ended at %d, then listed:\n%s\nwant\n%s", end, got, want)
		}
		if len(heard) != 8-known {
			t.Errorf("ended at %d: told %v, want 0 to %d", end, heard, 7-known)
		}
	}
}

// A process that is killed while it lists loses no more than what it read since the last save: what
// was read before is in the file.
func TestListingIsSavedOnTheWay(t *testing.T) {
	dir, cache := endedRuns(t), t.TempDir()
	c := cachingCatalogue(dir, cache)
	c.readBlock, c.keepAfter = 2, 0
	now := c.now()
	c.now = func() time.Time { return now } // each block is saved

	var kept []int // the number of runs in the file, each time that a run is read
	c.Progress = func(done, of int) error {
		files, _ := filepath.Glob(filepath.Join(cache, "*"))
		copied := t.TempDir()
		for _, f := range files {
			b, err := os.ReadFile(f)
			must(t, err)
			must(t, os.WriteFile(filepath.Join(copied, filepath.Base(f)), b, 0o600))
		}
		kept = append(kept, len(cachingCatalogue(dir, copied).load()))
		return nil
	}
	if _, problems := c.List(); len(problems) > 1 {
		t.Fatalf("problems %v, want one at most", problems)
	}
	if kept[2] != 0 || kept[3] == 0 {
		t.Errorf("runs in the file as each is read: %v, want some from the third on", kept)
	}
	if kept[7] <= kept[3] {
		t.Errorf("runs in the file as each is read: %v, want more at the end than at the third",
			kept)
	}
}

// A listing saves once in keepAfter, and not after each block.
func TestListingSavesFromTimeToTime(t *testing.T) {
	dir, cache := endedRuns(t), t.TempDir()
	c := cachingCatalogue(dir, cache)
	c.readBlock, c.keepAfter = 1, 3*time.Second
	c.saveEvery = 100 // the listing does not save at its end
	start, looks := c.now(), 0
	c.now = func() time.Time { return start.Add(time.Duration(looks) * time.Second) }
	var saved []int // how many runs were read at each save
	before := ""
	c.Progress = func(done, of int) error {
		looks = done
		text := ""
		files, _ := filepath.Glob(filepath.Join(cache, "*"))
		for _, f := range files {
			b, err := os.ReadFile(f)
			must(t, err)
			text += string(b)
		}
		if text != before {
			before, saved = text, append(saved, done-1)
		}
		return nil
	}
	c.List()
	if want := []int{3, 6}; !slices.Equal(saved, want) {
		t.Errorf("saved when %v runs were read, of one each second, want %v", saved, want)
	}
}
