package record

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLabel checks that a run's label is read back at the next look and is bounded, and that damage
// to it costs the label alone.
func TestLabel(t *testing.T) {
	s := newStore(t)
	m := newMeta(1)
	must(t, create(t, s, m).Close())
	find := func() *Run {
		r, err := Find(s.Dir(), m.ID)
		must(t, err)
		return r
	}
	r := find()
	if diff := cmp.Diff(Label{}, r.Label()); diff != "" {
		t.Fatalf("the label of a new run differs (-want +got):\n%s", diff)
	}
	must(t, r.Relabel(func(l *Label) {
		l.Note, l.Archived = "the good one", true
		l.EditTags([]string{"paper", "b", "paper", "-c"})
	}))
	must(t, r.Relabel(func(l *Label) { l.EditTags([]string{"-b", "a"}) }))
	want := Label{Note: "the good one", Archived: true, Tags: []string{"a", "paper"}}
	if diff := cmp.Diff(want, find().Label()); diff != "" {
		t.Fatalf("the label that is read back differs (-want +got):\n%s", diff)
	}
	long := strings.Repeat("x", maxNote+1)
	for _, bad := range []Label{{Note: "two\nlines"}, {Note: long}, {Tags: []string{"a b"}},
		{Tags: []string{long[:maxTag+1]}}, {Tags: []string{""}},
		{Tags: make([]string, maxTags+1)}} {
		if err := r.Relabel(func(l *Label) { *l = bad }); err == nil {
			t.Errorf("taken: %+v", bad)
		}
	}
	path := filepath.Join(r.Dir, labelName)
	b, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, []byte(strings.Replace(string(b), "good", "evil", 1)), 0o600))
	if l := find().Label(); l.Note != "" {
		t.Errorf("a damaged label is read as %+v", l)
	}
	wantError(t, "over a damaged label", r.Relabel(func(l *Label) { l.Note = "x" }), labelName)
}

// TestLabelsAtOnce checks that no tag is lost when several writers add tags at once.
func TestLabelsAtOnce(t *testing.T) {
	s := newStore(t)
	m := newMeta(1)
	must(t, create(t, s, m).Close())
	var all sync.WaitGroup
	for i := range maxTags {
		all.Go(func() {
			r, err := Find(s.Dir(), m.ID)
			if err == nil {
				err = r.Relabel(func(l *Label) { l.EditTags([]string{fmt.Sprintf("tag%d", i)}) })
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	r, err := Find(s.Dir(), m.ID)
	must(t, err)
	if l := r.Label(); len(l.Tags) != maxTags {
		t.Errorf("of %d tags there are %v", maxTags, l.Tags)
	}
}
