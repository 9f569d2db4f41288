//go:build purego && amd64

package queue

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"math"
	"slices"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// The numbers of a run are a promise: the same seed gives the same bits from one version of the
// program to the next. These digests were taken before methods, measures and settings got
// registries of their own. Plain Go on one kind of processor keeps the kernels out of them.
//
// A field that a version adds to a log does not count: only the fields in this list do. A digest
// may change for a reason that its commit gives.
func digestedFields() []string {
	return []string{"type", "step", "epoch",
		"loss", "objective", "lambda", "eta", "gap", "gamma", "grad_norm", "mean_ratio",
		"divergence",
		"min", "max", "train_loss", "test_loss", "test_accuracy", "val_loss", "val_accuracy",
		"class_accuracy", "class_loss", "class_weight", "robust_risk", "train_objective",
		"train_robust_risk", "dual_gap", "effective_sample_size", "full_grad_norm", "above_bound"}
}

func TestNumbersAreThoseOfVersionsBefore(t *testing.T) {
	set := func(s spec.Spec, change func(*spec.Spec)) spec.Spec {
		change(&s)
		return s
	}
	for _, c := range []struct {
		name string
		spec spec.Spec
		want string
	}{
		{"sfk", quick(dro.SFK), "90423e09a413909f"},
		{"pgd", quick(dro.PGD), "37faee45c8f18832"},
		{"pan", quick(dro.PAN), "65dc192f5f661a85"},
		{"erm", quick(dro.ERM), "ae9a55536d1cf77a"},
		{"sfk, convolutions", set(quick(dro.SFK), func(s *spec.Spec) {
			s.Model, s.Samples, s.Epochs = "convnet", 320, 1
		}), "2ec8808e5c0e54af"},
		{"sfk, c auto, own z-batch", set(brief(dro.SFK), func(s *spec.Spec) {
			s.BatchZ, s.ValFraction = 48, .2
			s.SetOwn("c", spec.Auto{})
			*s = recordedBefore(t, *s, "c_rule")
		}), "b32c0f73f45f8f91"},
		{"sfk-auto, which was sfk with c auto, own z-batch",
			set(brief(dro.SFKAuto), func(s *spec.Spec) {
				s.BatchZ, s.ValFraction = 48, .2
			}), "c8da05a593242043"},
		{"sfk, shared batch", set(brief(dro.SFK), func(s *spec.Spec) {
			s.WeightDecay, s.LRDropEpoch = 1e-3, 1
			s.SetOwn("share_batch", spec.Fixed(1))
		}), "6cf31908dc6ec357"},
		{"sfk, cvar", set(brief(dro.SFK), func(s *spec.Spec) {
			s.Uncertainty = "cvar"
			s.SetOwn("c", spec.Auto{})
			*s = recordedBefore(t, *s, "c_rule")
		}), "c35fa046a49f03e8"},
		{"pgd, kl", set(brief(dro.PGD), func(s *spec.Spec) { s.Uncertainty = "kl" }),
			"f51fc4a86b4bdfed"},
		{"pgd, k = 1.5", set(brief(dro.PGD), func(s *spec.Spec) { s.K, s.CertifyEvery = 1.5, 1 }),
			"3e860c0e1712f951"},
		{"pan, smoothed cvar", set(brief(dro.PAN), func(s *spec.Spec) {
			s.Uncertainty, s.Mu, s.Momentum = "smoothed-cvar", .3, 0
		}), "6758826f3d31f7a0"},
	} {
		if got := digest(t, runAll(t, 1, c.spec)[0]); got != c.want {
			t.Errorf("%s: digest %s, was %s", c.name, got, c.want)
		}
	}
}

