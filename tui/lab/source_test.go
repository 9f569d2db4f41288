package lab

import (
	"testing"
	"time"

	"drolab/runner"
	"drolab/runner/record"
)

// TestKeptIsListedNewestFirst: lists are in order from newest to oldest, even if the runs were
// named in another order. A replay keeps the order in which they were named.
func TestKeptIsListedNewestFirst(t *testing.T) {
	var given []*record.Run
	for i, id := range []string{"b", "a", "c"} {
		given = append(given,
			&record.Run{Meta: runner.Meta{ID: id, Created: time.Unix(int64(10*(i%2)), 0)}})
	}
	k, reads := NewFixedRuns(func() ([]*record.Run, error) { return given, nil }), ""
	shown, err := k.Runs()
	if err != nil {
		t.Fatalf("Runs(): %v", err)
	}
	listed, problems := k.List()
	if problems != nil {
		t.Fatalf("List() has the problems %v, want none", problems)
	}
	for i := range given {
		reads += shown[i].Meta.ID + listed[i].Meta.ID + " "
	}
	if reads != "ba ab cc " {
		t.Errorf("shown and listed as %q, want %q", reads, "ba ab cc ")
	}
}
