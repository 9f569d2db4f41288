package console

import (
	"path/filepath"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/box"
	"drolab/tui/internal/tuitest"
)

// TestKnownAgo: a run of a box that nobody hears is told with its age, and counts as live nowhere.
func TestKnownAgo(t *testing.T) {
	there := tuitest.NewArchive(t)
	there.Add(t, "live", tuitest.Archived(dro.SFK, 1, "far", tuitest.Epoch0()), runner.Running, "")
	for _, c := range []struct {
		known time.Duration
		want  string
		live  int
	}{{0, "", 1}, {3 * time.Hour, "3 h ago", 0}} {
		b := tuitest.NewBox(t, "gpu1", string(there.Folder), time.Now().Add(-c.known))
		con := New(Env{BoxEnv: BoxEnv{Mirrors: filepath.Dir(filepath.Dir(b.Dir))}})
		con.boxes.all = []box.Linked{b}
		runs, problems := con.CatalogueOf(b.Dir).List()
		if len(problems) > 0 {
			t.Fatalf("the problems %v, want none", problems)
		}
		for _, r := range runs {
			want := c.want
			if r.Status().Ended() {
				want = ""
			}
			if got := con.KnownAgo(r); got != want {
				t.Errorf("%s, known %v ago: %q, want %q", r.Meta.ID, c.known, got, want)
			}
		}
		of := con.mirrorState("gpu1", b.Link.State())
		if of.Live != c.live || of.Runs != len(runs) {
			t.Errorf("known %v ago: %d runs, %d live, want %d and %d", c.known, of.Runs, of.Live,
				len(runs), c.live)
		}
	}
}

// TestElsewhereText: what another drolab hears of a box is told as what this one hears.
func TestElsewhereText(t *testing.T) {
	now := time.Now()
	for known, want := range map[time.Duration]string{
		time.Second:      "",
		30 * time.Second: "no link for 30s: another drolab keeps the mirror, and hears nothing",
	} {
		s := box.State{Elsewhere: true, Known: now.Add(-known)}
		if got := elsewhereText(s, now); got != want {
			t.Errorf("heard %v ago: %q, want %q", known, got, want)
		}
	}
}
