package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/eventlog"
	"drolab/runner/internal/atomicfile/atomicfiletest"
)

// listingOf returns everything that a list of runs shows.
func listingOf(t *testing.T, c *Catalogue) string {
	t.Helper()
	var text strings.Builder
	runs, problems := c.List()
	for _, r := range runs {
		for _, v := range []any{r.Meta, r.Summary(), r.Label()} {
			b, err := json.Marshal(v)
			must(t, err)
			text.Write(b)
		}
		fmt.Fprintln(&text, r.Status(), r.Steps(), r.Epochs(), r.Dir, r.Configuration(), r.own)
		for _, name := range []string{"test_accuracy", "train_loss", "none", speedName} {
			fmt.Fprintln(&text, r.Of(name))
		}
	}
	for _, err := range problems {
		fmt.Fprintln(&text, err)
	}
	return text.String()
}

// endedRuns returns a folder of runs that have ended in different ways, and one that was
// interrupted.
func endedRuns(t *testing.T) (dir string) {
	t.Helper()
	s := newStore(t)
	for i, end := range []runner.Status{runner.Done, runner.Failed, runner.Stopped, runner.Done,
		runner.Running} {
		m := newMeta(uint64(i % 2))
		m.Preset = fmt.Sprint("preset ", i%3)
		r := create(t, s, m)
		appendSteps(t, r, 1, 3)
		must(t, r.Append(evalEvent(3)))
		if end.Ended() {
			must(t, r.Append(&runner.StatusEvent{Head: head(3), Status: end, Cause: "a cause"}))
		}
		if end == runner.Done {
			must(t, r.Finish(runner.Summarize(m, end, 3, evalEvent(3), stepEvent(3))))
		}
		must(t, r.Close())
	}
	must(t, os.CopyFS(filepath.Join(s.dir, fixtureDone), fixture(fixtureDone)))
	must(t, os.Mkdir(filepath.Join(s.dir, "no-run"), 0o755))
	return s.dir
}

// cachingCatalogue returns a catalogue that treats every file as old, and so keeps everything that
// it can.
func cachingCatalogue(dir, cache string) *Catalogue {
	c := NewCatalogue(dir, cache)
	c.now = func() time.Time { return time.Now().Add(time.Hour) }
	c.saveEvery = 0
	return c
}

