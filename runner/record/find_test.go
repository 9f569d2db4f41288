package record

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	s := newStore(t)
	var ids []string
	for seed := range uint64(3) {
		m := newMeta(seed + 1)
		m.Created = m.Created.AddDate(0, 0, int(seed))
		must(t, create(t, s, m).Close())
		ids = append(ids, m.ID)
	}
	for _, c := range []struct{ id, want, err string }{
		{id: ids[1], want: ids[1]},
		{id: "shapes-sfk-s2", want: ids[1]},
		{id: filepath.Join(s.Dir(), ids[0]), want: ids[0]},
		{id: "latest", want: ids[2]},
		{id: "shapes", err: "expected more of the name: " + ids[0]},
		{id: "sfk-s3", err: "near it: " + ids[2]},
		{id: "zebra", err: "no run zebra"},
		{id: "../nowhere", err: "nowhere"},
	} {
		run, err := Find(s.Dir(), c.id)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("Find(%q): error %v, want %q", c.id, err, c.err)
			}
			continue
		}
		must(t, err)
		if run.Meta.ID != c.want {
			t.Errorf("Find(%q) = %s, want %s", c.id, run.Meta.ID, c.want)
		}
	}
	runs, problems := List(s.Dir())
	var listed []string
	for _, r := range runs {
		listed = append(listed, r.Meta.ID)
	}
	slices.Reverse(ids)
	if !slices.Equal(listed, ids) || problems != nil {
		t.Errorf("List = %q, %v; want %q", listed, problems, ids)
	}
	if _, err := Find(filepath.Join(s.Dir(), "missing"), "latest"); err == nil {
		t.Error("a run was found in a missing folder")
	}
}
