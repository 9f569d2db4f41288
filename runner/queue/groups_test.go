package queue

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/spec"
)

// knownIn writes a table of two classes and two groups, in which the group agrees with the class
// for nine training samples of ten. Only samples of the splits have a group in the column "place".
// It returns the name of the data set.
func knownIn(t *testing.T, splits ...string) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	var rows strings.Builder
	rows.WriteString("a,b,place,y,split\n")
	for _, split := range []struct {
		name     string
		n        int
		agreeing float64
	}{{"train", 240, .9}, {"val", 120, .5}, {"test", 200, .5}} {
		for i := range split.n {
			label := i % 2
			place := label
			if rng.Float64() > split.agreeing {
				place = 1 - label
			}
			name := ""
			if slices.Contains(splits, split.name) {
				name = []string{"land", "water"}[place]
			}
			fmt.Fprintf(&rows, "%.4f,%.4f,%s,%s,%s\n", float64(2*label-1)+rng.NormFloat64(),
				float64(4*place-2)+rng.NormFloat64(), name, []string{"bird", "cat"}[label],
				split.name)
		}
	}
	path := filepath.Join(t.TempDir(), "places.csv")
	if err := os.WriteFile(path, []byte(rows.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if len(splits) == 0 {
		return "csv:" + path + "?label=y&split=split&drop=place"
	}
	return "csv:" + path + "?label=y&split=split&group=place&cells=yes&missing=category"
}

// onPlaces returns a brief spec of a method on a table of knownIn.
func onPlaces(a dro.Algorithm, dataset string) spec.Spec {
	s := brief(a)
	s.Dataset, s.ValFraction, s.Batch, s.MinGroup = dataset, 0, 40, 5
	return s
}

// start trains a spec, unless it is refused.
func start(t *testing.T, s spec.Spec) (*trace, error) {
	t.Helper()
	store := newMemoryStore()
	q := NewQueue(context.Background(), Settings{Store: store, Threads: 1})
	ids, err := q.Start(runner.Request{Preset: "test", Specs: []spec.Spec{s}})
	if err != nil {
		return nil, err
	}
	q.Wait()
	return store.runs[ids[0]], nil
}

// Every method either trains and is measured by group, whatever samples have a group, or is refused
// with one line. A method that is not refused without the groups of training samples does not read
// them: it ends with the same network, to the bit, as with them. A method that is refused reads
// them: its network is not that of ERM.
func TestEveryMethodWhereverGroupsAreKnown(t *testing.T) {
	all, held, none := knownIn(t, "train", "val", "test"), knownIn(t, "val", "test"), knownIn(t)
	last := func(tr *trace) string { return fmt.Sprint(tr.states[len(tr.states)-1].Parameters) }
	erm, err := start(t, onPlaces(dro.ERM, all))
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for _, m := range dro.Methods() {
		if testing.Short() && m.Name != dro.SFK && m.Name != "group" {
			continue
		}
		everywhere, err := start(t, onPlaces(m.Name, all))
		if err != nil {
			t.Errorf("%s, all groups known: %v", m.Name, err)
			continue
		}
		byClass, err := start(t, onPlaces(m.Name, none))
		if err != nil {
			t.Errorf("%s, no group known: %v", m.Name, err)
			continue
		}
		if got := byClass.summary.Named("worst_group_accuracy"); got.Applies() {
			t.Errorf("%s, no group known: the worst group has %v", m.Name, got)
		}
		tr, err := start(t, onPlaces(m.Name, held))
		if err != nil {
			refused++
			want := fmt.Sprintf("algorithm %s: it reads the groups of training samples", m.Name)
			if text := err.Error(); !strings.Contains(text, want) || strings.Contains(text, "\n") {
				t.Errorf("%s, groups known in val and test: %q, want %q", m.Name, text, want)
			}
			if last(everywhere) == last(erm) {
				t.Errorf("%s is refused, and trains as ERM does on known groups", m.Name)
			}
			continue
		}
		if got, want := tr.summary.Status, runner.Done; got != want {
			t.Errorf("%s, groups known in val and test: %s, want %s", m.Name, got, want)
			continue
		}
		if last(tr) != last(everywhere) {
			t.Errorf("%s trains differently without the groups of training samples", m.Name)
		}
		got, want := tr.summary.Named("worst_group_accuracy"),
			everywhere.summary.Named("worst_group_accuracy")
		if got != want || !got.Applies() {
			t.Errorf("%s, groups known in val and test: worst group %v, want %v", m.Name, got, want)
		}
	}
	if refused == 0 {
		t.Error("no method is refused: the test cannot tell")
	}
}

// What reads the groups of training samples in another way than by a method is refused, too, and
// what the validation split lacks is named.
func TestGroupsOfHeldOutSamplesAlone(t *testing.T) {
	held := knownIn(t, "val", "test")
	for title, c := range map[string]struct {
		method dro.Algorithm
		set    map[string]string // settings as JSON
		want   string            // a part of the error; "": the run is done
	}{
		"dfr_split=val": {"dfr", map[string]string{"dfr_split": `"val"`}, ""},
		"dfr_split=train": {"dfr", map[string]string{"dfr_split": `"train"`},
			"algorithm dfr: it reads the groups of training samples"},
		"afr_split=train": {"afr", map[string]string{"afr_split": `"train"`}, ""},
		"sampler=groups": {"erm", map[string]string{"sampler": `"groups"`},
			"sampler: groups: expected samples: no training sample has a known group"},
		"groups that are not cells": {"group", map[string]string{"dataset": `"` +
			strings.Replace(held, "&cells=yes", "", 1) + `"`},
			"algorithm group: it reads the groups of training samples"},
		"select=val_worst": {"erm", map[string]string{"select": `"val_worst"`}, ""},
		"few of a group": {"dfr", map[string]string{"min_group": "40"},
			"take more for validation, merge it or lower min_group"},
		"test alone": {"dfr", map[string]string{"dataset": `"` + knownIn(t, "test") + `"`},
			"the last layer needs validation samples of every group"},
		"select=val_worst, test alone": {"erm", map[string]string{"select": `"val_worst"`,
			"dataset": `"` + knownIn(t, "test") + `"`}, "expected two parts of the validation split"},
		"ERM, test alone": {"erm", map[string]string{"dataset": `"` + knownIn(t, "test") + `"`}, ""},
		"training and test": {"group", map[string]string{
			"dataset": `"` + knownIn(t, "train", "test") + `"`}, ""},
	} {
		s := onPlaces(c.method, held)
		for key, value := range c.set {
			if err := s.Assign(key, []byte(value)); err != nil {
				t.Fatalf("%s: %v", title, err)
			}
		}
		tr, err := start(t, s)
		switch {
		case c.want != "":
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: the error is %v, want one with %q", title, err, c.want)
			}
		case err != nil:
			t.Errorf("%s: %v", title, err)
		case !tr.summary.Named("worst_group_accuracy").Applies():
			t.Errorf("%s: the run has no worst_group_accuracy", title)
		case tr.meta.Ungrouped && strings.Contains(warnings(tr), "nothing is learned"):
			t.Errorf("%s: the run warns of groups without training samples:\n%s", title,
				warnings(tr))
		}
	}
}
