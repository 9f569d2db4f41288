package bridge_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/dro/testsize"
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
	t.Parallel()
	r := newRunsFolder(t)
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
		if got := e["user.setup"]; got != 7. {
			t.Errorf("step %d: user.setup = %v, want 7", step, got)
		}
		if got := low["user.setup"]; got != 7. {
			t.Errorf("step %d: the minimum of user.setup = %v, want 7", step, got)
		}
		if !(a <= v && v <= b) {
			t.Errorf("step %d: user.batch = %v, want within its range %v to %v", step, v, a, b)
		}
		if a >= b {
			t.Errorf("step %d: user.batch ranges from %v to %v, want more than a point", step, a, b)
		}
	}
	evaluated := at(11, "user.a_b")
	if evaluated == nil {
		t.Error("step 11, at the first evaluation, has no user.a_b")
	}
	if none, ok := log["step 11"]["user.nothing"]; none != nil || !ok {
		t.Errorf("step 11: user.nothing = %v (is there: %v), want null", none, ok)
	}
	if got := at(7, "user.a_b"); got != nil {
		t.Errorf("step 7: user.a_b = %v, want none before the first evaluation", got)
	}
	if got := at(14, "user.a_b"); got != evaluated {
		t.Errorf("step 14: user.a_b = %v, want the %v of the first evaluation", got, evaluated)
	}
	last := at(33, "user.a_b")
	if last == evaluated {
		t.Errorf("step 33: user.a_b = %v, want another value than at the first evaluation", last)
	}
	run := must(record.Find(r.dir, id))(t)
	if got := run.Summary().Named("user.a_b").Float(); got != last {
		t.Errorf("the summary has user.a_b = %v, want the last, %v", got, last)
	}
	for name, want := range map[string]dro.Sense{"user.a_b": dro.Higher, "user.batch": dro.Lower,
		"user.setup": dro.Neither} {
		if got := run.Meta.User.Sense(name); got != want {
			t.Errorf("the better side of %s is %v, want %v", name, got, want)
		}
	}
}

// TestLoggedNames: the number of names is bounded, and no control character of a name reaches a
// terminal.
func TestLoggedNames(t *testing.T) {
	testsize.NotShort(t, "starts a program: TestLogged shows what a program logs")
	t.Parallel()
	r := newRunsFolder(t)
	id := must(r.start(t, "", logging(bridged(dro.SFK), 6)))(t)[0]
	text := fmt.Sprintf("%v", r.log(t, id)["step 33"])
	if want := "user._[2J_5:1"; !strings.Contains(text, want) {
		t.Errorf("step 33 is %q, want it to have %q", text, want)
	}
	if strings.ContainsAny(text, "\x1b\u202e") {
		t.Errorf("step 33 is %q, want no control characters", text)
	}
	ids, err := r.start(t, "", logging(bridged(dro.SFK), 70))
	if len(ids) != 1 {
		t.Fatalf("runs %v and error %v, want one run", ids, err)
	}
	wantError(t, "a program that logs 70 values", err, "expected at most 64")
	run := must(record.Find(r.dir, filepath.Base(ids[0])))(t)
	if got := run.Status(); got != runner.Failed {
		t.Errorf("status %s, want %s", got, runner.Failed)
	}
	if cause := run.Summary().Cause; !strings.Contains(cause, "expected at most 64") {
		t.Errorf("cause %q, want one with %q", cause, "want at most 64")
	}
}
