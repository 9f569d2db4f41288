package bridge_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"drolab/dro"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// TestStepsByForms: a program that takes whole steps by forms has the numbers of one whose weights
// are drolab's, across epochs, evaluations, checkpoints and a start from the beginning. So has one
// on a device apart, which waits for nothing of a step before the next forward pass, unless
// something comes between the two: pythontest/peer/native.py checks that.
func TestStepsByForms(t *testing.T) {
	means := forked(t)
	for _, a := range []dro.Algorithm{dro.ERM, dro.SFK, dro.PGD, "group", "jtt"} {
		t.Run(string(a), func(t *testing.T) {
			t.Parallel()
			r := newRunsFolder(t)
			s := pictured("linear", a)
			s.Epochs, s.BatchZ, s.CheckpointEvery, s.Clip = 4, 40, 7, dro.Fixed(.5)
			if a == "jtt" {
				s.SetOwn("jtt_epochs", dro.Fixed(2))
			}
			folder := written(t, &s)
			var logs []map[string]map[string]any
			for _, words := range [][]string{nil, {"forms=1"}, {"apart=1"}} {
				job := torchJob(t, r, s, folder, words...)
				id := must(r.queueUp(means, job))(t)[0]
				logs = append(logs, r.log(t, id))
				run := must(record.Find(r.dir, id))(t)
				if n := len(r.log(t, id)); n < 30 {
					t.Errorf("%v: %d events, want 30 or more", words, n)
				}
				if got := run.Meta.Spec.Weights; got != spec.OnDevice {
					t.Errorf("%v: weights = %s, want %s", words, got, spec.OnDevice)
				}
			}
			var copies, behind int
			text := must(os.ReadFile(filepath.Join(folder, "arrived")))(t)
			fmt.Sscan(string(text), &copies, &behind)
			if copies < 80 {
				t.Errorf("%d copies arrived, want 80 or more", copies)
			}
			if want := copies * 6 / 10; behind < want {
				t.Errorf("of %d copies, %d were waited for behind the next forward pass, want %d "+
					"or more", copies, behind, want)
			}
			for i, word := range []string{"forms=1", "apart=1"} {
				wantLog(t, word, logs[i+1], logs[0], 0)
			}
		})
	}
}
