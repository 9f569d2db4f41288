package certificate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"drolab/dro"
	"drolab/dro/peertest"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// The figures of groups that overlap are those of a script: of the run, of a look at its checkpoint
// and of its certificate. Methods train on any of the groups × label.
func TestOverlapAgainstScript(t *testing.T) {
	peertest.Python(t, "numpy")
	file := filepath.Join(t.TempDir(), "twelve.npz")
	peertest.Run(t, "numpy", "peer/overlap.py", "make", file)
	for kind, options := range map[string]string{"columns": "", "cells": "?cells=yes"} {
		r := trained(t, func(s *spec.Spec) {
			s.Dataset, s.ValFraction, s.Select = "npz:"+file+options, 0, spec.SelectValWorst
			s.Algorithms[0], s.Epochs = "group", 2
		})
		l, pick := at(t, r, runner.SplitTest)
		var table bytes.Buffer
		fmt.Fprintln(&table, "row,prediction")
		for i, row := range l.Rows {
			fmt.Fprintf(&table, "%d,%d\n", row, l.Predictions[i])
		}
		path := filepath.Join(t.TempDir(), "predictions.csv")
		if err := os.WriteFile(path, table.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		var want map[string]map[string][]float64
		out := peertest.Run(t, "numpy", "peer/overlap.py", "measure", file, path)
		if err := json.Unmarshal(out, &want); err != nil {
			t.Fatal(err)
		}
		s, d := r.Summary(), l.Decisions(0, 1, 1)
		t.Logf("%s: worst %v, adjusted %v", kind, want[kind]["worst_group_accuracy"],
			want[kind]["adjusted_accuracy"])
		for name, of := range want[kind] {
			var got [][]measure.Number
			switch name {
			case "counts":
				for g, n := range of {
					if r.Meta.GroupCounts.Test[g] != int(n) || l.Totals().GroupCounts[g] != int(n) {
						t.Errorf("%s: group %d has %v samples, want %v", kind, g,
							r.Meta.GroupCounts.Test[g], n)
					}
				}
				continue
			case "group_accuracy":
				got = [][]measure.Number{s.ByGroup.Named(name), l.Totals().ByGroup, pick.ByGroup}
			case "worst_group_accuracy":
				got = [][]measure.Number{{s.Named(name)}, {l.Totals().Worst}}
			case "group_true_positive_rate":
				got = [][]measure.Number{s.ByGroup.Named(name), d.Rates[name]}
			default:
				got = [][]measure.Number{{s.Named(name)}, {d.Measures.Named(name)}}
			}
			for _, list := range got {
				same := func(a measure.Number, b float64) bool {
					return math.Abs(a.Float()-b) <= 1e-12
				}
				if !slices.EqualFunc(list, of, same) {
					t.Errorf("%s, %s: %v, want %v", kind, name, list, of)
				}
			}
		}
		m := &r.Meta
		if n := len(m.TrainGroups); n != 4 || m.TrainGroups[n-1] != "y=1 × any" {
			t.Errorf("%s: the run trains on the groups %q, want 4, the last one %q", kind,
				m.TrainGroups, "y=1 × any")
		}
		if got, want := len(m.Groups), len(want[kind]["counts"]); got != want {
			t.Errorf("%s: the run measures the groups %q, want %d", kind, m.Groups, want)
		}
		if s.Selected == nil {
			t.Errorf("%s: no step is selected", kind)
		}
		certified(t, l)
	}
}

// certified fails unless a certificate's ratio of each group is the mean over its samples.
func certified(t *testing.T, l *View) {
	t.Helper()
	f := &Frozen{Meta: &l.Run.Meta, Data: l.Data}
	grid := Grid{Sets: []dro.Set{dro.CressieRead{K: 2}}, Radii: []float64{.5}}
	list, err := f.Certify(&l.Pass, grid)
	if err != nil {
		t.Fatal(err)
	}
	ratios, _, err := l.Weigh(.5)
	if err != nil {
		t.Fatal(err)
	}
	for g, got := range list[0].ByGroup {
		sum, n := 0., 0.
		for i, groups := range l.Members {
			if slices.Contains(groups, g) {
				sum, n = sum+ratios[i], n+1
			}
		}
		if math.Abs(got.Float()-sum/n) > 1e-9 {
			t.Errorf("ratio of group %d: %v, want %v", g, got, sum/n)
		}
	}
}
