package lab

import (
	"strings"
	"testing"

	"drolab/runner/record"
)

// TestDeeds: a run of this machine is never refused. The refusal of a run of a box names the run,
// the box, and a command that exists.
func TestDeeds(t *testing.T) {
	far, own := mirroredRun(t)
	commands := map[string]bool{"pause": true, "resume": true, "stop": true, "checkpoint": true,
		"knob": true, "run": true, "delete": true, "label": true, "eval": true}
	seen := map[string]Deed{}
	for does := Pause; does <= LookAtSamples; does++ {
		if why := does.NotHere(own); why != "" {
			t.Errorf("%d: of a run here: %q, want nothing", does, why)
		}
		why := does.NotHere(far)
		if does.of().reaches {
			if why != "" {
				t.Errorf("%d reaches the box and is refused: %q", does, why)
			}
			continue
		}
		head := far.Meta.ID + " is on box gpu1: ssh gpu1 .local/bin/drolab "
		command, ok := strings.CutPrefix(why, head)
		words := strings.Fields(command)
		if !ok || len(words) < 2 || !commands[words[0]] ||
			!strings.Contains(command, far.Meta.ID) || strings.Contains(command, "RUN") {
			t.Errorf("%d: %q, want %q and a command about the run", does, why, head)
		}
		if other, twice := seen[command]; twice {
			t.Errorf("%d and %d have one command, %q", other, does, command)
		}
		seen[command] = does
	}
}

// mirroredRun returns a run of box gpu1 and one of this machine.
func mirroredRun(t *testing.T) (far, own *record.Run) {
	t.Helper()
	runs, _ := boxedRuns(t)
	for _, r := range runs {
		if r.Mirrored() != nil {
			far = r
		} else {
			own = r
		}
	}
	return far, own
}
