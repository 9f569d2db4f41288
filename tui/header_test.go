package tui

import (
	"fmt"
	"strings"
	"testing"

	"drolab/runner/record"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
)

// TestHeaderCountsAllLive: where more runs are live on this machine than are watched, the header of
// every page counts all of them and says which it speaks of; otherwise it tells the states of those
// that are watched. Narrow screens keep the states.
func TestHeaderCountsAllLive(t *testing.T) {
	r := watching(t, 120, 40)
	var live []*record.Run
	for _, run := range r.watch.Runs.Tracks {
		live = append(live, run.Run)
	}
	head := func() string {
		first, _, _ := strings.Cut(tuitest.Text(r.shot(t)), "\n")
		return first
	}
	for _, more := range []int{0, 3} {
		r.live = live
		for range more { // runs that another program trains
			r.live = append(r.live, live[0])
		}
		for page := range r.pages {
			r.current, r.version = pageID(page), r.version+1
			want := fmt.Sprintf("%d live here · watched: 4 running", len(live)+more)
			if got := head(); strings.Contains(got, want) != (more > 0) ||
				!strings.Contains(got, "4 running") {
				t.Errorf("%d more, page %d: %q, want %q in it: %v", more, page, got, want, more > 0)
			}
		}
	}
	r.size(80, 24)
	if got, want := head(), fmt.Sprintf("%d live, 4 watched", len(live)+3); !strings.Contains(got,
		want) {
		t.Errorf("at 80 cells the header is %q, want %q in it", got, want)
	}
	r.size(40, 12)
	if got := head(); strings.Contains(got, "running") && !strings.Contains(got, "watched") {
		t.Errorf("a narrow header takes the watched runs for all: %q", got)
	}
	r.current, r.version = watchPage, r.version+1
	if got := head(); !strings.Contains(got, "4 running") {
		t.Errorf("a narrow header lacks the states: %q", got)
	}
	r = watching(t, 120, 40)
	r.watch.Runs.Tracks = nil
	r.live, r.version = live, r.version+1
	if got := head(); !strings.Contains(got, "4 live here") || strings.Contains(got, "watched") {
		t.Errorf("with nothing watched the header says %q", got)
	}
}

// TestHeaderLooksWhileWatching: the runs of the folder are listed while a watched run is live, too.
func TestHeaderLooksWhileWatching(t *testing.T) {
	r := watching(t, 120, 40)
	if r.look() == nil {
		t.Error("no look at the folder while a run is watched")
	}
	r.Send(lab.Listed{})
	if !r.watch.Live() {
		t.Error("the watched runs have ended")
	}
}
