package launch

import (
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner/spec"
	"drolab/runner/train"
	"drolab/tui/internal/tuitest"
)

func TestEstimate(t *testing.T) {
	past, problems := tuitest.NewArchive(t).List()
	if len(problems) > 0 {
		t.Fatalf("the problems of the folder are %v, want none", problems)
	}
	base := tuitest.Archived(dro.ERM, 1, "shapes", tuitest.Epoch0()).Spec
	const cpu = "a processor"
	one := estimateOf([]spec.Spec{base}, past, cpu, here)
	if one.duration <= 0 || !strings.Contains(one.basis, "runs here") {
		t.Fatalf("the estimate is %+v, want a time, judging by runs here", one)
	}
	// The archived runs have 2000 images a second each; four run at once; the test split has 2000.
	images := 0.0
	for _, n := range tuitest.Archived(dro.ERM, 1, "", tuitest.Epoch0()).ClassCounts.Train {
		images += float64(n)
	}
	work := func(epochs, evaluations float64) float64 { // a gradient of all images ends a run
		return epochs*images + evaluations*train.ForwardShare*(images+2000) + images
	}
	want := work(tuitest.Epochs, tuitest.Epochs) / (4 * 2000)
	// SFK's runs are as fast in the archive, so the median lies above ERM's.
	if got := one.duration.Seconds(); got < want/1.4 || got > want*1.01 {
		t.Errorf("one run takes %.2f s, want about %.2f", got, want)
	}
	ratio := func(change func(*spec.Spec)) float64 {
		s := base
		change(&s)
		return float64(estimateOf([]spec.Spec{s}, past, cpu, here).duration) / float64(one.duration)
	}
	near := func(got, want float64, what string) {
		if got < want*0.99 || got > want*1.01 {
			t.Errorf("%s: %.3f times as long, want %.3f", what, got, want)
		}
	}
	two := estimateOf([]spec.Spec{base, base}, past, cpu, here)
	near(float64(two.duration)/float64(one.duration), 2, "two runs")
	near(ratio(func(s *spec.Spec) { s.Epochs *= 3 }),
		work(3*tuitest.Epochs, 3*tuitest.Epochs)/work(tuitest.Epochs, tuitest.Epochs),
		"three times the epochs")
	near(ratio(func(s *spec.Spec) { s.EvalEvery = 2 }),
		work(tuitest.Epochs, tuitest.Epochs/2)/work(tuitest.Epochs, tuitest.Epochs),
		"half the evaluations")
}

func TestEstimateUnknown(t *testing.T) {
	past, _ := tuitest.NewArchive(t).List()
	base := tuitest.Archived(dro.ERM, 1, "shapes", tuitest.Epoch0()).Spec
	for _, c := range []struct {
		what   string
		change func(*spec.Spec)
		cpu    string
	}{
		{"another processor", func(*spec.Spec) {}, "another"},
		{"another model", func(s *spec.Spec) { s.Model = "mlp" }, "a processor"},
		{"another dataset", func(s *spec.Spec) { s.Dataset = "mnist" }, "a processor"},
	} {
		s := base
		c.change(&s)
		e := estimateOf([]spec.Spec{s}, past, c.cpu, here)
		if e.duration != 0 || !strings.HasPrefix(e.basis, "not known") {
			t.Errorf("%s: the estimate is %+v, want none, and not known in its basis", c.what, e)
		}
	}
	s := base
	s.Epochs = 1 << 60
	if e := estimateOf([]spec.Spec{s}, past, "a processor", here); e.duration != 0 {
		t.Errorf("an absurd length takes %v, want 0", e.duration)
	}
	if d := duration(200 * time.Millisecond); d != "1s" {
		t.Errorf("a short time is shown as %q, want %q", d, "1s")
	}
}