// An old log may have turned c between a number and auto, which changes the method now. A resume
// that takes those steps again comes to the same bits. The one exception is the run that goes back
// to a number. Its step 13 has γ = 1 and went to η = 10 + 2e-15, beyond the box that ends at 10. It
// stops at 10 since sfk projects z.
func TestOldRunsThatTurnedTheMethodGoOn(t *testing.T) {
	settings, auto := brief(dro.SFK), brief(dro.SFKAuto)
	settings.CheckpointEvery, auto.CheckpointEvery = 4, 4
	for _, c := range []struct {
		name  string
		spec  spec.Spec
		knobs []measure.Number
		want  string
	}{
		{"a number to auto", settings, []measure.Number{{}}, "6083b39b21ce2df0"},
		{"a number to auto and back", settings, []measure.Number{{}, measure.Num(50)},
			"5ffb5ec1b9c6b4c2"},
		{"auto to a number", auto, []measure.Number{measure.Num(50)}, "e21cea49748b1384"},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := &at{memory: newMemory(), step: 9}
			q := NewQueue(t.Context(), Settings{Store: store})
			store.do = func(id string) {
				if err := q.Stop(id); err != nil {
					t.Error(err)
				}
			}
			ids, err := q.Start(runner.Request{Specs: []spec.Spec{c.spec}})
			if err != nil {
				t.Fatal(err)
			}
			q.Wait()
			tr := store.runs[ids[0]]
			for _, v := range c.knobs {
				tr.events = append(tr.events, &runner.KnobEvent{Head: runner.Head{Step: 9},
					Key: "c", New: v})
			}
			tr.states = tr.states[:2] // up to step 8
			if err := q.Resume(ids[0]); err != nil {
				t.Fatal(err)
			}
			if o := q.Wait(); o[0].Status != runner.Done {
				t.Fatalf("outcome %+v, want done", o[0])
			}
			tr.events = afterResume(tr.events)
			if got := digest(t, tr); got != c.want {
				t.Errorf("digest %s, was %s", got, c.want)
			}
		})
	}
}

// digest hashes the numbers of all events and the last checkpoint's tensors.
func digest(t *testing.T, tr *trace) string {
	h := sha256.New()
	for _, line := range tr.lines(t, measured) {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatal(err)
		}
		hashFields(t, h, fields)
	}
	last := tr.states[len(tr.states)-1]
	for _, p := range slices.Concat(last.Parameters, last.Velocities, last.Picked) {
		fmt.Fprint(h, p.Name, p.Shape)
		for _, x := range p.Data {
			binary.Write(h, binary.LittleEndian, math.Float32bits(x))
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

func hashFields(t *testing.T, h hash.Hash, fields map[string]json.RawMessage) {
	// Where groups are given, the figures by class once were those of the groups, which have names
	// of their own now.
	byGroup := map[string]string{"class_accuracy": "group_accuracy", "class_loss": "group_loss",
		"class_weight": "group_ratio"}
	for _, key := range digestedFields() {
		value := fields[key]
		if worst := fields["worst_divergence"]; key == "divergence" && worst != nil {
			value = worst // its earlier name
		}
		if ofGroups := fields[byGroup[key]]; ofGroups != nil {
			value = ofGroups
		}
		if key != "min" && key != "max" || value == nil {
			fmt.Fprintf(h, "%s %s\n", key, value)
			continue
		}
		var inner map[string]json.RawMessage
		if err := json.Unmarshal(value, &inner); err != nil {
			t.Fatal(err)
		}
		hashFields(t, h, inner)
	}
}

// A run of an earlier program, whose scales are fitted to the held-out samples as well, keeps its
// numbers.
func TestNumbersOfScalesBefore(t *testing.T) {
	store, id := begunAs(t, "", func(s *spec.Spec) {
		s.BatchZ = 48
		s.Algorithms = []dro.Algorithm{dro.SFKAuto}
	})
	if got, want := digest(t, finish(t, store, id)), "3b53b87b27b72d7d"; got != want {
		t.Errorf("digest %s, was %s", got, want)
	}
}

// recordedBefore returns s as read from a run.json that was written before the setting existed.
func recordedBefore(t *testing.T, s spec.Spec, key string) (back spec.Spec) {
	t.Helper()
	values := map[string]json.RawMessage{}
	b, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(b, &values)
	}
	delete(values, key)
	if err == nil {
		b, err = json.Marshal(values)
	}
	if err == nil {
		err = json.Unmarshal(b, &back)
	}
	if err != nil {
		t.Fatal(err)
	}
	return back
}
