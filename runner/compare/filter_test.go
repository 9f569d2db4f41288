package compare_test

import (
	"testing"
	"time"

	"drolab/presets/recorded"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/record"
	"drolab/runner/spec"

	"github.com/google/go-cmp/cmp"
)

// TestFilterOfLargeSeeds: two seeds that are one float64 are told apart.
func TestFilterOfLargeSeeds(t *testing.T) {
	const seed = 1<<53 + 1
	r := &record.Run{Meta: runner.Meta{Spec: spec.Defaults()}}
	r.Meta.Spec.Seed = seed
	for text, want := range map[string]bool{"seed=9007199254740993": true,
		"seed:9007199254740992": false, "seed!=9007199254740992": true,
		"seed=0_9007199254740993": true, "seed!=9007199254740993": false} {
		f, err := compare.ParseFilter(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := f(r); got != want {
			t.Errorf("%s of seed %d: %v, want %v", text, uint64(seed), got, want)
		}
	}
}

// FuzzFilter: typed text is a filter or an error, and a filter and its opposite divide the runs in
// two.
func FuzzFilter(f *testing.F) {
	for _, s := range []string{"-failed", "rho>=0.5", "algo:sfk", "-", "lr!=1e999",
		"=", "seed<", "-a=b:c"} {
		f.Add(s)
	}
	list, _ := recorded.Find("recorded:paper")
	f.Fuzz(func(t *testing.T, text string) {
		yes, no, err := compare.TermAndOpposite(text)
		if err != nil || yes == nil { // it is typed still
			return
		}
		for _, r := range append(list, &record.Run{}) {
			if r.Summary() != nil && yes(r) == no(r) {
				t.Errorf("%q and its opposite agree on %s", text, r.Meta.ID)
			}
		}
	})
}

// TestFilterOfTimes: a run is found by how long ago it started, and by its day.
func TestFilterOfTimes(t *testing.T) {
	r := &record.Run{Meta: runner.Meta{Created: time.Now().Add(-90 * time.Minute)}}
	day := r.Meta.Created.UTC().Format("2006-01-02")
	for text, want := range map[string]bool{"started>-1h": false, "started>-2h": true,
		"started<-1h": true, "started<-2h": false, "started>-1d": true, "-started>-1d": false,
		"started:" + day: true, "started>" + day: false, "started>=" + day: true,
		"started>-1h45m": true, "started>-1h4": true,
		"started>-1h15m": false,
		"started>-1w":    true, "started<2020-01-01": false,
		"started>2020-01-01": true, "started>-": true} {
		f, err := compare.ParseFilter(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := f(r); got != want {
			t.Errorf("%s of a run of 90 minutes ago: %v, want %v", text, got, want)
		}
	}
	for _, text := range []string{"started>1x", "started>-1x2", "started>1h", "started>-1m1h"} {
		if _, err := compare.ParseFilter(text); err == nil {
			t.Errorf("%s is accepted, want an error", text)
		}
	}
}

// TestComplete: keys, and the values of a key that runs have.
func TestComplete(t *testing.T) {
	var runs []*record.Run
	for _, preset := range []string{"shapes", "race", "shapes"} {
		r := &record.Run{Meta: runner.Meta{Preset: preset, Spec: spec.Defaults()}}
		runs = append(runs, r)
	}
	for text, want := range map[string][]string{"": nil, "pres": {"preset"},
		"worst>3% pres": {"preset"}, "preset:": {"preset:race", "preset:shapes"},
		"(-preset:s": {"-preset:shapes"}, "preset=race": nil, "nothing:": nil,
		"start": {"started"}} {
		got := compare.Complete(text, runs)
		if len(got)+len(want) > 0 {
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%q becomes (-want +got):\n%s", text, diff)
			}
		}
	}
}

// TestNoMatch: a value that no run has is told with those that runs have, the nearest first; of
// boxes with those that are shown.
func TestNoMatch(t *testing.T) {
	var runs []*record.Run
	for _, preset := range []string{"race", "shapes", "Shapely"} {
		runs = append(runs, &record.Run{Meta: runner.Meta{Preset: preset, Spec: spec.Defaults()}})
	}
	const none = "No runs match"
	for filter, want := range map[string]string{
		"box=gpu9":                none + " box=gpu9: expected gpu1, gpu2, here",
		"box:HERE -shapes nobody": none,
		"box=gpu2":                none,
		"preset=shape":            none + " preset=shape: expected shapes, Shapely, race",
		"preset:shape sfk":        none,
		"preset=shapely x":        none,
		"method:adam":             none + " method:adam: expected sfk",
		"model=x OR model=y":      none + " model=x: expected convnet",
		"augment=maybe":           none + " augment=maybe: expected true",
		"-box:gpu9 nobody":        none,
		"seed=77":                 none,
		"note:x id:y started>-1h": none,
		"box:":                    none,
		"nobody":                  none,
		"no such key:x (":         none,
	} {
		if got := compare.NoMatch(filter, runs, []string{"gpu1", "gpu2"}); got != want {
			t.Errorf("%s: %q, want %q", filter, got, want)
		}
	}
}

// TestFilterOfKinds: imported runs and those that were trained here are told apart.
func TestFilterOfKinds(t *testing.T) {
	trained := &record.Run{Meta: runner.Meta{Spec: spec.Defaults()}}
	imported := &record.Run{Meta: runner.Meta{Spec: spec.Defaults(),
		Imported: &runner.Imported{}}}
	for text, want := range map[string][2]bool{"kind=imported": {false, true},
		"kind:trained": {true, false}, "-kind=imported": {true, false}} {
		f, err := compare.ParseFilter(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]bool{f(trained), f(imported)}; got != want {
			t.Errorf("%s: trained and imported %v, want %v", text, got, want)
		}
	}
}
