package train

import (
	"fmt"
	"slices"
	"testing"

	"drolab/runner"
	"drolab/runner/alert"
	"drolab/runner/measure"
)

// noted is a Recorder that keeps events, and has evaluations of an earlier process.
type noted struct {
	runner.Recorder
	events  []runner.Event
	earlier []*runner.EvalEvent
}

func (n *noted) Append(e runner.Event) error { n.events = append(n.events, e); return nil }

func (n *noted) Evaluations() ([]*runner.EvalEvent, error) { return n.earlier, nil }

// texts returns the alerts as step and text.
func (n *noted) texts() (list []string) {
	for _, e := range n.events {
		if a, ok := e.(*runner.AlertEvent); ok {
			list = append(list, fmt.Sprintf("%d %s %s", a.Step, a.Alert, a.Text))
		}
	}
	return list
}

// evaluated returns the evaluation of a step, in which the accuracy of the second class is worst.
func evaluated(step int64, worst float64) *runner.EvalEvent {
	e := &runner.EvalEvent{Head: runner.Head{Step: step}}
	e.Set("worst_class_accuracy", measure.Num(worst))
	e.ByGroup.Set("class_accuracy", []measure.Number{measure.Num(.9), measure.Num(worst)})
	return e
}

// TestWorstClassFalls: a run logs once that its worst class has been below its best for a fifth of
// its steps. A run that goes on from a checkpoint knows the evaluations before it, and no later
// ones.
func TestWorstClassFalls(t *testing.T) {
	m := &runner.Meta{Steps: 1000}
	m.Classes = []string{"circle", "hexagon"}
	m.ClassCounts.Test = []int{1000, 100}
	newRun := func(n *noted) *Run {
		return &Run{Plan: Plan{Meta: m, Record: n, Gate: &Gate{}}}
	}
	of := func(step int64) *runner.EvalEvent {
		if step > 300 {
			return evaluated(step, .3)
		}
		return evaluated(step, .6)
	}
	want := []string{"540 worst_class worst class 30.0 %, the mean of 5 evaluations, was 60.0 % " +
		"(95 % interval from 50.2 %) and has been below that since step 340"}
	whole := &noted{}
	r := newRun(whole)
	for step := int64(20); step <= 1000; step += 20 {
		r.step = step
		r.watchWorst(of(step))
	}
	if got := whole.texts(); !slices.Equal(got, want) {
		t.Errorf("logged %q, want %q", got, want)
	}
	resumed := &noted{earlier: []*runner.EvalEvent{evaluated(620, .9)}}
	for step := int64(20); step <= 400; step += 20 {
		resumed.earlier = append(resumed.earlier, of(step))
	}
	slices.SortFunc(resumed.earlier, func(a, b *runner.EvalEvent) int {
		return int(a.Step - b.Step)
	})
	r = newRun(resumed)
	r.recallWorst(400)
	for step := int64(400); step <= 1000; step += 20 { // that of the checkpoint is repeated
		r.step = step
		r.watchWorst(of(step))
	}
	if got := resumed.texts(); !slices.Equal(got, want) {
		t.Errorf("resumed: logged %q, want %q", got, want)
	}
}

// TestWorstOfGroups: where runs have groups, the alert is about them, and an evaluation in which
// the worst one has no figure is passed over.
func TestWorstOfGroups(t *testing.T) {
	m := &runner.Meta{Steps: 10}
	m.Groups = []string{"land", "water"}
	m.GroupCounts.Test = []int{50, 50}
	n := &noted{}
	r := &Run{Plan: Plan{Meta: m, Record: n, Gate: &Gate{}}}
	for step := int64(1); step <= 30; step++ {
		worst := .9
		if step > 10 {
			worst = .1
		}
		e := &runner.EvalEvent{Head: runner.Head{Step: step}}
		if step != 20 {
			e.Set("worst_group_accuracy", measure.Num(worst))
			both := []measure.Number{measure.Num(worst), measure.Num(worst)}
			e.ByGroup.Set("group_accuracy", both)
		}
		r.step = step
		r.watchWorst(e)
	}
	if len(n.events) != 1 || n.events[0].(*runner.AlertEvent).Alert != alert.WorstClass {
		t.Fatalf("logged %v, want one alert", n.events)
	}
	want := "13 worst_class worst group 42.0 %, the mean of 5 evaluations, was 90.0 % " +
		"(95 % interval from 78.6 %) and has been below that since step 11"
	if got := n.texts()[0]; got != want {
		t.Errorf("logged %q, want %q", got, want)
	}
}