// TestCatalogue checks that a list from memory agrees with the runs' own files, also after any of
// them has changed.
func TestCatalogue(t *testing.T) {
	dir, cache := endedRuns(t), t.TempDir()
	same := func(when string) {
		t.Helper()
		want := listingOf(t, NewCatalogue(dir, ""))
		for _, c := range []*Catalogue{cachingCatalogue(dir, cache), NewCatalogue(dir, cache)} {
			if got := listingOf(t, c); got != want {
				t.Errorf("%s: got\n%s\nwant\n%s", when, got, want)
			}
		}
	}
	same("made anew")
	same("from the file")
	c := cachingCatalogue(dir, cache)
	runs, _ := c.List()
	known := 0
	for _, r := range runs {
		if r.entry != nil {
			known++
		}
	}
	if known != 5 { // not the interrupted run
		t.Errorf("%d runs are known, want 5", known)
	}
	must(t, runs[0].Relabel(func(l *Label) { l.Note = "a note" }))
	same("after a note")
	path := filepath.Join(runs[1].Dir, summaryName)
	info, err := os.Stat(path)
	must(t, err)
	text := strings.Replace(string(read(t, path)), `"crc"`, `"crd"`, 1)
	write(t, []byte(text), path)
	must(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
	same("after a summary of the same size and time")
	must(t, Delete(dir, runs[2].Meta.ID))
	same("after a deletion")
	log, err := os.OpenFile(filepath.Join(runs[3].Dir, eventlog.LogName), os.O_APPEND|os.O_WRONLY,
		0)
	must(t, err)
	_, err = log.WriteString("garbage\n")
	must(t, errors.Join(err, log.Close()))
	same("after a damaged line")
	if got, want := listingOf(t, c), listingOf(t, NewCatalogue(dir, "")); got != want {
		t.Errorf("in memory: got\n%s\nwant\n%s", got, want)
	}
}

// TestReadersOfCatalogue checks that a read-only catalogue writes no file, and that a catalogue
// with no place for its file lists the same.
func TestReadersOfCatalogue(t *testing.T) {
	dir, cache := endedRuns(t), t.TempDir()
	want := listingOf(t, NewCatalogue(dir, ""))
	c := cachingCatalogue(dir, cache)
	c.ReadOnly = true
	if got := listingOf(t, c); got != want {
		t.Errorf("read-only: got\n%s\nwant\n%s", got, want)
	}
	if list, _ := os.ReadDir(cache); len(list) > 0 {
		t.Errorf("it has written %s", list[0])
	}
	nowhere := filepath.Join(cache, "file")
	write(t, nil, nowhere)
	if got := listingOf(t, cachingCatalogue(dir, nowhere)); got != want {
		t.Errorf("without a folder for the file: it lists other runs than\n%s", want)
	}
}

// TestFlipsOfCatalogue changes bytes of the catalogue's file, and cuts it: the catalogue still
// lists what the runs' files say.
func TestFlipsOfCatalogue(t *testing.T) {
	dir, cache := endedRuns(t), t.TempDir()
	want := listingOf(t, cachingCatalogue(dir, cache))
	path := cachingCatalogue(dir, cache).path()
	before := read(t, path)
	n := 100
	if testing.Short() {
		n = 20
	} else if testsize.Long() {
		n = 1000
	}
	rng := rand.New(rand.NewPCG(3, 5))
	for i := range n {
		b, at := append([]byte(nil), before...), rng.IntN(len(before))
		if b[at] ^= byte(1 + rng.IntN(255)); i%10 == 0 {
			b = b[:at]
		}
		write(t, b, path)
		c := NewCatalogue(dir, cache)
		c.ReadOnly = true
		if got := listingOf(t, c); got != want {
			t.Fatalf("byte %d: got\n%s\nwant\n%s", at, got, want)
		}
	}
	// Damage while a catalogue has the file open.
	write(t, before, path)
	c := NewCatalogue(dir, cache)
	c.List()
	must(t, os.Truncate(path, 10))
	if got := listingOf(t, c); got != want {
		t.Errorf("cut meanwhile: got\n%s\nwant\n%s", got, want)
	}
}

// TestCrashPointsOfCatalogue checks that, wherever a writer ends, the next one lists the same.
func TestCrashPointsOfCatalogue(t *testing.T) {
	dir := endedRuns(t)
	want := listingOf(t, NewCatalogue(dir, ""))
	save := func(cache string, x *atomicfiletest.Faults) {
		c := cachingCatalogue(dir, cache)
		c.open = x.Open
		if got := listingOf(t, c); got != want {
			t.Errorf("the writer: got\n%s\nwant\n%s", got, want)
		}
	}
	whole := &atomicfiletest.Faults{}
	save(t.TempDir(), whole)
	for _, before := range []bool{false, true} {
		for what, x := range atomicfiletest.Points(whole.Trace(), testsize.Pick(3, 1, 1),
			syscall.ENOSPC) {
			cache := t.TempDir()
			if before { // a file that is replaced
				cachingCatalogue(dir, cache).List()
				b := read(t, cachingCatalogue(dir, cache).path())
				write(t, b[:len(b)-1], cachingCatalogue(dir, cache).path())
			}
			save(cache, x)
			if got := listingOf(t, NewCatalogue(dir, cache)); got != want {
				t.Errorf("%s: got\n%s\nwant\n%s", what, got, want)
			}
		}
	}
}

// TestManyCatalogues runs writers and readers at once on a folder whose runs change.
func TestManyCatalogues(t *testing.T) {
	dir, cache := endedRuns(t), t.TempDir()
	before, _ := List(dir)
	var all sync.WaitGroup
	for i := range 6 {
		c := cachingCatalogue(dir, cache)
		c.ReadOnly = i == 5
		all.Go(func() {
			for range 20 {
				runs, _ := c.List()
				for _, r := range runs {
					listed, want := r.Of("test_accuracy"), r.Summary().Named("test_accuracy")
					if listed != want {
						t.Errorf("%s: listed with %v, want %v of its summary", r.Meta.ID, listed,
							want)
					}
				}
			}
		})
	}
	all.Go(func() {
		for i := range 40 {
			r := before[i%len(before)]
			if err := r.Relabel(func(l *Label) { l.Note = fmt.Sprint("note ", i) }); err != nil {
				t.Error(err)
			}
		}
	})
	all.Wait()
	want := listingOf(t, NewCatalogue(dir, ""))
	for range 2 {
		if got := listingOf(t, cachingCatalogue(dir, cache)); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

// TestSettles checks that a file written a moment ago is read again.
func TestSettles(t *testing.T) {
	dir := endedRuns(t)
	c := NewCatalogue(dir, t.TempDir())
	c.List()
	if len(c.known) > 0 {
		t.Errorf("%d runs are known that were written a moment ago", len(c.known))
	}
}

// TestForgotten checks that files long unused leave the cache when something is written to it, and
// that files in use stay.
func TestForgotten(t *testing.T) {
	dir, cache := endedRuns(t), t.TempDir()
	c := cachingCatalogue(dir, cache)
	c.List()
	old := c.now().Add(-unusedLimit - time.Minute)
	gone := filepath.Join(cache, "of another folder")
	write(t, nil, gone)
	for _, path := range []string{gone, c.path()} {
		must(t, os.Chtimes(path, old, old))
	}
	looks := cachingCatalogue(dir, cache)
	looks.ReadOnly = true
	looks.List()
	info, err := os.Stat(c.path())
	must(t, err)
	if !info.ModTime().Equal(old) {
		t.Errorf("a reader wrote to it at %v, want it as of %v", info.ModTime(), old)
	}
	cachingCatalogue(dir, cache).List() // it is used
	cachingCatalogue(endedRuns(t), cache).List()
	list, err := os.ReadDir(cache)
	must(t, err)
	if len(list) != 2 {
		t.Errorf("the cache has the files %v, want those of two folders", list)
	}
	if _, err := os.Stat(gone); err == nil {
		t.Error("the old one is there")
	}
}

// TestCatalogueIsExamined checks that a file that disagrees with the runs, or cannot be read, is
// found, and mended by its removal.
func TestCatalogueIsExamined(t *testing.T) {
	dir, cache := endedRuns(t), t.TempDir()
	want := listingOf(t, cachingCatalogue(dir, cache))
	c := NewCatalogue(dir, cache)
	whole := read(t, c.path())
	places := map[string]int{"none": -1, "a summary": 20, "the index": len(whole) - 40}
	for name, at := range places {
		t.Run(name, func(t *testing.T) {
			b := append([]byte{}, whole...)
			if at >= 0 {
				b[at] ^= 1
			}
			write(t, b, c.path())
			for _, mend := range []bool{false, true} {
				if found := c.Examine(mend); len(found) > 0 != (at >= 0) {
					t.Fatalf("found %d things, want some: %v", len(found), at >= 0)
				} else if at >= 0 && found[0].Mended != mend {
					t.Errorf("mended: %v, asked: %v", found[0].Mended, mend)
				}
			}
			if _, err := os.Stat(c.path()); (err == nil) != (at < 0) {
				t.Errorf("Stat of the file = %v, want it to be there: %v", err, at < 0)
			}
			if got := listingOf(t, NewCatalogue(dir, cache)); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}
