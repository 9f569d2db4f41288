package watch

import (
	"fmt"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/runner/record"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"
)

func TestMany(t *testing.T) {
	s := tuitest.NewScript(t)
	store, err := record.Open(string(s.Folder))
	if err != nil {
		t.Fatal(err)
	}
	const more = lab.MaxWatched + 10
	for i := range more {
		m := tuitest.Meta(dro.PGD, tuitest.Epoch0())
		m.Spec.Seed = uint64(i + 2)
		rec, err := store.Create(m, nil)
		if err != nil {
			t.Fatal(err)
		}
		rec.Close()
	}
	var ids []string
	runs, _ := s.List()
	for _, run := range runs {
		ids = append(ids, run.Meta.ID)
	}
	r := newDriver(t, s, 80, 24)
	r.Send(lab.Watch{IDs: ids})
	if n := len(r.watch.Runs.Tracks); n != lab.MaxWatched {
		t.Errorf("%d runs are watched, want %d", n, lab.MaxWatched)
	}
	methods := map[dro.Algorithm]bool{}
	for _, track := range r.watch.Runs.Tracks {
		if methods[track.Meta.Spec.Algorithm()] = true; track.Meta.Spec.Seed > lab.MaxWatched-3 {
			t.Errorf("a run of seed %d is watched, one of a lower seed is not",
				track.Meta.Spec.Seed)
		}
	}
	if len(methods) != 4 {
		t.Errorf("of the methods %v are watched, want 4", methods)
	}
	said := fmt.Sprintf("%d runs found. %d are watched", more+4, lab.MaxWatched)
	if f := r.Notice.Text; !strings.Contains(f, said) {
		t.Errorf("the footer says %q", f)
	}
	// Every run can be reached, and is on the screen when it is under the cursor. With -short,
	// every eighth screen is looked at.
	for i := range lab.MaxWatched {
		label := r.watch.Runs.Run().Label
		looked := i%testsize.Pick(8, 1, 1) == 0
		if looked && !strings.Contains(tuitest.Text(r.Shot()), label) {
			t.Errorf("%s is under the cursor and not on the screen", label)
		}
		r.Press("down")
	}
}

// TestFewer: of more settings than there are colours, as many as there are colours are watched,
// with their first seeds.
func TestFewer(t *testing.T) {
	var runs []*record.Run
	for seed := range uint64(4) {
		for i := range kit.Colors + 4 {
			m := tuitest.Meta(dro.PGD, tuitest.Epoch0())
			m.Spec.Seed, m.Spec.Rho = seed, float64(i+1)
			runs = append(runs, &record.Run{Meta: *m})
		}
	}
	list := panel.Watchable(runs)
	radii := map[float64]bool{}
	for _, r := range list {
		if radii[r.Meta.Spec.Rho] = true; r.Meta.Spec.Seed > 2 {
			t.Errorf("seed %d of ρ = %g is watched", r.Meta.Spec.Seed, r.Meta.Spec.Rho)
		}
	}
	if len(list) != lab.MaxWatched {
		t.Errorf("%d runs are watched, want %d", len(list), lab.MaxWatched)
	}
	if len(radii) != kit.Colors {
		t.Errorf("they have %d settings, want %d", len(radii), kit.Colors)
	}
}

// TestFewerKeepsSeeds: a configuration with more seeds takes precedence over those with one,
// wherever it is in the list.
func TestFewerKeepsSeeds(t *testing.T) {
	var runs []*record.Run
	add := func(rho float64, seed uint64) {
		m := tuitest.Meta(dro.PGD, tuitest.Epoch0())
		m.Spec.Seed, m.Spec.Rho = seed, rho
		runs = append(runs, &record.Run{Meta: *m})
	}
	for i := range kit.Colors + 4 {
		add(float64(i+1), 1)
	}
	add(.5, 1)
	add(.5, 2)
	seen := 0
	for _, r := range panel.Watchable(runs) {
		if r.Meta.Spec.Rho == .5 {
			seen++
		}
	}
	if seen != 2 {
		t.Errorf("%d of the two seeds are watched, want 2", seen)
	}
}
