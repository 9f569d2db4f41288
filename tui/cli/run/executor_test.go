package run

import (
	"strings"
	"testing"

	"drolab/runner"
)

func TestTroublesAreToldOnce(t *testing.T) {
	told := map[string]string{}
	live := []runner.LiveRun{
		{ID: "mine", Trouble: "disk full"}, {ID: "other", Trouble: "disk full"}, {ID: "fine"},
	}
	ids := []string{"mine", "fine"}
	remedy := func(id string) string { return "continue with drolab resume " + id }
	if lines := newTroubles(live, ids, told, remedy); len(lines) != 1 ||
		!strings.Contains(lines[0],
			"run mine waits: disk full (continue with drolab resume mine)") {
		t.Errorf("told %q", lines)
	}
	if lines := newTroubles(live, ids, told, remedy); len(lines) != 0 {
		t.Errorf("told again: %q", lines)
	}
	over := []runner.LiveRun{{ID: "mine"}}
	lines := newTroubles(over, ids, told, remedy)
	if len(lines) != 1 || lines[0] != "run mine continues" {
		t.Errorf("told when it was over: %q", lines)
	}
	if lines := newTroubles(live, ids, told, remedy); len(lines) != 1 {
		t.Errorf("a second time is not told: %q", lines)
	}
}
