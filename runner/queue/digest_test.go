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
	"strings"
	"testing"

	"drolab/dro"
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
	shapes := func(a dro.Algorithm) spec.Spec {
		return set(quick(a), func(s *spec.Spec) { s.Dataset = "shapes" })
	}
	for _, c := range []struct {
		name string
		spec spec.Spec
		want string
	}{
		{"sfk", shapes(dro.SFK), "90423e09a413909f"},
		{"pgd", shapes(dro.PGD), "37faee45c8f18832"},
		{"pan", shapes(dro.PAN), "65dc192f5f661a85"},
		{"erm", shapes(dro.ERM), "ae9a55536d1cf77a"},
		{"sfk, convolutions", set(shapes(dro.SFK), func(s *spec.Spec) {
			s.Model, s.Samples, s.Epochs = "convnet", 320, 1
		}), "2ec8808e5c0e54af"},
		{"sfk-auto, rule 1, own z-batch", set(brief(dro.SFKAuto), func(s *spec.Spec) {
			s.BatchZ, s.ValFraction = 48, .2
			s.SetOwn("c_rule", dro.Fixed(1))
		}), "b32c0f73f45f8f91"},
		{"sfk-auto, own z-batch", set(brief(dro.SFKAuto), func(s *spec.Spec) {
			s.BatchZ, s.ValFraction = 48, .2
		}), "c8da05a593242043"},
		{"sfk, shared batch", set(brief(dro.SFK), func(s *spec.Spec) {
			s.WeightDecay, s.LRDropEpoch = 1e-3, 1
			s.SetOwn("share_batch", dro.Fixed(1))
		}), "6cf31908dc6ec357"},
		{"sfk-auto, rule 1, cvar", set(brief(dro.SFKAuto), func(s *spec.Spec) {
			s.Uncertainty = "cvar"
			s.SetOwn("c_rule", dro.Fixed(1))
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
		if fields["test_loss"] != nil && value == nil && strings.HasPrefix(key, "val_") {
			value = json.RawMessage("null") // runs without a validation split once said so
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
