package record

import (
	"slices"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
)

func TestMixed(t *testing.T) {
	s := newStore(t)
	for i, c := range []struct {
		name   string
		method dro.Algorithm
		knob   *runner.KnobEvent
		want   string
	}{
		{"untouched", dro.SFK, nil, ""},
		{"another number", dro.SFK, &runner.KnobEvent{Key: "c", New: measure.Num(50)}, ""},
		{"another knob", dro.SFKAuto, &runner.KnobEvent{Key: "lr", New: measure.Num(.1)}, ""},
		{"to auto", dro.SFK, &runner.KnobEvent{Key: "c"}, "sfk, from step 9 on sfk-auto"},
		{"to a number", dro.SFKAuto, &runner.KnobEvent{Key: "c", New: measure.Num(50)},
			"sfk-auto, from step 9 on sfk"},
		{"no relative", dro.PGD, &runner.KnobEvent{Key: "c"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMeta(uint64(i))
			m.Spec.Algorithms = []dro.Algorithm{c.method}
			r := create(t, s, m)
			if c.knob != nil {
				c.knob.Head = head(9)
				must(t, r.Append(c.knob))
			}
			must(t, r.Close())
			run, err := Find(s.Dir(), m.ID)
			must(t, err)
			if got, err := run.Mixed(); got != c.want || err != nil {
				t.Errorf("%q, %v, want %q", got, err, c.want)
			}
			pure, mixed := Unmixed([]*Run{run})
			if slices.Contains(pure, run) != (c.want == "") || len(mixed) != 1-len(pure) {
				t.Errorf("%d by one method, others: %q", len(pure), mixed)
			}
		})
	}
}
