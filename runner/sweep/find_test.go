package sweep

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestUnder(t *testing.T) {
	dir := t.TempDir()
	if got := FindUnder(dir); got != nil {
		t.Errorf("in an empty folder: %v", got)
	}
	var want []string
	for i, name := range []string{"old", "[new]"} {
		at := filepath.Join(dir, name)
		if _, err := Make(at, []byte(tiny), parse(t, tiny).Expand()); err != nil {
			t.Fatal(err)
		}
		when := time.Unix(int64(1000+i), 0)
		if err := os.Chtimes(filepath.Join(at, listName), when, when); err != nil {
			t.Fatal(err)
		}
		want = slices.Insert(want, 0, at)
	}
	if got := FindUnder(dir); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := FindUnder(want[0]); !slices.Equal(got, want[:1]) {
		t.Errorf("of a sweep's own folder: %v", got)
	}
}
