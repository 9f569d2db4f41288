package queue

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/spec"

	"github.com/google/go-cmp/cmp"
)

// kernelWarnings returns the warnings of a run that name a kernel.
func kernelWarnings(r *trace) (list []string) {
	for _, e := range r.events {
		if w, ok := e.(*runner.WarningEvent); ok && strings.Contains(w.Message, "kernel") {
			list = append(list, w.Message)
		}
	}
	return list
}

// A run records the kernel of its matrix products. A bf16 run is resumed with the same bits, and
// where it goes on with another kernel or precision, its log says so.
func TestRunsNameTheKernelOfTheirPrecision(t *testing.T) {
	settings := brief(dro.SFK)
	settings.Precision, settings.CheckpointEvery = "bf16", 4
	settings.Model, settings.Hidden = "mlp", []int{8}
	exact := settings
	exact.Precision = "fp32"
	store := newMemoryStore()
	q := NewQueue(context.Background(), Settings{Store: store, Host: runner.Host{Kernel: "avx9"}})
	ids, err := q.Start(runner.Request{Specs: []spec.Spec{settings, exact}})
	if err != nil {
		t.Fatal(err)
	}
	q.Wait()
	rounded, plain := store.runs[ids[0]], store.runs[ids[1]]
	got, want := rounded.meta.Host.Kernel, nn.Kernel("bf16")
	if got != want {
		t.Errorf("the kernel of bf16 is %s, want %s", got, want)
	}
	if got := plain.meta.Host.Kernel; got != "avx9" {
		t.Errorf("the kernel of fp32 is %s, want avx9", got)
	}
	if slices.Equal(rounded.lines(t, measured), plain.lines(t, measured)) {
		t.Error("both precisions come to the same numbers")
	}

	same, err := forkAt(t, store, rounded, 8, func(*spec.Spec) {})
	if err != nil {
		t.Fatal(err)
	}
	after := func(e runner.Event) bool { return measured(e) && e.Header().Step > 8 }
	if diff := cmp.Diff(rounded.lines(t, after), same.lines(t, measured)); diff != "" {
		t.Errorf("a run that goes on in bf16 has other events (-want +got):\n%s", diff)
	}
	if w := kernelWarnings(same); len(w) != 0 {
		t.Errorf("a run that goes on in bf16 warns %q, want no warning", w)
	}
	other, err := forkAt(t, store, rounded, 8, func(s *spec.Spec) { s.Precision = "fp32" })
	if err != nil {
		t.Fatal(err)
	}
	if w := kernelWarnings(other); len(w) != 1 || !strings.Contains(w[0], nn.Kernel("bf16")) {
		t.Errorf("a run that goes on in fp32 says %q", w)
	}
}

func TestRunsWithoutAPrecisionAreOfFP32(t *testing.T) {
	var s spec.Spec
	if err := json.Unmarshal([]byte(`{"algorithms": ["erm"]}`), &s); err != nil ||
		s.Precision != "fp32" {
		t.Errorf("precision %q, %v, want fp32", s.Precision, err)
	}
	s.Precision = "fp8"
	if err := s.Validate(); err == nil ||
		!strings.Contains(err.Error(), "expected one of fp32, bf16") {
		t.Errorf("fp8: %v", err)
	}
}

func TestLinearModelsAreOfFP32(t *testing.T) {
	for model, refused := range map[string]bool{"linear": true, "mlp": false} {
		s := spec.Defaults()
		s.Model, s.Precision = model, "bf16"
		err := s.Validate()
		if (err != nil) != refused {
			t.Errorf("Validate() of %s in bf16 = %v, want an error: %v", model, err, refused)
		}
		if err != nil && !strings.Contains(err.Error(), "expected fp32") {
			t.Errorf("Validate() of %s in bf16 = %v, want an error with fp32", model, err)
		}
	}
}
