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
	store := newMemory()
	q := NewQueue(context.Background(), Settings{Store: store, Host: runner.Host{Kernel: "avx9"}})
	ids, err := q.Start(runner.Request{Specs: []spec.Spec{settings, exact}})
	if err != nil {
		t.Fatal(err)
	}
	q.Wait()
	rounded, plain := store.runs[ids[0]], store.runs[ids[1]]
	got, want := rounded.meta.Host.Kernel, nn.Kernel("bf16")
	if got != want || plain.meta.Host.Kernel != "avx9" {
		t.Errorf("kernels %s and %s, want %s and avx9", got, plain.meta.Host.Kernel, want)
	}
	if slices.Equal(rounded.lines(t, measured), plain.lines(t, measured)) {
		t.Error("both precisions come to the same numbers")
	}

	same, err := forkAt(t, store, rounded, 8, func(*spec.Spec) {})
	if err != nil {
		t.Fatal(err)
	}
	after := func(e runner.Event) bool { return measured(e) && e.Header().Step > 8 }
	if !slices.Equal(same.lines(t, measured), rounded.lines(t, after)) ||
		len(kernelWarnings(same)) != 0 {
		t.Errorf("a run that goes on in bf16 is another one, or warns: %q", kernelWarnings(same))
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
	if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "want one of fp32, bf16") {
		t.Errorf("fp8: %v", err)
	}
}

func TestLinearModelsAreOfFP32(t *testing.T) {
	for model, refused := range map[string]bool{"linear": true, "mlp": false} {
		s := spec.Defaults()
		s.Model, s.Precision = model, "bf16"
		if err := s.Validate(); (err != nil) != refused ||
			refused && !strings.Contains(err.Error(), "want fp32") {
			t.Errorf("%s in bf16: %v", model, err)
		}
	}
}
