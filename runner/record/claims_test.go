package record

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"drolab/runner"
	"drolab/runner/internal/atomicfile/atomicfiletest"
)

// claimsOf returns an entry of a study that has its title in its file's name.
func claimsOf(title, hash string) runner.SealedClaims {
	return runner.SealedClaims{Study: title, File: "/studies/" + title + ".yaml", SHA256: hash,
		Date: time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)}
}

// later returns the entry as it is read back after a study took the run over.
func later(c runner.SealedClaims) runner.SealedClaims {
	c.TakenOver = true
	return c
}

func wantClaims(t *testing.T, what string, r *Run, want ...runner.SealedClaims) {
	t.Helper()
	got, err := r.Claims()
	if err != nil {
		t.Errorf("%s: Claims: %v", what, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: the claims differ (-want +got):\n%s", what, diff)
	}
}

// TestClaims: a run has an entry for each study, in the order in which they came. An entry is never
// rewritten, and run.json does not change.
func TestClaims(t *testing.T) {
	s := newStore(t)
	m := newMeta(1)
	own := claimsOf("own", "a")
	m.Claims = []runner.SealedClaims{own}
	live := create(t, s, m) // it is being recorded
	r, err := Find(s.Dir(), m.ID)
	must(t, err)
	made := read(t, r.Dir, metaName)
	wantClaims(t, "as it began", r, own)
	other := claimsOf("other", "b")
	must(t, r.TakeOver(other))
	wantClaims(t, "taken over", r, own, later(other))
	changed := own
	changed.SHA256, changed.Date = "c", own.Date.Add(time.Hour)
	for what, c := range map[string]runner.SealedClaims{
		"the same again":           other,
		"other claims":             changed,
		"other claims and a title": {Study: "new", File: own.File, SHA256: "c"},
		"other claims and a file":  {Study: own.Study, File: "/new.yaml", SHA256: "c"},
	} {
		must(t, r.TakeOver(c))
		wantClaims(t, what, r, own, later(other))
	}
	if !bytes.Equal(read(t, r.Dir, metaName), made) {
		t.Error("run.json has changed")
	}
	must(t, live.Append(status(0, runner.Running)))
	must(t, live.Close())
	r, err = Find(s.Dir(), m.ID)
	must(t, err)
	wantClaims(t, "read again", r, own, later(other))
	must(t, r.Verify())
	list, _, err := Examine(s.Dir(), false)
	must(t, err)
	if len(list) > 0 {
		t.Errorf("the doctor finds %s, want nothing", findings(list))
	}
}

// TestDamagedClaims: a damaged list is an error, is not written over, and is set aside by the
// doctor.
func TestDamagedClaims(t *testing.T) {
	s := newStore(t)
	m := newMeta(1)
	must(t, create(t, s, m).Close())
	r, err := Find(s.Dir(), m.ID)
	must(t, err)
	must(t, r.TakeOver(claimsOf("one", "a")))
	path := filepath.Join(r.Dir, claimsName)
	whole := read(t, path)
	for what, text := range map[string][]byte{
		"another hash": bytes.Replace(whole, []byte(`"a"`), []byte(`"b"`), 1),
		"half of it":   whole[:len(whole)/2],
		"none":         {},
	} {
		must(t, os.WriteFile(path, text, 0o600))
		_, err := r.Claims()
		wrong := r.TakeOver(claimsOf("two", "b"))
		wantError(t, what+", read", err, claimsName)
		wantError(t, what+", taken over", wrong, claimsName)
		if !bytes.Equal(read(t, path), text) {
			t.Errorf("%s: it is written over", what)
		}
	}
	list, _, err := Examine(s.Dir(), true)
	must(t, err)
	if len(list) != 1 {
		t.Fatalf("the doctor finds %d things, want 1:%s", len(list), findings(list))
	}
	if f := list[0]; f.File != claimsName || !f.Mended {
		t.Errorf("the doctor finds %s, mended: %v, want %s, mended", f.File, f.Mended, claimsName)
	}
	wantClaims(t, "mended", r)
}

// TestCrashPointsOfClaims: wherever a writer ends, the list is the one before or the one after.
func TestCrashPointsOfClaims(t *testing.T) {
	one, two := claimsOf("one", "a"), claimsOf("two", "b")
	taken := func() (*Store, *Run) {
		s := newStore(t)
		m := newMeta(1)
		must(t, create(t, s, m).Close())
		r, err := Find(s.Dir(), m.ID)
		must(t, err)
		must(t, r.TakeOver(one))
		return s, r
	}
	whole := &atomicfiletest.Faults{}
	_, r := taken()
	r.open = whole.Open
	must(t, r.TakeOver(two))
	if len(whole.Trace()) < 3 {
		t.Fatalf("only the operations %q", whole.Trace())
	}
	for what, x := range atomicfiletest.Points(whole.Trace(), 1, syscall.ENOSPC) {
		s, r := taken()
		r.open = x.Open
		failed := r.TakeOver(two)
		r.open = nil
		got, err := r.Claims()
		if err != nil {
			t.Errorf("%s: Claims: %v", what, err)
		}
		after := slices.Equal(got, []runner.SealedClaims{later(one), later(two)})
		if before := slices.Equal(got, []runner.SealedClaims{later(one)}); !before && !after {
			t.Errorf("%s: claims %+v, want one, or one and two", what, got)
		}
		if failed == nil && !after {
			t.Errorf("%s: no error, and the claims are not there", what)
		}
		must(t, r.TakeOver(two))
		wantClaims(t, what+", again", r, later(one), later(two))
		s.sweep()
	}
}

// TestClaimsAtOnce: no entry is lost when several studies take a run over at once.
func TestClaimsAtOnce(t *testing.T) {
	s := newStore(t)
	m := newMeta(1)
	must(t, create(t, s, m).Close())
	errs := make(chan error)
	titles := strings.Fields("a b c d e f g h")
	for _, title := range titles {
		go func() {
			r, err := Find(s.Dir(), m.ID)
			if err == nil {
				err = r.TakeOver(claimsOf(title, title))
			}
			errs <- err
		}()
	}
	for range titles {
		must(t, <-errs)
	}
	r, err := Find(s.Dir(), m.ID)
	must(t, err)
	got, err := r.Claims()
	must(t, err)
	var there []string
	for _, c := range got {
		there = append(there, c.Study)
	}
	slices.Sort(there)
	if !slices.Equal(there, titles) {
		t.Errorf("of the studies %q there are %q", titles, there)
	}
}

// TestPackedClaims: a packed run has all entries in its run.json, and a restored one keeps them. It
// cannot be taken over while it is packed.
func TestPackedClaims(t *testing.T) {
	s := newStore(t)
	own, other := claimsOf("own", "a"), claimsOf("other", "b")
	m := newMeta(1)
	m.Claims = []runner.SealedClaims{own}
	w := create(t, s, m)
	must(t, w.Append(status(0, runner.Running)))
	must(t, w.Append(status(10, runner.Done)))
	must(t, w.Finish(runner.Summarize(m, runner.Done, 10, evalEvent(10), stepEvent(10))))
	must(t, w.Close())
	r, err := Find(s.Dir(), m.ID)
	must(t, err)
	must(t, r.TakeOver(other))
	p, err := Unpack("somewhere", packed(t, r))
	must(t, err)
	wantClaims(t, "packed", p, own, later(other))
	if err := p.TakeOver(claimsOf("third", "c")); err == nil {
		t.Error("a packed run is taken over")
	}
	elsewhere := newStore(t)
	_, err = elsewhere.Restore(p)
	must(t, err)
	restored, err := Find(elsewhere.Dir(), m.ID)
	must(t, err)
	wantClaims(t, "restored", restored, own, later(other))
}
