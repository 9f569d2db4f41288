package bridge_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// logging returns the spec of a run whose program logs values of its own.
func logging(s spec.Spec, names int) spec.Spec {
	return withWords(s, fmt.Sprintf("logs=%d", names))
}

// withWords returns the spec with more words for its program.
func withWords(s spec.Spec, words ...string) spec.Spec {
	p, _ := s.Program()
	p.Words = append(p.Words, words...)
	s.Model = p.String()
	return s
}

// TestLogged: the values that a program logs are in the run's log from the first time on, with
// their range between two events. Values logged during an evaluation are there at once.
func TestLogged(t *testing.T) {
	r := newRoom(t)
	s := logging(bridged(dro.SFK), 1)
	s.LogEvery = 7
	id := must(r.start(t, "", s))(t)[0]
	log := r.log(t, id)
	at := func(step int, key string) any { return log[fmt.Sprint("step ", step)][key] }
	for _, step := range []int{7, 14, 21} {
		e := log[fmt.Sprint("step ", step)]
		low, high := e["min"].(map[string]any), e["max"].(map[string]any)
		v, a, b := e["user.batch"].(float64), low["user.batch"].(float64),
			high["user.batch"].(float64)
		if e["user.setup"] != 7. || low["user.setup"] != 7. || !(a <= v && v <= b && a < b) {
			t.Errorf("step %d: %v", step, e)
		}
	}
	evaluated := at(11, "user.a_b")
	if none, ok := log["step 11"]["user.nothing"]; evaluated == nil || none != nil || !ok {
		t.Errorf("at the first evaluation: %v", log["step 11"])
	}
	if at(14, "user.a_b") != evaluated || at(33, "user.a_b") == evaluated ||
		at(7, "user.a_b") != nil {
		t.Errorf("%v at step 11, %v at 14, %v at 33", evaluated, at(14, "user.a_b"),
			at(33, "user.a_b"))
	}
	run := must(record.Find(r.dir, id))(t)
	if got := run.Summary().Named("user.a_b").Float(); got != at(33, "user.a_b") {
		t.Errorf("the summary has %v", got)
	}
	better := run.Meta.User
	if better.Sense("user.a_b") != dro.Higher || better.Sense("user.batch") != dro.Lower ||
		better.Sense("user.setup") != dro.Neither {
		t.Errorf("sides %+v", better)
	}
}

// TestLoggedNames: the number of names is bounded, and no control character of a name reaches a
// terminal.
func TestLoggedNames(t *testing.T) {
	r := newRoom(t)
	id := must(r.start(t, "", logging(bridged(dro.SFK), 6)))(t)[0]
	text := fmt.Sprintf("%v", r.log(t, id)["step 33"])
	if !strings.Contains(text, "user._[2J_5:1") || strings.ContainsAny(text, "\x1b\u202e") {
		t.Errorf("%q", text)
	}
	ids, err := r.start(t, "", logging(bridged(dro.SFK), 70))
	if err == nil || len(ids) != 1 {
		t.Fatalf("%v: %v", ids, err)
	}
	run := must(record.Find(r.dir, filepath.Base(ids[0])))(t)
	if cause := run.Summary().Cause; run.Status() != runner.Failed ||
		!strings.Contains(cause, "want at most 64") {
		t.Errorf("%s: %q", run.Status(), cause)
	}
}
